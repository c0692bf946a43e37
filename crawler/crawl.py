"""The loop: start URLs, a scope and a budget in; records out, breadth first, politely.

>>> import asyncio
>>> async def main() -> None:
...     crawl = Crawl(["http://example.org/"], budget=Budget(max_pages=10))
...     async for record in crawl.records():
...         print(record.url)
>>> asyncio.run(main())  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler import robots, urls
from crawler.errors import SeedError
from crawler.fetch import Answer, Fetcher
from crawler.flight import Flight
from crawler.frontier import Frontier, Job
from crawler.ledger import Ledger
from crawler.model import Alias, Budget, Cut, Failed, Fetched, Reason, Record, Redirect, Stats
from crawler.notebook import MemoryNotebook, RobotsAnswer
from crawler.pages import read_page
from crawler.politeness import Addresses, Politeness, retry_after
from crawler.resolve import LiveWeb
from crawler.settings import Settings
from crawler.web import Fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from crawler.model import Link, Page
    from crawler.notebook import Notebook
    from crawler.web import Recorder, Web

MAX_REFRESHES = 10  # meta refreshes in a row, like redirects
_UNRECORDED = 1 << 60  # beyond every place in a recording
_NETWORK = frozenset((Reason.CONNECT, Reason.TIMEOUT))  # worth another try
_OVERLOAD = frozenset((429, 503))  # the server, not the page, is in trouble


@dataclass(frozen=True, slots=True)
class _NotNow:
    """The server's IP address is taken: come back in so many seconds."""

    seconds: float


_Outcome = Answer | Fault | _NotNow


def everywhere(url: str) -> bool:
    """The scope without borders."""
    return True


