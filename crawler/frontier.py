"""What to fetch next: a queue a server, breadth first in each, and the servers that may be asked now.

A later store can stand behind the same four verbs: push, pop, release, later.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

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
    order: int = 0  # of discovery
    robots_for: str = ""  # the authority whose robots.txt this asks for; empty for a page
    redirects: tuple[Redirect, ...] = ()
    refreshes: int = 0  # meta refreshes in a row that led here
    attempt: int = 0


class _State(Enum):
    EMPTY = 0  # nothing queued
    QUEUED = 1  # in one of the two heaps of lanes
    BUSY = 2  # a request is under way


@dataclass(slots=True)
class _Lane:
    jobs: list[tuple[int, int, Job]] = field(default_factory=list)  # a heap by rank, then order of discovery
    state: _State = _State.EMPTY


class Frontier:
    """Queues by server. `next_turn` is asked when a server's lane is queued again; it answers in the clock of `now`."""

    def __init__(self, next_turn: Callable[[str], float]) -> None:
        self._next_turn = next_turn
        self._lanes: dict[str, _Lane] = {}
        self._ready: list[tuple[int, int, str]] = []
        self._waiting: list[tuple[float, int, str]] = []
        self._later: list[tuple[float, int, Job]] = []
        self._count = itertools.count(1)
        self.size = 0  # jobs that wait, here or for later

    def push(self, job: Job) -> None:
        """Queue a job; one that was queued before keeps its place in the order."""
        job.order = job.order or next(self._count)
        lane = self._lanes.setdefault(job.server, _Lane())
        heapq.heappush(lane.jobs, (job.rank, job.order, job))
        self.size += 1
        if lane.state is _State.EMPTY:
            self._queue(job.server, lane, self._next_turn(job.server))

    def later(self, job: Job, at: float) -> None:
        """Queue a job when its time comes."""
        heapq.heappush(self._later, (at, job.order, job))
        self.size += 1

    def pop(self, now: float) -> Job | None:
        """The next job whose server may be asked now; the server is busy until `release`."""
        while self._later and self._later[0][0] <= now:
            self.size -= 1
            self.push(heapq.heappop(self._later)[2])
        while self._waiting and self._waiting[0][0] <= now:
            self._make_ready(heapq.heappop(self._waiting)[2])
        if not self._ready:
            return None
        lane = self._lanes[heapq.heappop(self._ready)[2]]
        lane.state = _State.BUSY
        self.size -= 1
        return heapq.heappop(lane.jobs)[2]

    def release(self, server: str, not_before: float = 0.0) -> None:
        """A server's request is over, or was put off until `not_before`."""
        lane = self._lanes[server]
        if lane.jobs:
            self._queue(server, lane, max(not_before, self._next_turn(server)))
        else:
            del self._lanes[server]

    def drain(self, server: str) -> list[Job]:
        """Take away everything queued for a server that is busy."""
        lane = self._lanes[server]
        jobs = [job for _, _, job in sorted(lane.jobs, key=lambda entry: entry[:2])]
        self.size -= len(jobs)
        lane.jobs.clear()
        return jobs

    def wait(self, now: float) -> float | None:
        """Seconds until `pop` may have something; None when nothing is queued that time alone will bring."""
        if self._ready:
            return 0.0
        times = [heap[0][0] for heap in (self._waiting, self._later) if heap]
        return max(0.0, min(times) - now) if times else None

    def _queue(self, server: str, lane: _Lane, at: float) -> None:
        lane.state = _State.QUEUED
        heapq.heappush(self._waiting, (at, next(self._count), server))

    def _make_ready(self, server: str) -> None:
        rank, order, _ = self._lanes[server].jobs[0]
        heapq.heappush(self._ready, (rank, order, server))
