"""A find in a process of its own, which can be killed: `python -m tests.support.finder TASK`, a file of JSON.

It does what `ncf find` does: it takes the lease, asks the Web, keeps the result, and says in one sentence what is wrong
with the store. Only where names lead is ours: to the servers of tests.support.served, as if they were the live Web.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import socket
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp.abc import AbstractResolver, ResolveResult

from crawler.brake import Brake
from crawler.settings import Settings
from ncf import find, rules
from ncf.errors import NcfError
from ncf.export.json import document, dumps
from ncf.growth import Access, Limits
from ncf.rules import RuleBook
from ncf.store import runs
from ncf.store.store import Store
from tests.support.served import contact

if TYPE_CHECKING:
    import ssl

    from crawler.model import Record, Stats
    from crawler.web import Memory
    from ncf.result import Result

SEED = "http://kepler-college.example/~anna/"
STOPPED = ("stopped", "network")


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is to find, and what happens to it on the way."""

    place: dict[str, Any]  # see Served.place
    store: str
    run: str = "run"  # its name in the server's log
    seeds: tuple[str, ...] = (SEED,)
    growth: int = 2
    limits: dict[str, Any] = field(default_factory=dict)
    fresh: float = 30 * 86_400.0
    offline: bool = False
    rules: str = ""  # a person's rules, as text
    connections: int = 8
    retries: int = 1
    # What happens
    brake_after: int = 0  # records; 0: never
    die_at: int = 0  # the process kills itself before this SQL statement
    most_pages: int = 0  # of SQLite, in the store: then it is full
    most_bytes: int = 0  # of any file that this process writes

    def dumps(self) -> str:
        """As `loads` reads it."""
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Task:
        """The task in a file's text."""
        given = json.loads(text)
        return cls(**given | {"seeds": tuple(given["seeds"])})


class There:
    """A crawler.web.Web: the hosts of another process's server; no other names exist."""

    is_recording = False

    def __init__(self, place: dict[str, Any]) -> None:
        self._place = place
        self._ports = (place["plain"], place["secure"], place["closed"])

    def resolver(self) -> AbstractResolver:
        return _Resolver(self._place)

    def tls(self) -> ssl.SSLContext | bool:
        return False  # the certificate is the test's own, made a moment ago

    def admits(self, ip: str, port: int) -> bool:
        return ip == "127.0.0.1" and port in self._ports

    def remembers(self, address: str) -> Memory | None:
        return None


class _Resolver(AbstractResolver):
    def __init__(self, place: dict[str, Any]) -> None:
        self._place = place
        self._hosts = frozenset(place["hosts"])

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host not in self._hosts:
            raise OSError(socket.EAI_NONAME, "no such name")
        kind = "closed" if host in self._place["dead"] else "secure" if port == 443 else "plain"
        return [
            ResolveResult(
                hostname=host,
                host="127.0.0.1",
                port=self._place[kind],
                family=socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        pass


def settings(task: Task) -> Settings:
    """Several requests at once and no politeness: the server is the test's own."""
    return Settings(
        contact=contact(task.run),
        delay=0.0,
        backoff=0.02,
        retries=task.retries,
        max_seconds=10.0,
        connections=task.connections,
        connections_per_address=0,
        requests_per_address=0.0,
        offline=task.offline,
    )


def found(task: Task, store: Store) -> Result:
    """Ask, and keep the answer in the store, as `ncf find` does."""
    book = rules.parse(task.rules) if task.rules else RuleBook()
    brake, seen = Brake(), 0

    def watch(record: Record, stats: Stats) -> None:
        nonlocal seen
        seen += 1
        if seen == task.brake_after:
            brake.pull()

    store.lease()
    question = find.Question(task.seeds, task.growth, limits=Limits(**task.limits))
    access = Access(settings(task), There(task.place), None, store, brake)
    fresh = float("inf") if task.offline else task.fresh
    means = find.Means(store, access, book.patterns, said=book.said, fresh=fresh)
    result = asyncio.run(find.find(question, means, find.Watch(watch)))
    stopped = any(cut.what in STOPPED for cut in result.cut)
    (runs.note if stopped else runs.finish)(store, result.run, dumps(document(result)))
    return result


def _prepare(task: Task, store: Store) -> None:
    """Let happen what the task says will."""
    if task.die_at:
        left = task.die_at

        def count(statement: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        store._db.set_trace_callback(count)
    if task.most_pages:
        store.select(f"PRAGMA max_page_count = {task.most_pages}")
    if task.most_bytes:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (task.most_bytes, resource.RLIM_INFINITY))


def main(path: str) -> int:
    """The process: its exit status is that of `ncf find`."""
    task = Task.loads(Path(path).read_text())
    try:
        with Store.open(Path(task.store)) as store:
            _prepare(task, store)
            result = found(task, store)
    except NcfError as error:
        print(f"ncf: {error}", file=sys.stderr)
        return 1
    return 130 if any(cut.what == "stopped" for cut in result.cut) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
