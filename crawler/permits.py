"""What robots.txt lets us do, and the pages that wait until it is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler import robots, urls
from crawler.model import Reason, Redirect
from crawler.notebook import RobotsAnswer
from crawler.redirects import location
from crawler.web import Fault

if TYPE_CHECKING:
    from crawler.fetch import Answer
    from crawler.frontier import Job
    from crawler.notebook import Notebook
    from crawler.politeness import Politeness

CAP = robots.MAX_BYTES + 1  # what is read of robots.txt, so that one that is too long can be told


class Permits:
    """Sends for robots.txt once an authority; asks nobody itself."""

    def __init__(self, notebook: Notebook, agent: str, politeness: Politeness) -> None:
        self._book = robots.RobotsBook(notebook, agent)
        self._politeness = politeness
        self._heeded: set[str] = set()  # authorities whose Crawl-delay is known to the politeness
        self._waiting: dict[str, list[Job]] = {}

    def standing(self, address: str) -> robots.Standing | None:
        """How we stand with an address's authority; None when it must be asked for its robots.txt first."""
        authority = urls.split(address).authority
        standing = self._book.standing(authority)
        if standing is not None and authority not in self._heeded:  # known from an earlier crawl
            self._heed(authority, standing)
        return standing

    def wait(self, job: Job) -> Job | None:
        """Put a page off until its robots.txt is there; the first one to wait gets the request to send for it."""
        authority = urls.split(job.address).authority
        waiting = self._waiting.setdefault(authority, [])
        waiting.append(job)
        if len(waiting) > 1:
            return None
        return replace(job, address=f"{authority}/robots.txt", robots_for=authority, redirects=(), attempt=0)

    def settle(self, authority: str, answer: RobotsAnswer | Fault) -> list[Job]:
        """robots.txt is known, or known to be out of reach: the pages that waited for it."""
        if isinstance(answer, Fault):
            standing = self._book.unreachable(authority, answer)
        else:
            standing = self._book.answered(authority, answer)
        self._heed(authority, standing)
        return self._waiting.pop(authority)

    def _heed(self, authority: str, standing: robots.Standing) -> None:
        self._heeded.add(authority)
        self._politeness.ask_for_delay(urls.server(authority + "/"), standing.rules.crawl_delay)


def objection(standing: robots.Standing, address: str) -> Fault | None:
    """Why an address may not be fetched; None when it may."""
    closed = standing.closed
    if closed is None:
        return None if standing.rules.allows(address) else Fault(Reason.ROBOTS, "robots.txt disallows it")
    if closed.reason is Reason.NO_ROBOTS:
        return Fault(closed.reason, f"{closed.detail}, so nothing may be fetched")
    return closed  # a dead name is a dead name


def read(job: Job, outcome: Answer | Fault) -> RobotsAnswer | Fault | Redirect:
    """What an answer to a request for robots.txt means (RFC 9309, section 2.3.1)."""
    if isinstance(outcome, Fault):
        return outcome
    now = datetime.now(UTC).replace(microsecond=0)
    if outcome.is_redirect:
        target = location(outcome)
        if target is None:
            return Fault(Reason.NO_ROBOTS, "robots.txt redirects to what is not the Web")
        if len(job.redirects) >= robots.MAX_REDIRECTS:
            return RobotsAnswer(now, outcome.status)  # as if there were none
        return Redirect(job.address, outcome.status, target)
    if outcome.status >= 500 or outcome.status == 429:
        return Fault(Reason.NO_ROBOTS, f"robots.txt answered HTTP {outcome.status}")
    if outcome.truncated in ("time", "disconnect"):
        return Fault(Reason.NO_ROBOTS, "robots.txt broke off")
    return RobotsAnswer(now, outcome.status, outcome.body if 200 <= outcome.status < 300 else b"")
