"""The seed graph and its growth (NCF, section 3): which sites are crawled, in which order, how far.

A run is a row of rounds. Each crawls the sites of its start URLs, all at once and each by itself; a start that leads to
another site is followed there in a round of its own. Between rounds the filters divide the servers that were crawled
whole, and the neighbors are collected as they stand then. Which pages are asked for depends on the question and on what
the Web answers, never on who answered first: a run that was killed starts again from its first round, takes what it has
from the store, and goes on.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from crawler import urls
from crawler.bounds import Bounds
from crawler.brake import Brake
from crawler.crawl import Crawl
from crawler.model import Alias, Budget, Cut, Failed, Fetched, Reason, Stats
from filters import chain
from ncf import aliases as names_of_servers
from ncf.aliases import Aliases, Said
from ncf.homes import Homes
from ncf.inlinks.base import chopped
from ncf.intake import Intake
from ncf.neighbors import Gate, Passed, Search
from ncf.store import graph, taken
from ncf.store.views import server_view

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from crawler.model import Record
    from crawler.notebook import Notebook
    from crawler.settings import Settings
    from crawler.web import Recorder, Web
    from filters.chain import Chain
    from filters.layout import Layout
    from filters.learned import Lesson
    from ncf.inlinks.base import InlinkSource
    from ncf.journal import Draft, Journal
    from ncf.neighbors import Beside, Neighbor
    from ncf.store.copies import StoredCopies
    from ncf.store.store import Store

CLIMB = -1  # in the journal, the step of rounds that look for a seed's front page: no sitting goes on from them
MAX_ROUNDS = 5  # of a step: a start that redirects to another site is followed there, so many times
PER_SITE = "pages-per-site"
COUNTED = ("fetched", "html", "unchanged", "copies", "failed", "refused_by_robots", "aliases", "requests", "bytes")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend. The first two are NCF's own numbers."""

    site_pages: int = 600  # of a site that is known from its URL
    server_pages: int = 300  # where only the server is known
    max_pages: int = 5_000  # in all
    sites_per_step: int = 100  # that are new to the store
    minutes: float | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """How the Web is reached."""

    settings: Settings
    web: Web | None = None
    recorder: Recorder | None = None
    notebook: Notebook | None = None
    brake: Brake = field(default_factory=Brake)


@dataclass(frozen=True, slots=True)
class Ground:
    """What a graph grows on."""

    store: Store
    filters: Chain
    access: Access
    journal: Journal | Draft
    gate: Gate
    copies: StoredCopies
    web: int = 0  # the number of the Web in the store
    said: Said = field(default_factory=Said)
    sources: Sequence[InlinkSource] = ()


@dataclass(slots=True)
class Outcome:
    """What became of the start URLs, by key."""

    failures: dict[str, str] = field(default_factory=dict)  # why it could not be had
    passing: set[str] = field(default_factory=set)  # of these, what may be had another time
    led_to: dict[str, str] = field(default_factory=dict)  # out of its site


@dataclass(frozen=True, slots=True)
class Waiting:
    """A site, or a server taken for one, that has more pages than the store."""

    home: str
    hops: int
    pages: int  # that are in the graph
    known: int  # that are linked to and not in the graph
    cap: int  # pages that it may have


