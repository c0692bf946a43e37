"""The loop: start URLs, a scope and a budget in; records out, breadth first, politely.

>>> import asyncio
>>> async def main() -> None:
...     crawl = Crawl(["http://example.org/"], budget=Budget(max_pages=10))
...     async for record in crawl.records():
...         print(record.url)
>>> asyncio.run(main())  # doctest: +SKIP
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler import permits, redirects, urls
from crawler.asking import Asker, NotNow, Outcome, name
from crawler.bounds import Bounds, Start, everywhere
from crawler.brake import Brake
from crawler.copies import NoCopies
from crawler.errors import SeedError
from crawler.flight import Flight
from crawler.frontier import Frontier, Job
from crawler.ledger import Cost, Leave, Ledger
from crawler.model import Alias, Budget, Cut, Failed, Fetched, Reason, Record, Redirect, Stats
from crawler.notebook import MemoryNotebook
from crawler.outage import Outage
from crawler.pages import read_page
from crawler.permits import Permits
from crawler.politeness import Politeness
from crawler.redirects import Hop
from crawler.resolve import LiveWeb
from crawler.settings import Settings
from crawler.web import Fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from crawler.copies import Copies, Copy
    from crawler.fetch import Answer
    from crawler.model import Link, Page
    from crawler.notebook import Notebook, RobotsAnswer
    from crawler.robots import Standing
    from crawler.web import Recorder, Web

MAX_REFRESHES = 10  # meta refreshes in a row, like redirects
_UNRECORDED = 1 << 60  # beyond every place in a recording
_UNASKED = frozenset((Reason.ROBOTS, Reason.NO_ROBOTS, Reason.PARKED))  # failures of pages that nobody was asked for


class Crawl:
    """One crawl. Iterate over `records()` once; `stats` and `cut` can be read at any time."""

    def __init__(
        self,
        starts: Iterable[str | Start],
        *,
        scope: Callable[[str], bool] | Bounds = everywhere,
        budget: Budget | None = None,
        settings: Settings | None = None,
        web: Web | None = None,
        recorder: Recorder | None = None,
        notebook: Notebook | None = None,
        copies: Copies | None = None,
        brake: Brake | None = None,
        seen: Iterable[str] = (),
        known: dict[str, str] | None = None,
    ) -> None:
        """`seen`: keys of URLs not to be asked for. `known`: servers that have answered, and their authority."""
        self._settings = settings or Settings()
        self._bounds = scope if isinstance(scope, Bounds) else Bounds(scope)
        self._recorder = recorder
        self._web = web or LiveWeb()
        notebook = notebook or MemoryNotebook()
        self._politeness = Politeness(self._settings, notebook)
        self._asker = Asker(self._settings, self._web, recorder, self._politeness)
        self._permits = Permits(notebook, self._settings.agent, self._politeness)
        self._copies = copies or NoCopies()
        self._brake = brake or Brake()
        self._frontier = Frontier(self._turn)
        self._ledger = Ledger(budget or Budget(), self._bounds.groups)
        self._seen: set[str] = set(seen)
        self._pending = 0  # pages that are known and have no record yet
        self._flight = Flight[Outcome]()
        self._outage = Outage(self._flight.servers, known)
        self._out: deque[Record] = deque()
        self.stats = Stats()
        self.stopped = ""  # why it ended before its time: "stopped" by a person, or "network"; known at the end
        for start in sorted((start if isinstance(start, Start) else Start(start) for start in starts), key=_hops):
            self._add_start(start)

    @property
    def cut(self) -> list[Cut]:
        """What was left undone, and why."""
        return self._ledger.cut()

    def _add_start(self, start: Start) -> None:
        address, url = urls.address(start.address), urls.canonical(start.address)
        if address is None or url is None:
            raise SeedError(f"{start.address!r} is not an http or https URL")
        self._offer(url, address, start.hops)

    # The loop

    async def records(self) -> AsyncIterator[Record]:
        """Crawl, and give a record for every page that was asked for."""
        self._ledger.start()
        async with self._asker:
            try:
                while self._ledger.in_time() and await self._step():
                    while self._out:
                        yield self._out.popleft()
                    if self._outage.is_suspect and not self._halted:
                        await self._hear_witnesses()
                if self._outage.is_silent and not self._halted:  # an end in silence must not pass for a whole crawl
                    await self._hear_witnesses()
            finally:
                self._close()
                await self._flight.cancel()

    def _close(self) -> None:
        if self._outage.gone:
            self.stopped = "network"
        elif self._brake.pulled and self._pending:
            self.stopped = "stopped"
        self._ledger.close(self._pending, self.stopped)
        self._refresh_stats()

    async def _hear_witnesses(self) -> None:
        """Before a network is believed to be gone, servers that answered before are asked once more."""
        for server, authority in self._outage.witnesses():
            if await self._asker.answers(server, authority):
                return self._outage.heard(server, authority)
            self._outage.unheard(server)
        return self._outage.decide()

    @property
    def _halted(self) -> bool:
        return self._brake.pulled or self._outage.gone

    async def _step(self) -> bool:
        """Start what can start, and handle one answer; False when all is done."""
        self._dispatch()
        self._refresh_stats()
        wait = self._frontier.wait(time.time()) if self._ledger.open() else None
        if self._flight.size:
            patience = 0.0 if self._out else wait if self._can_start() else None
            done = await self._flight.landed(self._ledger.clip(patience))
            if done is not None:
                self._landed(*done)
            return True
        if self._out:
            return True
        if self._halted or (wait is None and not self._next_shares()):
            return False
        await self._brake.pause(self._ledger.clip(wait or 0.0) or 0.0)
        return True

    def _next_shares(self) -> bool:
        """When all groups have had their share, those that want more share what is left."""
        wanting = {job.group for job in self._frontier.paused()}
        if not wanting or not self._ledger.deal(wanting):
            return False
        self._frontier.resume()
        return True

    def _can_start(self) -> bool:
        if self._halted or self._outage.is_suspect:
            return False
        return self._flight.size < self._settings.connections and self._ledger.open()

    def _dispatch(self) -> None:
        now = time.time()
        while self._can_start():
            job = self._frontier.pop(now)
            if job is None:
                return
            copy = None if job.robots_for else self._copies.recall(name(job))
            if copy is not None:
                self._consider_copy(job, copy)
                # One a server and round: a thousand copies must not keep other servers and their answers waiting.
                self._frontier.release(job.server, math.nextafter(now, math.inf))
            elif not self._consider(job):
                self._frontier.release(job.server)

    # What becomes of a job

    def _turn(self, job: Job) -> float:
        """When a job may go: a request when its server may be asked, all else at once."""
        if self._settings.offline or self._politeness.parked(job.server):
            return 0.0
        is_held = not job.robots_for and self._copies.holds(name(job))
        return 0.0 if is_held else self._politeness.next_turn(job.server)

    def _consider(self, job: Job) -> bool:
        """Decide what becomes of a job that nobody has a copy of; True when its server is being asked."""
        if self._settings.offline:
            self._ledger.unheld()
            self._conclude(job)
            return False
        standing = None if job.robots_for else self._permits.standing(job.address)  # may ask for patience, or too much
        parked = self._politeness.parked(job.server)
        if parked:
            self._fail_parked(job, parked)
        elif self._politeness.next_turn(job.server) > time.time():
            self._frontier.again(job)  # it came before a copy that need not wait
        elif job.robots_for:
            return self._launch(job)
        elif self._has_leave(job):
            return self._ask_robots(job) if standing is None else self._ask(job, standing)
        return False

    def _has_leave(self, job: Job, *, free: bool = False) -> bool:
        """Whether the budget admits a page now; one that must wait for others keeps its place."""
        leave = self._ledger.admits(job.group, free=free)
        if leave is Leave.NOT_YET:
            self._frontier.pause(job)
        elif leave is Leave.NO:
            self._conclude(job)
        return leave is Leave.YES

    def _consider_copy(self, job: Job, copy: Copy) -> None:
        """Take what the caller has in place of an answer."""
        if not self._has_leave(job, free=not copy.mine):
            return
        told = copy.answer(name(job))
        if copy.mine:
            self._politeness.relive(job.server, told)
            job.paid |= not (isinstance(told, Failed) and told.reason in _UNASKED)
        if isinstance(told, Redirect):
            self._redirected(job, Hop(told.status, told.target))
        elif isinstance(told, Fetched):
            page = self._with_links(job, told.page) if told.page else None
            known = replace(told, asked=job.url, hops=job.hops, redirects=job.redirects, page=page, copy=True)
            self._emit(job, known, free=not copy.mine)
        else:
            self._emit(job, replace(told, url=job.url, hops=job.hops, redirects=job.redirects, copy=True))

    def _ask_robots(self, job: Job) -> bool:
        asking = self._permits.wait(job)
        return asking is not None and self._launch(asking)

    def _ask(self, job: Job, standing: Standing) -> bool:
        objection = permits.objection(standing, job.address)
        if objection is None:
            return self._launch(job)
        self._fail(job, objection)
        return False

    # Requests

    def _launch(self, job: Job) -> bool:
        self._flight.launch(job, self._asker.ask(job, self._copies))
        if not job.robots_for:
            self._ledger.started(job.group)
        return True

    def _landed(self, job: Job, outcome: Outcome) -> None:
        """Handle an answer, then let the job's server have its next turn."""
        if not job.robots_for:
            self._ledger.landed(job.group)
        wait = outcome.seconds if isinstance(outcome, NotNow) else self._asker.next_try(job, outcome)
        if not isinstance(outcome, NotNow) and not self._web.is_recording:
            reason = outcome.reason if isinstance(outcome, Fault) else None
            self._outage.hear(job, reason, final=wait is None)
        if wait is not None:
            self._frontier.again(job)
        elif not isinstance(outcome, NotNow):
            self._handle(job, outcome)
        # A page that is tried again is waited for: whether it comes in the end must not change what is asked meanwhile.
        self._frontier.release(job.server, 0.0 if wait is None else time.time() + wait)

    def _handle(self, job: Job, outcome: Answer | Fault) -> None:
        if job.robots_for:
            return self._robots_landed(job, outcome)
        job.asked = job.paid = True
        if isinstance(outcome, Fault):
            return self._fail(job, outcome)
        return self._answered(job, outcome)

    def _robots_landed(self, job: Job, outcome: Answer | Fault) -> None:
        if isinstance(outcome, Fault) and self._recorder is not None:
            self._recorder.fault(job.address, outcome, _now())
        said = permits.read(job, outcome)
        if isinstance(said, Redirect):
            return self._follow(job, said)
        return self._settle(job.robots_for, said)

    def _settle(self, authority: str, said: RobotsAnswer | Fault) -> None:
        """The pages that waited for this robots.txt go on."""
        for page in self._permits.settle(authority, said):
            self._frontier.again(page)

    def _answered(self, job: Job, answer: Answer) -> None:
        if answer.is_redirect:
            self._redirected(job, Hop(answer.status, redirects.location(answer), answer))
        elif answer.status == 304:
            page = self._copies.page(name(job))
            self._emit(job, _fetched(job, answer, self._with_links(job, page) if page else None))
        elif not 200 <= answer.status < 300:
            self._fail(job, Fault(Reason.STATUS, f"HTTP {answer.status}"), answer)
        else:
            page = read_page(answer, self._settings)
            self._emit(job, _fetched(job, answer, self._with_links(job, page) if page else None))

    # Redirects and links

    def _redirected(self, job: Job, hop: Hop) -> None:
        fault, target = redirects.objection(job, hop, self._settings.max_redirects), hop.target
        if fault is None and target is not None and not self._is_inside(job, urls.canonical(target) or target):
            fault = Fault(Reason.REDIRECT_SCOPE, f"it redirects out of scope, to {target}")
        step = (Redirect(job.address, hop.status, target),) if target is not None else ()
        if fault is None:
            return self._follow(job, *step)
        job.redirects += step
        return self._fail(job, fault, hop.answer, told=hop)

    def _follow(self, job: Job, hop: Redirect) -> None:
        """Go one hop on. The next request has its own server, turn and robots.txt."""
        onward = replace(job, address=hop.target, server=urls.server(hop.target), redirects=(*job.redirects, hop))
        onward.attempt = 0
        if job.robots_for:
            return self._frontier.again(onward)
        key, came_from = urls.key(hop.target), {urls.key(redirect.address) for redirect in onward.redirects}
        if key in self._seen and key not in came_from:
            alias = Alias(job.url, name(onward), job.hops, onward.redirects, copy=not job.asked)
            return self._emit(job, alias)
        self._seen.add(key)
        if self._bounds.stay:  # the line waits until it is known what the redirect leads to
            return self._frontier.again(onward)
        onward.group, onward.line = self._bounds.group(name(onward)), onward.server
        self._frontier.done(job)
        return self._frontier.push(onward)

    def _is_inside(self, job: Job, url: str) -> bool:
        """Whether a link or redirect of a page leads to where the crawl goes."""
        return self._bounds.scope(url) and (not self._bounds.stay or self._bounds.group(url) == job.group)

    def _with_links(self, job: Job, page: Page) -> Page:
        """Mark the links that are in scope, and queue them."""
        marked = tuple(link.scoped(inside=self._is_inside(job, link.url)) for link in page.links)
        if not page.nofollow:
            for link in marked:
                if link.in_scope:
                    self._follow_link(job, link)
            if page.canonical and self._is_inside(job, page.canonical):
                self._offer(page.canonical, page.canonical, job.hops + 1)
        return page.with_links(marked)

    def _follow_link(self, job: Job, link: Link) -> None:
        refreshes = job.refreshes + 1 if link.kind == "refresh" else 0
        if refreshes <= MAX_REFRESHES:
            self._offer(link.url, link.address, job.hops + 1, refreshes)

    def _offer(self, url: str, address: str, hops: int, refreshes: int = 0) -> None:
        """Queue a page unless it is known."""
        key = urls.key(url)
        if key in self._seen or not self._ledger.within_hops(hops):
            return
        self._seen.add(key)
        group, server = self._bounds.group(url), urls.server(address)
        line = group if self._bounds.stay else server
        # Of pages equally far, those nearer to the top of their server first: entry pages, not archives.
        order = (key.count("/"), key)
        self._pending += 1
        job = Job(url, address, server, hops, self._rank(address, hops), order, group, line, refreshes=refreshes)
        self._frontier.push(job)

    def _rank(self, address: str, hops: int) -> int:
        """Breadth first; a crawl that was recorded is replayed in its own order, so that budgets cut where they did."""
        if not self._web.is_recording:
            return hops
        memory = self._web.remembers(address)
        return memory.order if memory is not None and memory.order else _UNRECORDED + hops

    # Records

    def _fail(self, job: Job, fault: Fault, answer: Answer | None = None, *, told: Hop | None = None) -> None:
        """Give up on a page. Where an answer told us to, the answer is recorded; else the recorder is told."""
        copy = told is not None and answer is None
        memory = self._web.remembers(job.address)
        at = answer.at if answer is not None else memory.at if memory is not None else _now()
        if answer is None and self._recorder is not None and not copy:
            self._recorder.fault(job.address, fault, at)
        status = answer.status if answer is not None else told.status if told is not None else None
        why = (fault.reason, fault.detail, at, status)
        self._emit(job, Failed(job.url, job.address, job.hops, *why, job.redirects, copy))

    def _fail_parked(self, job: Job, why: str) -> None:
        if not job.robots_for:
            return self._fail(job, Fault(Reason.PARKED, why))
        # The server of the pages themselves may be another one; if not, they fail in their turn, as parked.
        return self._settle(job.robots_for, Fault(Reason.NO_ROBOTS, f"robots.txt is on a parked server: {why}"))

    def _emit(self, job: Job, record: Record, *, free: bool = False) -> None:
        """Give a record; `free` when its page is a copy that this run did not ask for."""
        cost = Cost.NOTHING if not job.paid else Cost.REQUEST if free else Cost.PAGE
        self._ledger.emitted(record, job.group, cost)
        self.stats.count(record, free=free)
        self._out.append(record)
        self._conclude(job)

    def _conclude(self, job: Job) -> None:
        """A page is done with: its line goes on."""
        self._pending -= 1
        self._frontier.done(job)

    def _refresh_stats(self) -> None:
        self.stats.queued = max(0, self._pending - self._flight.size)
        self.stats.servers = len(self._asker.servers)
        self.stats.requests = self._asker.requests
        self.stats.active = self._flight.size
        self.stats.seconds = self._ledger.seconds()


def _fetched(job: Job, answer: Answer, page: Page | None) -> Fetched:
    return Fetched(
        url=name(job),
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


def _hops(start: Start) -> int:
    return start.hops


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
