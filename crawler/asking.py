"""Asking for one job, in its turn and within every limit; and whether to ask again."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from crawler import permits, urls
from crawler.fetch import Answer, Fetcher
from crawler.politeness import OVERLOAD, UNANSWERED, Addresses, retry_after
from crawler.web import Fault

if TYPE_CHECKING:
    from types import TracebackType

    from crawler.copies import Copies
    from crawler.frontier import Job
    from crawler.politeness import Politeness
    from crawler.settings import Settings
    from crawler.web import Recorder, Web


@dataclass(frozen=True, slots=True)
class NotNow:
    """The server's IP address is taken: come back in so many seconds."""

    seconds: float


Outcome: TypeAlias = Answer | Fault | NotNow


class Asker:
    """Makes the requests; the only place that waits for the network."""

    def __init__(self, settings: Settings, web: Web, recorder: Recorder | None, politeness: Politeness) -> None:
        self._settings = settings
        self._fetcher = Fetcher(settings, web, recorder)
        self._politeness = politeness
        self._addresses = Addresses(settings.connections_per_address, settings.requests_per_address)
        self._limits_addresses = bool(settings.connections_per_address or settings.requests_per_address)
        self.servers: set[str] = set()  # that were asked for something
        self.requests = 0

    async def __aenter__(self) -> Self:
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._fetcher.__aexit__(kind, error, trace)

    async def ask(self, job: Job, copies: Copies) -> Outcome:
        """Ask for one job, once."""
        if not self._limits_addresses:
            return await self._timed(job, copies)
        ip = await self._fetcher.locate(job.address)
        if isinstance(ip, Fault):
            return ip
        wait = self._addresses.wait(ip)
        if wait:
            return NotNow(wait)
        try:
            return await self._timed(job, copies)
        finally:
            self._addresses.leave(ip)

    async def answers(self, server: str, authority: str) -> bool:
        """Whether a server still answers anything at all, asked in its turn for its robots.txt."""
        await asyncio.sleep(max(0.0, self._politeness.next_turn(server) - time.time()))
        self._politeness.start(server)
        self.requests += 1
        answer = await self._fetcher.fetch(f"{authority}/robots.txt", cap=permits.CAP, any_type=True)
        return not (isinstance(answer, Fault) and answer.reason in UNANSWERED)

    async def _timed(self, job: Job, copies: Copies) -> Answer | Fault:
        self._politeness.start(job.server)
        self.servers.add(job.server)
        self.requests += 1
        started = time.monotonic()
        if job.robots_for:
            answer = await self._fetcher.fetch(job.address, cap=permits.CAP, any_type=True)
        else:
            answer = await self._fetcher.fetch(job.address, validators=copies.validators(name(job)))
        self._politeness.finish(job.server, time.monotonic() - started)
        return answer

    def next_try(self, job: Job, outcome: Answer | Fault) -> float | None:
        """Seconds until a failure gets another try; a server that asks for patience gets it either way."""
        asked = None
        if isinstance(outcome, Fault):
            if outcome.reason not in UNANSWERED:
                return None
        elif outcome.status != 429 and outcome.status < 500:
            self._politeness.worked(job.server)
            return None
        else:
            asked = retry_after(outcome.headers.get("Retry-After", ""))
            if asked is not None and outcome.status in OVERLOAD:
                self._politeness.hold(job.server, asked)
        if job.attempt >= self._settings.retries or self._politeness.parked(job.server):
            if isinstance(outcome, Fault) or outcome.status in OVERLOAD:
                self._politeness.failed(job.server)
            return None
        job.attempt += 1
        backoff = float(self._settings.backoff * 2 ** (job.attempt - 1))
        return max(backoff, asked or 0.0)


def name(job: Job) -> str:
    """The canonical name of what a job asks for now."""
    return urls.canonical(job.address) or job.address
