"""A recording as a Web for other processes: real servers on loopback that take their time, another one every time.

Arrival order differs from run to run, every request is logged with who made it, and the servers can go away and come
back. What a process needs to know to find them is in `place`.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.recording.archive import Archive
from ncf import data
from tests.support.fakeweb import Answer, FakeWeb, Hit, Reply, Route

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from crawler.recording.index import Recorded

SLOWNESS = 0.02  # seconds that an answer takes, at most
_OWN = frozenset(("content-length", "transfer-encoding", "connection", "keep-alive"))  # headers of that connection


class Served(FakeWeb):
    """Serves a recording; every host of it is here, and no other.

    `strict`: a page has one spelling; otherwise `%7E` is as good as `~`, as on most servers.
    """

    def __init__(self, recording: Path | None = None, *, slowness: float = SLOWNESS, strict: bool = False) -> None:
        super().__init__()
        self._slowness = slowness
        self._strict = strict
        self._chance = random.Random()
        self.after: Callable[[Hit], None] = lambda hit: None  # told of every request once it is answered
        with Archive.open([recording or data.demo_recording()]) as archive:
            self.hosts = sorted(archive.hosts())
            self.replies = {one.address: _reply(archive, one) for one in archive.entries()}
        self._spellings = {urls.canonical(address) or address: address for address in self.replies}
        self.routes.update(dict.fromkeys(self.replies, self._slowly))

    def _slowly(self, hit: Hit) -> Reply:
        reply = self.replies[hit.url]
        changed = reply.headers.get("Last-Modified", "")
        if changed and changed == hit.headers.get("if-modified-since"):
            reply = Reply(status=304)
        return replace(reply, wait=self._chance.random() * self._slowness)

    async def _answer(self, hit: Hit, writer: asyncio.StreamWriter) -> bool:
        known = None if self._strict else self._spellings.get(urls.canonical(hit.url) or "")
        if known is not None and hit.url not in self.routes:
            self.replies[hit.url], self.routes[hit.url] = self.replies[known], self._slowly
        goes_on = await super()._answer(hit, writer)
        self.after(hit)
        return goes_on

    def be_troubled(self, seed: int = 1) -> None:
        """Let a page in twelve fail as servers do: always, or whenever it is asked for the first time by a run."""
        asked = set[tuple[str, str]]()

        def fail_first(hit: Hit) -> Answer:
            known = (run_of(hit), hit.url) in asked
            asked.add((run_of(hit), hit.url))
            return self._slowly(hit) if known else b""

        troubles: dict[int, Route] = {0: Reply(status=500), 1: Reply(status=503), 2: b"", 3: fail_first, 4: fail_first}
        for address in pages(sorted(self.replies)):
            trouble = troubles.get(random.Random(f"{seed} {address}").randrange(60))
            if trouble is not None:
                self.routes[address] = trouble

    def go_down(self) -> None:
        """Every connection breaks, and every new one is refused."""
        super().go_down()
        self._tasks.clear()

    async def go_up(self) -> None:
        """The servers are back, on other ports."""
        self.down = False
        await super().__aenter__()

    def place(self) -> dict[str, Any]:
        """Where another process finds the hosts."""
        ports = {"plain": self.port, "secure": self.secure_port, "closed": self.closed_port}
        return {**ports, "hosts": self.hosts, "dead": sorted(self.dead)}

    def asked(self, *runs: str) -> list[str]:
        """The URLs that these runs asked for, in order; of all when none is named."""
        return [hit.url for hit in self.hits if not runs or run_of(hit) in runs]


def contact(run: str) -> str:
    """How a run introduces itself, so that the log can tell runs apart."""
    return f"{run}@finder.example"


def run_of(hit: Hit) -> str:
    """Which run made a request."""
    return hit.headers.get("user-agent", "").partition("(+")[2].partition("@")[0]


def pages(asked: Iterable[str]) -> list[str]:
    """What was asked for besides robots.txt."""
    return [url for url in asked if not url.endswith("/robots.txt")]


def _reply(archive: Archive, one: Recorded) -> Reply:
    found = archive.read(one)
    headers = {name: value for name, value in found.headers if name.lower() not in _OWN}
    return Reply(found.body, found.status, headers)
