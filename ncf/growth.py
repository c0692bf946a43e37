"""The seed graph and its growth (NCF, section 3): which sites are crawled, in which order, how far."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from crawler import urls
from crawler.crawl import Crawl
from crawler.model import Alias, Budget, Cut, Failed, Fetched, Reason, Stats
from filters import chain
from ncf.aliases import Aliases
from ncf.sitegraph import Names

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Sequence

    from crawler.model import Record
    from crawler.notebook import Notebook
    from crawler.settings import Settings
    from crawler.web import Recorder, Web
    from filters.chain import Chain
    from ncf.store.store import Store

MAX_ROUNDS = 5  # a start that redirects to another site is followed there, so many times


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend. The first two are NCF's own numbers."""

    site_pages: int = 600  # of a site that is known from its URL
    server_pages: int = 300  # where only the server is known
    max_pages: int = 5_000  # in all
    sites_per_step: int = 100
    minutes: float | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """How the Web is reached."""

    settings: Settings
    web: Web | None = None
    recorder: Recorder | None = None
    notebook: Notebook | None = None


@dataclass(frozen=True, slots=True)
class Home:
    """Where a URL belongs before anything is crawled: a known site, or the rest of its server."""

    key: str
    known: bool


def home_finder(filters: Chain, aliases: Aliases) -> Callable[[str], Home]:
    """What the filters can tell from a URL alone."""
    namer = chain.Namer(filters)

    @lru_cache(maxsize=65536)
    def home(url: str) -> Home:
        server = aliases.server(urls.server(url))
        prefix, rule = namer.site(server, urls.split(url).path)
        return Home(server + prefix, known=rule is not None)

    return home


@dataclass(slots=True)
class Neighbor:
    """A site that the graph's sites link to."""

    starts: set[str] = field(default_factory=set)  # canonical URLs
    linked_from: set[str] = field(default_factory=set)
    links: int = 0


@dataclass(slots=True)
class Outcome:
    """What became of the start URLs, by key."""

    failures: dict[str, str] = field(default_factory=dict)  # why it could not be had
    led_to: dict[str, str] = field(default_factory=dict)  # out of its site


