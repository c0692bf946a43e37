"""The story, in the order the paper tells it: seed graph, growth, sites, mutual links, communities."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Cut
from ncf import aliases
from ncf import sites as naming
from ncf.aliases import Said
from ncf.atlas import Atlas
from ncf.communities.cliques import LIMIT, cliques, rank
from ncf.errors import SeedsError
from ncf.growth import Access, Growth, Limits
from ncf.labels import Labels, front
from ncf.result import Community, LinkRow, Result, SiteRow
from ncf.sitegraph import Names, PageLink, SiteGraph, collapse, mutual

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.model import Record, Stats
    from filters.chain import Chain
    from ncf.store.store import Store, StoredPage

    Watch = Callable[[Record, Stats, int], None]  # a record, the counts so far, the growth step

METHODS = ("cliques",)


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
    said: Said = field(default_factory=Said)  # what a person said about names of servers


async def find(question: Question, means: Means, watch: Watch | None = None) -> Result:
    """Find the communities around the seeds; raises SeedsError when none of them can be had."""
    run = means.store.start_run("find", asdict(question))
    names = aliases.of_store(means.store, means.said)
    growth = Growth(means.store, means.filters, means.access, question.limits, names)
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
        self._hosts = growth.hosts
        self._names = Names({source: target for source, target, _ in means.store.aliases()})
        self._links = [PageLink(*link) for link in means.store.links(self._hosts)]
        self._atlas = Atlas(means.store, means.filters, means.said, self._hosts)
        self._atlas.join_sites(self._hosts, means.said)
        self._pages = self._pages_by_site()
        self._labels = self._names_of_sites()

    def _site(self, url: str) -> str:
        """The key of a page's site; none when the page lies outside of what was crawled."""
        return self._atlas.site(url).key if urls.server(url) in self._hosts else ""

    def _pages_by_site(self) -> dict[str, list[StoredPage]]:
        pages: dict[str, list[StoredPage]] = defaultdict(list)
        for page in self._store.fetched(self._hosts):
            if self._growth.home(page.url).key in self._growth.hops:
                pages[self._site(page.url)].append(page)
        return pages

    def _names_of_sites(self) -> dict[str, str]:
        labels = Labels()
        for key, pages in self._pages.items():
            for page in pages:
                labels.saw(key, page.address)
        return {key: labels.name(key) for key in self._pages}

    def result(self, run: int) -> Result:
        """Collapse, find the communities, and put all of it into the words of the contract."""
        self._atlas.learn()
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
            aliases=self._aliases(),
            links=tuple(self._link_rows(graph)),
            communities=tuple(self._community(place, clique, seeds) for place, clique in enumerate(ranked, 1)),
            stats=_stats(self._growth.stats),
            seed_failures=_seed_failures(self._question.seeds, self._growth),
        )

    def _aliases(self) -> dict[str, str]:
        """Names that were met and mean another server or site of the graph."""
        found = {old: new for old, new in self._growth.spellings.items() if new in self._hosts}
        joins = (*self._atlas.aliases.servers.values(), *self._atlas.aliases.sites.values())
        found |= {join.name: join.of for join in joins if join.of.partition("/")[0] in self._hosts}
        return dict(sorted(found.items()))

    def _seed_page(self, seed: str) -> str:
        end = _seed_end(seed, self._growth)
        return urls.canonical(end) or end

    def _hops(self, pages: list[StoredPage]) -> int:
        return min(self._growth.hops[self._growth.home(page.url).key] for page in pages)

    def _site_row(self, key: str, hops: int) -> SiteRow:
        pages = self._pages[key]
        first = front(pages)
        site = self._atlas.site(pages[0].url)
        return SiteRow(
            self._labels[key], site.server, first.title if first else "", len(pages), hops, site.rule or naming.REST
        )

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


def _stats(stats: Stats) -> dict[str, float]:
    return {
        "fetched": stats.fetched,
        "cached": stats.unchanged,
        "failed": stats.failed,
        "refused_by_robots": stats.refused_by_robots,
        "seconds": round(stats.seconds, 1),
    }
