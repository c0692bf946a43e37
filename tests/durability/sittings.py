"""Runs of a find in processes of their own, one sitting after the other on one store, and what is promised of them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import shutil
import sqlite3
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.model import PASSING
from ncf.intake import TOGETHER
from tests.support.served import Served, pages, run_of

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator, Callable, Iterator

    from tests.support.fakeweb import Hit
    from tests.support.finder import Task

ROOT = Path(__file__).resolve().parents[2]
_NUMBERS = itertools.count()  # of runs
_BORN = 0.4  # seconds before a process does anything
_STATEMENTS = 13  # of SQL, that come to one request
PATIENCE = 60.0  # seconds that a process may take
_PAGES = """SELECT p.id, p.key, p.html, p.status, p.reason, p.title, p.hash, p.fetched_at FROM pages p
    WHERE p.checked_at IS NOT NULL"""
_LINKS = "SELECT l.source, t.key, l.rel, l.count FROM links l JOIN pages t ON t.id = l.target"
_LEADS = "SELECT a.source, t.key, a.kind, a.status FROM aliases a JOIN pages t ON t.id = a.target"

Document = dict[str, Any]
Row = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a store holds: every page that was asked for, with its links and where its name leads."""

    pages: dict[str, tuple[Row, frozenset[Row]]] = field(default_factory=dict)  # by key
    robots: frozenset[str] = frozenset()  # addresses of robots.txt
    result: Document | None = None  # of the last run, if it is done
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """When a process is killed: after so many seconds, pages that were served to it, or SQL statements of its own."""

    kind: str
    at: float

    @classmethod
    def draw(cls, chance: random.Random, seconds: float, asked: int) -> Moment:
        """One of the three, at random within a find of so many seconds and requests; rather early, for it goes on."""
        kind, share = chance.choice(("seconds", "served", "statements")), chance.random() ** 1.5
        if kind == "seconds":
            return cls(kind, _BORN + share * max(0.0, seconds - _BORN))
        return cls(kind, share * asked * (1 if kind == "served" else _STATEMENTS))


@dataclass(frozen=True, slots=True)
class Sitting:
    """How one process ended."""

    run: str
    status: int  # negative: the signal that killed it
    said: str  # on standard error
    seconds: float


@dataclass(slots=True)
class Tally:
    """What kills cost."""

    kills: int = 0
    finds: int = 0  # that went on to their end
    requests: int = 0
    again: int = 0  # requests for pages that had been answered before, to a process that was killed
    most_again: int = 0  # that one kill cost
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        """Count another one in."""
        for name in ("kills", "finds", "requests", "again", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.most_again = max(self.most_again, other.most_again)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills in {self.finds} finds, {self.seconds:.0f} s: {self.requests} requests for pages,"
            f" {self.again} of them again, {self.most_again} at most for one kill"
        )


def key(url: str) -> str:
    """The key of a page by the URL that a server was asked for."""
    return urls.key(urls.canonical(url) or url)