class Growth:
    """A graph that grows step by step. Everything that is crawled goes to the store."""

    def __init__(
        self, store: Store, filters: Chain, access: Access, limits: Limits, aliases: Aliases = Aliases()
    ) -> None:
        self.home = home_finder(filters, aliases)
        self.hops: dict[str, int] = {}  # of every home that was crawled: the step in which it was
        self.spellings: dict[str, str] = {}  # hosts with `www.` that were met, and the server they mean
        self._names = aliases
        self.outcome = Outcome()
        self.watch: Callable[[Record], None] | None = None
        self._cut: list[Cut] = []
        self._store = store
        self._access = access
        self._limits = limits
        self._done: list[Stats] = []
        self._started = time.monotonic()

    @property
    def stats(self) -> Stats:
        """The counts of all crawls so far."""
        servers = len({key.partition("/")[0] for key in self.hops})
        total = Stats(seconds=time.monotonic() - self._started, servers=servers)
        for stats in self._done:
            for name in ("fetched", "html", "unchanged", "failed", "refused_by_robots", "aliases", "requests", "bytes"):
                setattr(total, name, getattr(total, name) + getattr(stats, name))
        if self._done:
            total.queued, total.active = self._done[-1].queued, self._done[-1].active
        return total

    @property
    def hosts(self) -> frozenset[str]:
        """The servers that were crawled, under all their names."""
        servers = {key.partition("/")[0] for key in self.hops}
        return frozenset(servers.union(*(self._names.names(server) for server in servers)))

    @property
    def cut(self) -> list[Cut]:
        """What the budgets left undone, each thing once."""
        return list(dict.fromkeys(self._cut))

    async def step(self, starts: Iterable[str], number: int) -> None:
        """Crawl the sites of these addresses; a start that leads to another site is followed there."""
        waiting = list(starts)
        for _ in range(MAX_ROUNDS):
            fresh = [start for start in waiting if self._home_of(start).key not in self.hops]
            for known, cap in ((True, self._limits.site_pages), (False, self._limits.server_pages)):
                await self._crawl([start for start in fresh if self._home_of(start).known is known], cap, number)
            waiting = [self.outcome.led_to[key] for key in map(urls.key, waiting) if key in self.outcome.led_to]
            if not waiting:
                return

    def _home_of(self, address: str) -> Home:
        return self.home(urls.canonical(address) or address)

    async def _crawl(self, starts: Sequence[str], cap: int, number: int) -> None:
        homes = {self._home_of(start).key for start in starts}
        if not homes or not self._affords(len(homes)):
            return
        self.hops.update(dict.fromkeys(homes, number))
        crawl = Crawl(
            starts,
            scope=lambda url: self.home(url).key in homes,
            budget=self._budget(cap),
            settings=self._access.settings,
            web=self._access.web,
            recorder=self._access.recorder,
            notebook=self._access.notebook,
            group=lambda url: self.home(url).key,
        )
        self._done.append(crawl.stats)
        async with aclosing(cast("AsyncGenerator[Record]", crawl.records())) as records:
            async for record in records:
                self._take(record)
        self._cut += crawl.cut

    def _affords(self, homes: int) -> bool:
        """Whether anything is left to spend; says what is not crawled when nothing is."""
        budget, left = self._budget(0), f"{homes} sites were not crawled at all"
        if budget.max_pages == 0:
            self._cut.append(Cut("max-pages", left))
        elif budget.max_seconds == 0:
            self._cut.append(Cut("minutes", left))
        else:
            return True
        return False

    def _budget(self, cap: int) -> Budget:
        seconds = None if self._limits.minutes is None else self._limits.minutes * 60 - self.stats.seconds
        return Budget(
            max_pages=max(0, self._limits.max_pages - self.stats.html),
            max_pages_per_group=cap,
            max_seconds=None if seconds is None else max(0.0, seconds),
        )

    def _take(self, record: Record) -> None:
        self._store.keep(record)
        self._note_spelling(record)
        if record.hops == 0:
            self._note_start(record)
        if self.watch:
            self.watch(record)

    def _note_spelling(self, record: Record) -> None:
        """Where both `www.host` and `host` are met, they are one server."""
        seen = [hop.address for hop in record.redirects]
        if isinstance(record, Fetched):
            seen += [record.address, *(link.address for link in (record.page.links if record.page else ()))]
        for address in seen:
            netloc, server = urls.split(address).netloc, urls.server(address)
            if netloc != server:
                self.spellings[netloc] = server

    def _note_start(self, record: Record) -> None:
        key = urls.key(record.asked if isinstance(record, Fetched) else record.url)
        if isinstance(record, Failed) and record.reason is Reason.REDIRECT_SCOPE and record.redirects:
            self.outcome.led_to[key] = record.redirects[-1].target
        elif why := why_useless(record):
            self.outcome.failures[key] = why

    def neighbors(self) -> list[tuple[str, Neighbor]]:
        """The sites that the graph links to and that are not in it, those that most of its sites link to first."""
        found: dict[str, Neighbor] = defaultdict(Neighbor)
        names = Names({source: target for source, target, _ in self._store.aliases()})
        for source, target, count in self._store.links(self.hosts):
            origin, page = self.home(source).key, names.page(target)
            place = self.home(page).key
            if origin in self.hops and place not in self.hops:
                neighbor = found[place]
                neighbor.starts.add(page)
                neighbor.linked_from.add(origin)
                neighbor.links += count
        return sorted(found.items(), key=lambda item: (-len(item[1].linked_from), -item[1].links, item[0]))

    async def grow(self, number: int) -> None:
        """One growth step: crawl the neighbors as they stand when it begins."""
        neighbors = self.neighbors()
        taken = neighbors[: self._limits.sites_per_step]
        if len(taken) < len(neighbors):
            left = f"{len(neighbors) - len(taken)} of {len(neighbors)} neighbor sites were not crawled in step {number}"
            self._cut.append(Cut("sites-per-step", left))
        await self.step((self._store.address(page) for _, one in taken for page in sorted(one.starts)), number)


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