class Crawl:
    """One crawl. Iterate over `records()` once; `stats` and `cut` can be read at any time."""

    def __init__(
        self,
        starts: Iterable[str],
        *,
        scope: Callable[[str], bool] = everywhere,
        budget: Budget | None = None,
        settings: Settings | None = None,
        web: Web | None = None,
        recorder: Recorder | None = None,
        notebook: Notebook | None = None,
        group: Callable[[str], str] = urls.server,
    ) -> None:
        self._settings = settings or Settings()
        self._scope = scope
        self._recorder = recorder
        self._notebook = notebook or MemoryNotebook()
        self._web = web or LiveWeb()
        self._fetcher = Fetcher(self._settings, self._web, recorder)
        self._politeness = Politeness(self._settings, self._notebook)
        self._frontier = Frontier(self._politeness.next_turn)
        self._ledger = Ledger(budget or Budget(), group)
        self._robots = robots.RobotsBook(self._notebook, self._settings.agent)
        self._awaiting_robots: dict[str, list[Job]] = {}
        self._addresses = Addresses(self._settings.connections_per_address, self._settings.requests_per_address)
        self._limits_addresses = bool(self._settings.connections_per_address or self._settings.requests_per_address)
        self._seen: set[str] = set()
        self._asked: set[str] = set()  # servers
        self._flight = Flight[_Outcome]()
        self._out: deque[Record] = deque()
        self.stats = Stats()
        for start in starts:
            self._add_start(start)

    @property
    def cut(self) -> list[Cut]:
        """What the budget left undone."""
        return self._ledger.cut()

    def _add_start(self, start: str) -> None:
        address, url = urls.address(start), urls.canonical(start)
        if address is None or url is None:
            raise SeedError(f"{start!r} is not an http or https URL")
        self._offer(url, address, hops=0)

    async def records(self) -> AsyncIterator[Record]:
        """Crawl, and give a record for every page that was asked for."""
        self._ledger.start()
        async with self._fetcher:
            try:
                while self._ledger.in_time() and await self._step():
                    while self._out:
                        yield self._out.popleft()
            finally:
                self._ledger.close(self._frontier.size + self._flight.size)
                self._refresh_stats()
                await self._flight.cancel()

    async def _step(self) -> bool:
        """Start what can start, and handle one answer; False when all is done."""
        self._dispatch()
        self._refresh_stats()
        wait = self._frontier.wait(time.time()) if self._ledger.open() else None
        if self._flight.size:
            done = await self._flight.landed(self._ledger.clip(wait) if self._can_start() else self._ledger.clip(None))
            if done is not None:
                self._landed(*done)
            return True
        if self._out:
            return True
        if wait is None:
            return False
        await asyncio.sleep(self._ledger.clip(wait) or 0)
        return True

    def _can_start(self) -> bool:
        return self._flight.size < self._settings.connections and self._ledger.open()

    def _dispatch(self) -> None:
        while self._can_start():
            job = self._frontier.pop(time.time())
            if job is None:
                return
            self._consider(job)

    def _consider(self, job: Job) -> None:
        """Decide what becomes of a job whose server may be asked now."""
        parked = self._politeness.parked(job.server)
        if parked:
            self._fail_parked(job, parked)
        elif not job.robots_for and not job.redirects and not self._ledger.admits(job.url):
            pass  # its group has had its share; the ledger counts it
        elif job.robots_for:
            return self._launch(job)
        else:
            return self._ask_robots_first(job)
        return self._frontier.release(job.server)

    def _ask_robots_first(self, job: Job) -> None:
        authority = urls.split(job.address).authority
        standing = self._robots.standing(authority)
        if standing is None:
            return self._await_robots(job, authority)
        if standing.closed is not None:
            self._fail(job, _closed(standing.closed))
        elif not standing.rules.allows(job.address):
            self._fail(job, Fault(Reason.ROBOTS, "robots.txt disallows it"))
        else:
            return self._launch(job)
        return self._frontier.release(job.server)

    def _await_robots(self, job: Job, authority: str) -> None:
        """Put a page off until its robots.txt is there; the first one to wait sends for it."""
        waiting = self._awaiting_robots.setdefault(authority, [])
        waiting.append(job)
        if len(waiting) > 1:
            return self._frontier.release(job.server)
        asking = replace(job, address=f"{authority}/robots.txt", robots_for=authority, redirects=(), attempt=0)
        return self._launch(asking)

    def _launch(self, job: Job) -> None:
        self._flight.launch(job, self._request(job))
        if not job.robots_for:
            self._ledger.started()

    async def _request(self, job: Job) -> _Outcome:
        """Ask for one job; the only place that waits for the network."""
        if not self._limits_addresses:
            return await self._timed_request(job)
        ip = await self._fetcher.locate(job.address)
        if isinstance(ip, Fault):
            return ip
        wait = self._addresses.wait(ip)
        if wait:
            return _NotNow(wait)
        try:
            return await self._timed_request(job)
        finally:
            self._addresses.leave(ip)

    async def _timed_request(self, job: Job) -> Answer | Fault:
        self._politeness.start(job.server)
        self._asked.add(job.server)
        self.stats.requests += 1
        started = time.monotonic()
        if job.robots_for:
            answer = await self._fetcher.fetch(job.address, cap=robots.MAX_BYTES + 1, any_type=True)
        else:
            answer = await self._fetcher.fetch(job.address, validators=self._notebook.validators(_name(job)))
        self._politeness.finish(job.server, time.monotonic() - started)
        return answer

    def _landed(self, job: Job, outcome: _Outcome) -> None:
        """Handle an answer, then let the job's server have its next turn."""
        not_before = 0.0
        if not job.robots_for:
            self._ledger.landed()
        if isinstance(outcome, _NotNow):
            not_before = time.time() + outcome.seconds
            self._put_back(job)
        elif self._must_retry(job, outcome):
            pass
        elif job.robots_for:
            self._robots_landed(job, outcome)
        elif isinstance(outcome, Fault):
            self._fail(job, outcome)
        else:
            self._answered(job, outcome)
        if self._politeness.parked(job.server):
            self._drain(job.server)
        self._frontier.release(job.server, not_before)

    def _put_back(self, job: Job) -> None:
        if job.robots_for:  # the pages that wait for it may send for it again
            for page in self._awaiting_robots.pop(job.robots_for):
                self._frontier.push(page)
        else:
            self._frontier.push(job)

    def _must_retry(self, job: Job, outcome: Answer | Fault) -> bool:
        """Whether a failure gets another try; a server that asks for patience gets it either way."""
        if isinstance(outcome, Fault):
            if outcome.reason not in _NETWORK:
                return False
            asked = None
        else:
            if outcome.status != 429 and outcome.status < 500:
                self._politeness.worked(job.server)
                return False
            asked = retry_after(outcome.headers.get("Retry-After", ""))
            if asked is not None and outcome.status in _OVERLOAD:
                self._politeness.hold(job.server, asked)
        if job.attempt >= self._settings.retries or self._politeness.parked(job.server):
            if isinstance(outcome, Fault) or outcome.status in _OVERLOAD:
                self._politeness.failed(job.server)
            return False
        job.attempt += 1
        backoff = self._settings.backoff * 2 ** (job.attempt - 1)
        self._frontier.later(job, time.time() + max(backoff, asked or 0.0))
        return True

    def _robots_landed(self, job: Job, outcome: Answer | Fault) -> None:
        authority = job.robots_for
        if isinstance(outcome, Fault):
            if self._recorder is not None:
                self._recorder.fault(job.address, outcome, _now())
            return self._settle(authority, outcome)
        if outcome.is_redirect:
            target = _location(outcome)
            if target is None:
                return self._settle(authority, Fault(Reason.ROBOTS, "robots.txt redirects to what is not the Web"))
            if len(job.redirects) >= robots.MAX_REDIRECTS:
                return self._settle(authority, RobotsAnswer(_now(), outcome.status))  # as if there were none
            return self._follow(job, outcome, target)
        if outcome.status >= 500 or outcome.status == 429:
            return self._settle(authority, Fault(Reason.ROBOTS, f"robots.txt answered HTTP {outcome.status}"))
        if outcome.truncated in ("time", "disconnect"):
            return self._settle(authority, Fault(Reason.ROBOTS, "robots.txt broke off"))
        body = outcome.body if 200 <= outcome.status < 300 else b""
        return self._settle(authority, RobotsAnswer(_now(), outcome.status, body))

    def _settle(self, authority: str, answer: RobotsAnswer | Fault) -> None:
        """robots.txt is known, or known to be out of reach: the pages that wait for it go on."""
        if isinstance(answer, Fault):
            standing = self._robots.unreachable(authority, answer)
        else:
            standing = self._robots.answered(authority, answer)
        self._politeness.ask_for_delay(urls.server(authority + "/"), standing.rules.crawl_delay)
        for page in self._awaiting_robots.pop(authority):
            self._frontier.push(page)

    def _answered(self, job: Job, answer: Answer) -> None:
        if answer.is_redirect:
            self._redirected(job, answer)
        elif answer.status == 304:
            self._emit(self._fetched(job, answer, None))
        elif not 200 <= answer.status < 300:
            self._fail(job, Fault(Reason.STATUS, f"HTTP {answer.status}"), answer)
        else:
            page = read_page(answer, self._settings)
            self._emit(self._fetched(job, answer, self._with_links(job, page) if page else None))

    def _redirected(self, job: Job, answer: Answer) -> None:
        target = _location(answer)
        known = {redirect.address for redirect in job.redirects} | {job.address}
        if target is None:
            fault = Fault(Reason.REDIRECT_BAD, f"HTTP {answer.status} to what is not an http or https URL")
        elif target in known:
            fault = Fault(Reason.REDIRECT_LOOP, "it redirects in a circle")
        elif len(job.redirects) >= self._settings.max_redirects:
            fault = Fault(Reason.REDIRECT_LIMIT, f"more than {self._settings.max_redirects} redirects")
        elif not self._scope(urls.canonical(target) or target):
            fault = Fault(Reason.REDIRECT_SCOPE, f"it redirects out of scope, to {target}")
        else:
            return self._follow(job, answer, target)
        hop = (Redirect(job.address, answer.status, target),) if target else ()
        job.redirects += hop
        return self._fail(job, fault, answer)

    def _follow(self, job: Job, answer: Answer, target: str) -> None:
        """Go one hop on. The next request has its own server, turn and robots.txt."""
        redirects = (*job.redirects, Redirect(job.address, answer.status, target))
        if not job.robots_for:
            key, came_from = urls.key(target), {urls.key(redirect.address) for redirect in redirects}
            if key in self._seen and key not in came_from:
                return self._emit(Alias(job.url, urls.canonical(target) or target, job.hops, redirects))
            self._seen.add(key)
        onward = replace(job, address=target, server=urls.server(target), redirects=redirects, attempt=0)
        return self._frontier.push(onward)

    def _with_links(self, job: Job, page: Page) -> Page:
        """Mark the links that are in scope, and queue them."""
        links = page.links
        marked = tuple(link.scoped() if self._scope(link.url) else link for link in links)
        if not page.nofollow:
            for link in marked:
                if link.in_scope:
                    self._follow_link(job, link)
            if page.canonical and self._scope(page.canonical):
                self._offer(page.canonical, page.canonical, job.hops + 1)
        return page.with_links(marked)

    def _follow_link(self, job: Job, link: Link) -> None:
        refreshes = job.refreshes + 1 if link.kind == "refresh" else 0
        if refreshes <= MAX_REFRESHES:
            self._offer(link.url, link.address, job.hops + 1, refreshes)

    def _offer(self, url: str, address: str, hops: int, refreshes: int = 0) -> None:
        """Queue a page unless it is known."""
        key = urls.key(url)
        if key in self._seen:
            return
        if not self._ledger.within_hops(hops):
            return
        self._seen.add(key)
        job = Job(url, address, urls.server(address), hops, self._rank(address, hops), refreshes=refreshes)
        self._frontier.push(job)

    def _rank(self, address: str, hops: int) -> int:
        """Breadth first; a crawl that was recorded is replayed in its own order, so that budgets cut where they did."""
        if not self._web.is_recording:
            return hops
        memory = self._web.remembers(address)
        return memory.order if memory is not None and memory.order else _UNRECORDED + hops

    def _fetched(self, job: Job, answer: Answer, page: Page | None) -> Fetched:
        return Fetched(
            url=_name(job),
            asked=job.url,
            address=answer.address,
            hops=job.hops,
            status=answer.status,
            fetched_at=answer.at,
            redirects=job.redirects,
            content_type=answer.content_type,
            etag=answer.headers.get("ETag", ""),
            last_modified=answer.headers.get("Last-Modified", ""),
            content_hash=answer.content_hash,
            length=len(answer.body),
            truncated=answer.truncated,
            unchanged=answer.status == 304,
            page=page,
        )

    def _fail(self, job: Job, fault: Fault, answer: Answer | None = None) -> None:
        """Give up on a page. Where an answer told us to, the answer is recorded; else the recorder is told."""
        memory = self._web.remembers(job.address)
        at = answer.at if answer is not None else memory.at if memory is not None else _now()
        if answer is None and self._recorder is not None:
            self._recorder.fault(job.address, fault, at)
        status = answer.status if answer is not None else None
        self._emit(Failed(job.url, job.address, job.hops, fault.reason, fault.detail, at, status, job.redirects))

    def _fail_parked(self, job: Job, why: str) -> None:
        fault = Fault(Reason.PARKED, why)
        if job.robots_for:
            return self._settle(job.robots_for, fault)
        return self._fail(job, fault)

    def _drain(self, server: str) -> None:
        """A parked server's pages fail now, not one by one in their turn."""
        for job in self._frontier.drain(server):
            self._fail_parked(job, self._politeness.parked(server))

    def _emit(self, record: Record) -> None:
        self._ledger.emitted(record)
        self.stats.count(record)
        self._out.append(record)

    def _refresh_stats(self) -> None:
        self.stats.queued = self._frontier.size
        self.stats.servers = len(self._asked)
        self.stats.active = self._flight.size
        self.stats.seconds = self._ledger.seconds()


def _location(answer: Answer) -> str | None:
    """Where a redirect leads; None when that is no place on the Web."""
    location = answer.headers.get("Location", "")
    target = urls.join(answer.address, location) if location else None
    return target if target is not None and len(target) <= urls.MAX_LENGTH else None


def _closed(fault: Fault) -> Fault:
    """Why a page fails whose robots.txt could not be had: a dead name is a dead name, the rest is robots."""
    if fault.reason in (Reason.ROBOTS, Reason.PARKED):
        return Fault(fault.reason, f"{fault.detail}, so nothing may be fetched")
    return fault


def _name(job: Job) -> str:
    """The canonical name of what a job asks for now."""
    return urls.canonical(job.address) or job.address


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