@contextlib.contextmanager
def opened(store: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a store, so that looking does not mend anything; it must be whole."""
    with tempfile.TemporaryDirectory() as folder:
        for end in ("", "-wal"):
            if (found := store.with_name(store.name + end)).exists():
                shutil.copy(found, folder)
        db = sqlite3.connect(Path(folder) / store.name)
        try:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert db.execute("PRAGMA foreign_key_check").fetchall() == []
            yield db
        finally:
            db.close()


def kept(store: Path) -> Kept:
    """What is in a store, after a look at its integrity."""
    if not store.exists():
        return Kept()
    with opened(store) as db:
        if not db.execute("PRAGMA user_version").fetchone()[0]:
            return Kept()
        ends: dict[int, set[Row]] = {}
        for source, *row in [*db.execute(_LINKS), *db.execute(_LEADS)]:
            ends.setdefault(source, set()).add(tuple(row))
        found = {name: (tuple(row), frozenset(ends.get(number, ()))) for number, name, *row in db.execute(_PAGES)}
        robots = frozenset(f"{authority}/robots.txt" for (authority,) in db.execute("SELECT authority FROM robots"))
        last = db.execute("SELECT finished, result FROM runs ORDER BY id DESC LIMIT 1").fetchone()
        done = last is not None and last[0] is not None
        count = db.execute("SELECT count(*) FROM runs").fetchone()[0]
        return Kept(found, robots, json.loads(last[1]) if done else None, count)


def noted(store: Path) -> Document:
    """The last result that was kept, of a run that may go on."""
    with opened(store) as db:
        return plain(json.loads(db.execute("SELECT result FROM runs ORDER BY id DESC LIMIT 1").fetchone()[0]))


def plain(found: Document) -> Document:
    """A result without what differs from sitting to sitting: numbers of runs, seconds, and who asked for what."""
    return {name: value for name, value in found.items() if name not in ("run", "stats")}


@contextlib.asynccontextmanager
async def started(task: Task, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process at work; it does not outlive the block."""
    path = folder / f"{task.run}.json"
    path.write_text(task.dumps())
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.finder",
        str(path),
        cwd=ROOT,
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        _kill(process)
        await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()


async def sit(
    served: Served,
    task: Task,
    folder: Path,
    moment: Moment | None = None,
    *,
    watch: Callable[[Hit], None] | None = None,
) -> Sitting:
    """One sitting, to its end or to the moment that it is killed at; `watch` is told of its requests."""
    at = int(moment.at) + 1 if moment else 0
    task = replace(task, run=f"run{next(_NUMBERS)}", die_at=at if moment and moment.kind == "statements" else 0)
    begun, count = time.monotonic(), 0
    async with started(replace(task, place=served.place()), folder) as process:

        def after(hit: Hit) -> None:
            nonlocal count
            if run_of(hit) != task.run:
                return
            count += 1
            if watch:
                watch(hit)
            if moment and moment.kind == "served" and count == at:
                _kill(process)

        if watch or (moment and moment.kind == "served"):
            served.after = after
        seconds = moment.at if moment and moment.kind == "seconds" else PATIENCE
        try:
            _, said = await asyncio.wait_for(
                asyncio.shield(talk := asyncio.ensure_future(process.communicate())), seconds
            )
        except TimeoutError:
            assert moment, f"{task.run} does not end"
            _kill(process)
            _, said = await talk
        finally:
            if served.after is after:
                served.after = lambda hit: None
    return Sitting(task.run, process.returncode or 0, said.decode(), time.monotonic() - begun)


async def whole(served: Served, task: Task, folder: Path) -> tuple[Document, Sitting]:
    """A find that nobody disturbs: its result."""
    sitting = await sit(served, task, folder)
    assert (sitting.status, sitting.said) == (0, ""), sitting
    found = kept(Path(task.store)).result
    assert found is not None
    return plain(found), sitting


_WHOLE: dict[str, Document] = {}


async def undisturbed(served: Served, task: Task, folder: Path) -> Document:
    """What the same find gives on a store of its own, when all servers answer; found once for all tests."""
    asked = json.dumps([task.seeds, task.growth, task.limits, task.rules])
    if asked not in _WHOLE:
        _WHOLE[asked], _ = await whole(served, replace(task, store=str(folder / "undisturbed.sqlite")), folder)
    return _WHOLE[asked]


@dataclass(slots=True)
class Witness:
    """Looks at a store after every sitting: nothing that was in it goes, and nobody asks for it again."""

    served: Served
    store: Path
    connections: int
    held: Kept = field(default_factory=Kept)
    sittings: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    _answered: set[str] = field(default_factory=set)  # keys, to this find so far

    def look(self, sitting: Sitting) -> Kept:
        """After a sitting."""
        now = kept(self.store)
        asked = self.served.asked(sitting.run)
        self._asked_nothing_held(sitting, asked)
        self._lost_nothing(sitting, now)
        wanted = [key(url) for url in pages(asked)]
        lost = set(wanted) - now.pages.keys()
        # What the process had been told and had not yet committed: a batch, and what was under way.
        assert len(lost) <= TOGETHER + self.connections, (sitting, len(lost))
        again = sum(name in self._answered for name in wanted)
        self._answered.update(wanted)
        self.tally.requests += len(wanted)
        self.tally.again += again
        self.tally.most_again = max(self.tally.most_again, len(lost) if sitting.status == -9 else 0)
        self.tally.kills += sitting.status == -9
        self.tally.seconds += sitting.seconds
        self.held = now
        self.sittings.append(sitting.run)
        return now

    def _asked_nothing_held(self, sitting: Sitting, asked: list[str]) -> None:
        held = {name for name, (row, _) in self.held.pages.items() if row[2] not in PASSING}
        again = [url for url in pages(asked) if key(url) in held]
        assert not again, f"{sitting} asked again for {again} after {self.sittings}"
        assert not self.held.robots.intersection(asked), f"{sitting} asked again for a robots.txt"

    def _lost_nothing(self, sitting: Sitting, now: Kept) -> None:
        lost = [
            name for name, had in self.held.pages.items() if now.pages.get(name) != had and had[0][2] not in PASSING
        ]
        changes = [(name, self.held.pages[name], now.pages.get(name)) for name in lost[:3]]
        assert not lost, f"{sitting} lost or changed {len(lost)} pages: {changes}"


async def through_kills(served: Served, task: Task, folder: Path, moments: Iterator[Moment]) -> tuple[Document, Tally]:
    """Ask the same again and again, killed at these moments, until a process ends by itself or they run out."""
    witness = Witness(served, Path(task.store), task.connections)
    for _ in range(1000):
        sitting = await sit(served, task, folder, next(moments, None))
        now = witness.look(sitting)
        if now.result is not None:
            witness.tally.finds += 1
            assert now.runs == 1, "a run that was killed is the same run"
            return plain(now.result), witness.tally
        assert sitting.status == -9, sitting
    raise AssertionError("it never ends")


def same(found: Document, expected: Document) -> bool:
    """Whether two results are equal; says what differs."""
    assert found == expected, differences(found, expected)
    return True


def differences(found: Document, expected: Document) -> str:
    """What differs between two results, a few of each."""
    told = []
    for name, value in expected.items():
        if found[name] != value:
            ours = [one for one in found[name] if one not in value] if isinstance(value, list) else found[name]
            theirs = [one for one in value if one not in found[name]] if isinstance(value, list) else value
            told.append(
                f"{name}: {len(ours)} are not expected, as {ours[:3]}; {len(theirs)} are missing, as {theirs[:3]}"
                if isinstance(value, list)
                else f"{name}: {ours} instead of {theirs}"
            )
    return "; ".join(told)
