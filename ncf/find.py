"""The story, in the order the paper tells it: seed graph, growth, sites, mutual links, communities."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Cut
from filters.base import Rule
from ncf import sites as naming
from ncf.communities.cliques import LIMIT, cliques, rank
from ncf.errors import SeedsError
from ncf.growth import Access, Growth, Limits
from ncf.result import Community, LinkRow, Result, SiteRow
from ncf.sitegraph import Names, PageLink, SiteGraph, collapse, mutual

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.model import Record, Stats
    from filters.chain import Chain
    from filters.layout import Layout
    from ncf.store.store import Store, StoredPage

    Watch = Callable[[Record, Stats, int], None]  # a record, the counts so far, the growth step

METHODS = ("cliques",)
_REST = Rule("/", 1, "none", "no filter has an opinion: what is left of a server is its administrator's site")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for."""

    seeds: tuple[str, ...]  # addresses
    growth: int = 1
    method: str = "cliques"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Means:
    """What it is answered with."""

    store: Store
    filters: Chain
    access: Access


async def find(question: Question, means: Means, watch: Watch | None = None) -> Result:
    """Find the communities around the seeds; raises SeedsError when none of them can be had."""
    run = means.store.start_run("find", asdict(question))
    growth = Growth(means.store, means.filters, means.access, question.limits)
    for step in range(question.growth + 1):
        growth.watch = _watcher(watch, growth, step)
        if step == 0:
            await growth.step(question.seeds, 0)
            _check_seeds(question.seeds, growth)
        else:
            await growth.grow(step)
    return _Survey(question, means, growth).result(run)


def _watcher(watch: Watch | None, growth: Growth, step: int) -> Callable[[Record], None] | None:
    return (lambda record: watch(record, growth.stats, step)) if watch else None


def _seed_end(seed: str, growth: Growth) -> str:
    """The address that a seed leads to, through redirects to other sites."""
    seen = [seed]
    while (target := growth.outcome.led_to.get(urls.key(seen[-1]))) is not None and target not in seen:
        seen.append(target)
    return seen[-1]


def _seed_failures(seeds: tuple[str, ...], growth: Growth) -> dict[str, str]:
    ends = {seed: urls.key(_seed_end(seed, growth)) for seed in seeds}
    return {seed: growth.outcome.failures[end] for seed, end in ends.items() if end in growth.outcome.failures}


def _check_seeds(seeds: tuple[str, ...], growth: Growth) -> None:
    failures = _seed_failures(seeds, growth)
    if len(failures) == len(set(seeds)):
        raise SeedsError("\n".join(f"{seed} could not be used: {why}" for seed, why in failures.items()))


class _Survey:
    """The graph of a run, read from the store and put into sites."""

    def __init__(self, question: Question, means: Means, growth: Growth) -> None:
        self._question = question
        self._growth = growth
        self._store = means.store
        self._servers = {key.partition("/")[0] for key in growth.hops}
        self._names = Names({source: target for source, target, _ in means.store.aliases()})
        self._links = [PageLink(*link) for link in means.store.links(self._servers)]
        self._layouts = self._divide(means.filters)
        self._pages = self._pages_by_site()
        self._labels = {key: _label(key, pages) for key, pages in self._pages.items()}

    def _divide(self, filters: Chain) -> Mapping[str, Layout]:
        known = {page.url for page in self._store.fetched(self._servers)}
        known.update(self._names.page(link.target) for link in self._links)
        return naming.layouts_of(sorted(known), filters)

    def _site(self, url: str) -> str:
        return naming.site_of(url, self._layouts).key

    def _pages_by_site(self) -> dict[str, list[StoredPage]]:
        pages: dict[str, list[StoredPage]] = defaultdict(list)
        for page in self._store.fetched(self._servers):
            if self._growth.home(page.url).key in self._growth.hops:
                pages[self._site(page.url)].append(page)
        return pages

    def result(self, run: int) -> Result:
        """Collapse, find the communities, and put all of it into the words of the contract."""
        graph = collapse(self._pages, self._links, self._site, self._names)
        hops = {key: self._hops(pages) for key, pages in self._pages.items()}
        seeds = frozenset(self._site(self._names.page(self._seed_page(seed))) for seed in self._question.seeds)
        found = cliques(mutual(graph))
        ranked = rank(found.found, seeds, hops)
        limit = () if found.complete else (Cut("cliques", f"only {LIMIT} communities are listed"),)
        return Result(
            run=run,
            seeds=self._question.seeds,
            growth=self._question.growth,
            method=self._question.method,
            cut=(*self._growth.cut, *limit),
            sites=tuple(
                self._site_row(key, hops[key]) for key in sorted(self._pages, key=lambda key: (hops[key], key))
            ),
            aliases={old: new for old, new in sorted(self._growth.aliases.items()) if new in self._servers},
            links=tuple(self._link_rows(graph)),
            communities=tuple(self._community(place, clique, seeds) for place, clique in enumerate(ranked, 1)),
            stats=_stats(self._growth.stats),
            seed_failures=_seed_failures(self._question.seeds, self._growth),
        )

    def _seed_page(self, seed: str) -> str:
        end = _seed_end(seed, self._growth)
        return urls.canonical(end) or end

    def _hops(self, pages: list[StoredPage]) -> int:
        return min(self._growth.hops[self._growth.home(page.url).key] for page in pages)

    def _site_row(self, key: str, hops: int) -> SiteRow:
        pages = self._pages[key]
        # The page at the top of the site names it; a site without one is named by the page nearest to it.
        front = min(pages, key=lambda page: (not page.title, page.url.count("/"), len(page.url), page.url))
        site = naming.site_of(pages[0].url, self._layouts)
        return SiteRow(self._labels[key], site.server, front.title, len(pages), hops, site.rule or _REST)

    def _link_rows(self, graph: SiteGraph) -> list[LinkRow]:
        return [
            LinkRow(
                self._labels[source],
                self._labels[target],
                edge["count"],
                graph.has_edge(target, source),
                edge["evidence"][0],
            )
            for source, target, edge in sorted(graph.edges(data=True), key=lambda edge: edge[:2])
        ]

    def _community(self, place: int, clique: tuple[str, ...], seeds: frozenset[str]) -> Community:
        inside = tuple(self._labels[key] for key in clique if key in seeds)
        return Community(place, tuple(self._labels[key] for key in clique), inside)


def _label(key: str, pages: list[StoredPage]) -> str:
    """The site's name: http, unless all its pages came by https."""
    schemes = Counter(urls.split(page.address).scheme for page in pages)
    return naming.name(key, "https" if schemes and set(schemes) == {"https"} else "http")


def _stats(stats: Stats) -> dict[str, float]:
    return {
        "fetched": stats.fetched,
        "cached": stats.unchanged,
        "failed": stats.failed,
        "refused_by_robots": stats.refused_by_robots,
        "seconds": round(stats.seconds, 1),
    }