class Growth:
    """A graph that grows step by step. Everything that is crawled goes to the store."""

    def __init__(self, ground: Ground, limits: Limits) -> None:
        self._ground = ground
        self._limits = limits
        self._lessons = ground.journal.lessons()
        self._namer = chain.Namer(ground.filters)
        self._judged: dict[str, Layout] = {}
        self._seen: dict[str, int] = {}  # of each server: pages when it was judged last
        self.homes = self._named(names_of_servers.of_person(ground.said))
        self.outcome = Outcome()
        self.passed: dict[str, Passed] = {}  # hubs, and what was excluded
        self.stopped = ""
        self.watch: Callable[[Record], None] | None = None
        self._placed: dict[str, int] = {}  # the homes of the graph, and the step in which each was met
        self._servers: set[str] = set()
        self._known: dict[str, bool] = {}  # of each home: whether a rule, or filters 0 to 2, name it from its URLs
        self._pages: Counter[str] = Counter()  # HTML pages that each home has
        self._intake = Intake(ground.store, ground.journal.run, ground.web)
        self._cut: list[Cut] = []
        self._before, self._now = Stats(), Stats()  # of the crawls that are over, and of the last one
        self._round = 0
        self._climbs = False
        self._partial = False  # whether this step leaves neighbors to the next run
        self._answered: dict[str, str] = {}  # servers that gave an answer in this sitting, and their authority
        self._around: Beside | None = None
        self._begun: list[tuple[str, int]] = []  # every start, and the step that it began in
        self._until = 0  # pages that may be had before this step ends
        self._deadline: float | None = None  # when it ends, on the clock that cannot be set
        self._started = time.monotonic()
        taken.begin(ground.store)

    @property
    def stats(self) -> Stats:
        """The counts of all crawls so far."""
        now = self._now
        total = Stats(
            seconds=time.monotonic() - self._started,
            servers=len(self._servers),
            queued=now.queued,
            active=now.active,
        )
        for name in COUNTED:
            setattr(total, name, getattr(self._before, name) + getattr(now, name))
        return total

    @property
    def sites(self) -> int:
        """How many sites, or servers taken for one, gave the graph a page."""
        return len(self._pages)

    @property
    def cut(self) -> list[Cut]:
        """What the budgets left undone, each thing once."""
        return list(dict.fromkeys(self._cut))

    async def seed(self, seeds: Iterable[str], steps: int) -> None:
        """Crawl the seeds' sites, or their servers where the sites are not known; `steps` more are to come."""
        given = list(dict.fromkeys(seeds))
        await self._grow(given, 0, steps)
        for seed in given:
            await self._climb(seed)
        if self._ground.access.settings.offline:
            self._note_missing(given)

    async def grow(self, number: int, steps: int) -> None:
        """One growth step: crawl the neighbors as they stand when it begins."""
        found = self._beside().ranked()
        settled = self._settled(number)
        starts = _starts(self._chosen(found)) if settled is None else settled
        self._tell_left(found, starts, number)
        await self._grow(starts, number, steps)

    async def _climb(self, seed: str) -> None:
        """A seed that leads nowhere on its server is chopped by a segment: its front page may stand there."""
        above: str | None = self.led(seed)
        if urls.key(self.led(seed)) in self.outcome.passing:
            return  # out of reach, as its front page would be: the next sitting begins with it again
        while above and not self.stopped and self._pages[self._home(self.led(seed))] <= 1:
            above = chopped(above)
            if (
                above
                and self._ground.gate.judge(above) is None
                and self.homes.of_address(above).server == self.homes.of_address(self.led(seed)).server
            ):
                self._climbs = True
                await self._step([above], 0)
                self._climbs = False
                self._settle()

    async def _grow(self, starts: Iterable[str], number: int, steps: int) -> None:
        """Crawl from the starts, then go on in the sites of servers that were crawled whole.

        Such a server was cut off as one site; the filters may find many in it, and each may have as many pages as a
        site that was known from its URL. What they lead to outside waits for the next step.
        """
        self._allot(steps)
        await self._step(starts, number)
        self._settle()
        for _ in range(MAX_ROUNDS):
            if self.stopped:
                return
            settled = self._settled(number)
            onward = [found for found in self._beside().ranked() if found[0] in self._placed]
            starts = _starts(onward) if settled is None else settled
            if not starts:
                return
            await self._step(starts, number)
            self._settle()

    def _settled(self, step: int) -> list[str] | None:
        """Where the coming round begins, when an earlier sitting has settled it."""
        return self._ground.journal.starts(self._round, step)

    async def _step(self, starts: Iterable[str], number: int) -> None:
        """Crawl the sites of these addresses; a start that leads to another site is followed there."""
        waiting = list(starts)
        for _ in range(MAX_ROUNDS):
            fresh = [start for start in waiting if self._is_open(self._home(start))]
            await self._crawl(list(dict.fromkeys(fresh)), number)
            led = [self.outcome.led_to[key] for key in map(urls.key, waiting) if key in self.outcome.led_to]
            waiting = [start for start in dict.fromkeys(led) if self._ground.gate.judge(start) is None]
            if not waiting or self.stopped:
                return

    def _home(self, address: str) -> str:
        home = self.homes.of_address(address)
        self._known[home.key] = home.known
        return home.key

    def _allot(self, steps: int) -> None:
        """What this step may spend: as much as each of those after it, for an answer needs all of them."""
        left = max(0, self._limits.max_pages - self._spent())
        self._until = self._spent() + -(-left // (steps + 1))
        if self._limits.minutes is not None:
            now = time.monotonic()
            self._deadline = now + max(0.0, self._limits.minutes * 60 - (now - self._started)) / (steps + 1)

    def _spent(self) -> int:
        stats = self.stats
        return stats.html + stats.unchanged

    async def _crawl(self, starts: Sequence[str], number: int) -> None:
        """One round."""
        homes = {self._home(start) for start in starts}
        if not homes:
            return
        seen = graph.keys_of(self._ground.store, {home.partition("/")[0] for home in homes & self._placed.keys()})
        self._placed.update((home, number) for home in sorted(homes) if home not in self._placed)
        self._begun += [(start, number) for start in starts]
        here, self._round, self._around = self._round, self._round + 1, None
        self._ground.journal.begin(here, CLIMB if self._climbs else number, starts, self._met(homes))
        crawl = self._crawler(starts, homes, seen)
        self._before, self._now = self.stats, crawl.stats
        passing = news = False
        async with aclosing(cast("AsyncGenerator[Record]", crawl.records())) as records:
            async for record in records:
                self._take(record, number)
                failed = isinstance(record, Failed) and record.passing
                passing, news = passing or failed, news or not (failed or record.copy)
        self._intake.flush()
        if news:
            self._ground.journal.reopen(here)
        self._cut += [cut for cut in crawl.cut if cut.what != PER_SITE]  # told at the end: a site may go on
        self.stopped = crawl.stopped
        if not crawl.cut and not passing and not self._partial:
            self._ground.journal.complete(here)

    def _crawler(self, starts: Sequence[str], homes: set[str], seen: Collection[str]) -> Crawl:
        ground, of, excluded = self._ground, self.homes.of, self._ground.gate.excluded
        caps = {home: self._cap(home) - self._pages[home] for home in homes}
        return Crawl(
            starts,
            scope=Bounds(
                lambda url: of(url).key in homes and not excluded.matches(url),
                lambda url: of(url).key,
                stay=True,
                groups=frozenset(homes),
            ),
            budget=Budget(
                max_pages=max(0, self._until - self._spent()),
                max_pages_per_group=lambda name: caps.get(name, 0),
                max_seconds=None if self._deadline is None else max(0.0, self._deadline - time.monotonic()),
            ),
            settings=ground.access.settings,
            web=ground.access.web,
            recorder=ground.access.recorder,
            notebook=ground.access.notebook,
            copies=ground.copies,
            brake=ground.access.brake,
            seen=seen,
            known=self._answered,
        )

    def _cap(self, home: str) -> int:
        """How many pages a home may have: a site that is known from its URL, or all of a server."""
        return self._limits.site_pages if self._known.get(home) else self._limits.server_pages

    def _is_open(self, home: str) -> bool:
        """Whether more pages of a home may be asked for: the graph lacks it, or it has not had all that it may."""
        return home not in self._placed or self._pages[home] < self._cap(home)

    def _met(self, homes: Iterable[str]) -> Mapping[str, Lesson | None]:
        """How the servers of these homes are known as this run meets them."""
        return {server: self._lessons.get(server) for server in sorted({home.partition("/")[0] for home in homes})}

    def _take(self, record: Record, number: int) -> None:
        self._intake.take(record, number)
        if record.hops == 0:
            self._note_start(record)
        if isinstance(record, Fetched) and record.is_page:
            home = self.homes.of(record.url)
            self._pages[home.key] += 1
            self._servers.add(home.server)
        if self.watch:
            self.watch(record)

    def _note_start(self, record: Record) -> None:
        key = urls.key(record.asked if isinstance(record, Fetched) else record.url)
        if isinstance(record, Failed) and record.reason is Reason.REDIRECT_SCOPE and record.redirects:
            self.outcome.led_to[key] = record.redirects[-1].target
        elif why := why_useless(record):
            self.outcome.failures[key] = why
            if isinstance(record, Failed) and record.passing:
                self.outcome.passing.add(key)

    def _note_missing(self, seeds: Iterable[str]) -> None:
        """Offline a seed that the store does not have gives no record at all."""
        ends = {urls.canonical(self.led(seed)) or seed for seed in seeds}
        for url in graph.untaken(self._ground.store, ends).keys() | {end for end in ends if not self._has_row(end)}:
            self.outcome.failures[urls.key(url)] = "it is not in the store, and --offline asks nobody"

    def _has_row(self, url: str) -> bool:
        return self._ground.store.id_of(urls.key(url)) is not None

    def led(self, seed: str) -> str:
        """The address that a seed leads to, through redirects to other sites."""
        seen = [seed]
        while (target := self.outcome.led_to.get(urls.key(seen[-1]))) is not None and target not in seen:
            seen.append(target)
        return seen[-1]

    # Between steps

    def _settle(self) -> None:
        """Divide the servers that were crawled whole, join those that moved, and see which sites the graph has."""
        ground = self._ground
        found = list(graph.taken(ground.store))
        with taken.lens(ground.store):
            joined = names_of_servers.of_store(ground.store, ground.said)
            pages = Counter(joined.server(urls.server(url)) for url, _, html in found if html)
            for server, had in sorted(pages.items()):
                if had != self._seen.get(server):
                    self._divide(server, joined)
        self._seen = dict(pages)
        self.homes = self._named(joined)
        self._placed, self._pages, self._known = {}, Counter(), {}
        for url, hops, html in found:
            home = self.homes.of(url)
            self._known[home.key] = home.known
            self._placed[home.key] = min(hops, self._placed.get(home.key, hops))
            if html:
                self._pages[home.key] += 1

    def _divide(self, server: str, joined: Aliases) -> None:
        """Judge a server by what this run has seen of it."""
        store = self._ground.store
        layout = chain.decide(server_view(store, server, joined.names(server)), self._ground.filters)
        if layout.rules:
            self._judged[server] = layout
        else:
            self._judged.pop(server, None)

    def _named(self, joined: Aliases) -> Homes:
        return Homes(self._namer, joined, dict(self._judged))

    def _beside(self) -> Beside:
        """What stands beside the graph as it is; looked for once between two crawls."""
        if self._around is None:
            self._around = self._searched()
        return self._around

    def _searched(self) -> Beside:
        ground = self._ground
        found = Search(ground.store, self.homes, self._is_open, ground.gate, ground.sources).around()
        for key, passed in found.passed.items():
            self.passed.setdefault(key, passed).beside.update(passed.beside)
        return found

    def waiting(self) -> list[Waiting]:
        """The homes of the graph that more could be asked of: what a plan is made of."""
        rows = graph.outward(self._ground.store)
        names = graph.urls(self._ground.store, set(rows[:, 0].tolist()))
        known = Counter(self.homes.of(url).key for url, _ in names.values())
        placed = {self._home(start): hops for start, hops in reversed(self._begun)} | self._placed
        return [
            Waiting(home, hops, self._pages[home], known[home], self._cap(home))
            for home, hops in sorted(placed.items())
            if self._is_open(home) and (known[home] or home not in self._placed)
        ]

    def close(self) -> None:
        """The run ends: say of which sites there would have been more."""
        rows = graph.outward(self._ground.store)
        names = graph.urls(self._ground.store, set(rows[:, 0].tolist()))
        homes = (self.homes.of(url).key for url, _ in names.values())
        full = Counter(home for home in homes if home in self._placed and not self._is_open(home))
        self._cut += [
            Cut(PER_SITE, f"{more} known pages of {home} were not asked for") for home, more in sorted(full.items())
        ]

    def _chosen(self, ranked: Iterable[tuple[str, Neighbor]]) -> Iterator[tuple[str, Neighbor]]:
        """The neighbors that a step crawls: sites that go on, all that the store has, and the first of the others."""
        new = 0
        for key, neighbor in ranked:
            known = key in self._placed or self._is_held(neighbor)
            new += not known
            if known or new <= self._limits.sites_per_step:
                yield key, neighbor

    def _tell_left(self, ranked: Sequence[tuple[str, Neighbor]], starts: Iterable[str], number: int) -> None:
        chosen = set(map(urls.key, starts))
        left = sum(chosen.isdisjoint(map(urls.key, neighbor.starts)) for _, neighbor in ranked)
        self._partial = left > 0
        if left:
            detail = f"{left} of {len(ranked)} neighbor sites were not crawled in step {number}"
            self._cut.append(Cut("sites-per-step", detail))

    def _is_held(self, neighbor: Neighbor) -> bool:
        return any(self._ground.copies.had(url) for url in neighbor.starts)


def _starts(chosen: Iterable[tuple[str, Neighbor]]) -> list[str]:
    return [neighbor.starts[url] for _, neighbor in chosen for url in sorted(neighbor.starts)]


def why_useless(record: Record) -> str:
    """Why nothing can be learned from a start page; empty when something can."""
    match record:
        case Failed():
            return record.detail or str(record.reason)
        case Fetched(page=None, unchanged=False):
            return f"it is not an HTML page ({record.content_type or 'of no declared type'})"
        case Fetched(length=0, unchanged=False):
            return "it is empty"
        case Fetched() | Alias():
            return ""
