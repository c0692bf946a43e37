"""What to fetch next: jobs in lines, each done in order, and servers, each asked one thing at a time.

A line is a server, or a site that a crawl does not leave; it may then stand on several servers, and share one with
others. Its jobs are done strictly one after the other: the next one starts when the page before it is a record, after
all its redirects and retries, and all the links that it has are in line. So the order within a line depends on what is
there to be found, never on who answers first, and a crawl that was killed goes on as it would have gone.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.model import Redirect


@dataclass(slots=True)
class Job:
    """One request to make, and what led to it."""

    url: str  # canonical form of what was first asked for
    address: str  # what to ask now, after redirects
    server: str
    hops: int
    rank: int  # the lower, the sooner: the hops, or the place in a recording
    order: tuple[int, str] = (0, "")  # among those of one rank; no matter of time, so that a crawl can be repeated
    group: str = ""  # what its page is counted by
    line: str = ""
    robots_for: str = ""  # the authority whose robots.txt this asks for; empty for a page
    redirects: tuple[Redirect, ...] = ()
    refreshes: int = 0  # meta refreshes in a row that led here
    attempt: int = 0
    asked: bool = False  # whether a request was made for it, here or on the way here
    paid: bool = False  # the same, counting what this run asked for before it was interrupted


_Entry: TypeAlias = tuple[int, tuple[int, str], int, Job]  # by rank, then order, then age


@dataclass(slots=True)
class _Line:
    jobs: list[_Entry] = field(default_factory=list)  # a heap
    out: bool = False  # a job of it is being done, or waits until the line is resumed


class _State(Enum):
    EMPTY = 0  # nothing queued
    WAITING = 1  # for its turn
    READY = 2
    BUSY = 3  # a request is under way


@dataclass(slots=True)
class _Queue:
    """What wants to ask one server: the first jobs of lines, and jobs that ask again."""

    heads: list[_Entry] = field(default_factory=list)  # a heap; a line's first that was overtaken stays in it, void
    again: set[int] = field(default_factory=set)  # which of them ask again
    state: _State = _State.EMPTY


class Frontier:
    """Lines of jobs, and the servers that may be asked. `next_turn` says when a job may go, in the clock of `now`."""

    def __init__(self, next_turn: Callable[[Job], float]) -> None:
        self._next_turn = next_turn
        self._lines: dict[str, _Line] = {}
        self._queues: dict[str, _Queue] = {}
        self._ready: list[tuple[int, tuple[int, str], str]] = []
        self._waiting: list[tuple[float, int, str]] = []
        self._paused: list[str] = []
        self._count = itertools.count(1)

    def push(self, job: Job) -> None:
        """Put a job in its line."""
        line = self._lines.setdefault(job.line, _Line())
        entry = (job.rank, job.order, next(self._count), job)
        heapq.heappush(line.jobs, entry)
        if not line.out and line.jobs[0] is entry:
            self._enqueue(entry)

    def pop(self, now: float) -> Job | None:
        """The next job whose server may be asked now; the server is busy until `release`, the line until `done`."""
        while self._waiting and self._waiting[0][0] <= now:
            self._make_ready(heapq.heappop(self._waiting)[2])
        while self._ready:
            rank, order, server = heapq.heappop(self._ready)
            queue = self._queues.get(server)
            if queue is None or queue.state is not _State.READY:
                continue  # it was ready for something better, too, and that came first
            head = self._head(queue)
            if head is not None and head[:2] <= (rank, order):
                queue.state = _State.BUSY
                return self._take(queue)
            self._make_ready(server)  # what it was ready for went another way
        return None

    def again(self, job: Job) -> None:
        """The job that a line is at, or a request for robots.txt, wants a turn of its server."""
        entry = (job.rank, job.order, next(self._count), job)
        self._queues.setdefault(job.server, _Queue()).again.add(entry[2])
        self._enqueue(entry)

    def done(self, job: Job) -> None:
        """A job is over: its line goes on."""
        line = self._lines[job.line]
        line.out = False
        if line.jobs:
            self._enqueue(line.jobs[0])
        else:
            del self._lines[job.line]

    def pause(self, job: Job) -> None:
        """Stop a line at this job until `resume`."""
        heapq.heappush(self._lines[job.line].jobs, (job.rank, job.order, next(self._count), job))
        self._paused.append(job.line)

    def paused(self) -> list[Job]:
        """The jobs at which lines were stopped."""
        return [self._lines[name].jobs[0][3] for name in self._paused]

    def resume(self) -> None:
        """Let all lines go on."""
        names, self._paused = self._paused, []
        for name in names:
            self._lines[name].out = False
            self._enqueue(self._lines[name].jobs[0])

    def release(self, server: str, not_before: float = 0.0) -> None:
        """A server's request is over; the next may start when it is its turn, and not before this time."""
        self._queue(server, not_before)

    def wait(self, now: float) -> float | None:
        """Seconds until `pop` may have something; None when nothing is queued that time alone will bring."""
        if self._ready:
            return 0.0
        return max(0.0, self._waiting[0][0] - now) if self._waiting else None

    def _enqueue(self, entry: _Entry) -> None:
        server = entry[3].server
        queue = self._queues.setdefault(server, _Queue())
        heapq.heappush(queue.heads, entry)
        if queue.state is _State.EMPTY:
            self._queue(server, 0.0)
        elif queue.state is _State.READY and queue.heads[0] is entry:
            heapq.heappush(self._ready, (entry[0], entry[1], server))

    def _queue(self, server: str, not_before: float) -> None:
        queue = self._queues[server]
        head = self._head(queue)
        if head is None:
            del self._queues[server]
            return
        queue.state = _State.WAITING
        at = max(not_before, self._next_turn(head[3]))
        heapq.heappush(self._waiting, (at, next(self._count), server))

    def _make_ready(self, server: str) -> None:
        queue = self._queues[server]
        head = self._head(queue)
        if head is None:
            del self._queues[server]
            return
        queue.state = _State.READY
        heapq.heappush(self._ready, (head[0], head[1], server))

    def _head(self, queue: _Queue) -> _Entry | None:
        """What a server is asked next, past what is void."""
        while queue.heads and not self._stands(queue, queue.heads[0]):
            heapq.heappop(queue.heads)
        return queue.heads[0] if queue.heads else None

    def _stands(self, queue: _Queue, entry: _Entry) -> bool:
        if entry[2] in queue.again:
            return True
        line = self._lines.get(entry[3].line)
        return line is not None and not line.out and line.jobs[0] is entry

    def _take(self, queue: _Queue) -> Job:
        entry = heapq.heappop(queue.heads)
        if entry[2] in queue.again:
            queue.again.remove(entry[2])
        else:
            line = self._lines[entry[3].line]
            heapq.heappop(line.jobs)
            line.out = True
        return entry[3]
