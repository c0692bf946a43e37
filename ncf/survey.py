"""The graph of a run, read from the store, put into sites, and told in the words of the contract."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crawler import urls
from ncf import sites as naming
from ncf.atlas import Atlas
from ncf.communities.cliques import cliques, rank
from ncf.labels import Labels, front
from ncf.result import Community, HubRow, LinkRow, Result, SiteRow
from ncf.sitegraph import NOWHERE, PageGraph, collapse, ends, mutual
from ncf.store import claims
from ncf.store import graph as stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawler.model import Stats
    from filters.chain import Chain
    from ncf.aliases import Said
    from ncf.growth import Growth
    from ncf.neighbors import Passed
    from ncf.sitegraph import SiteGraph
    from ncf.store.graph import Node
    from ncf.store.store import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """What the result answers."""

    run: int
    seeds: tuple[str, ...]
    growth: int
    method: str = "cliques"
    providers: tuple[str, ...] = ()  # of in-link claims


class Survey:
    """The pages that a run took, in sites.

    Everything that is known of a server decides how it is divided: late evidence moves pages, and nothing is fetched.
    """

    def __init__(self, store: Store, filters: Chain, said: Said) -> None:
        self._store = store
        self._nodes = stored.pages(store)
        self._servers = stored.servers(store)
        self._atlas = Atlas(store, filters, said, self._servers)
        self._atlas.join_sites(self._servers, said)
        self._hosts = frozenset(map(self._atlas.aliases.server, self._servers))
        self._pages = self._by_site()
        self.labels = self._names()

    def _site(self, url: str) -> str:
        """The key of a page's site; empty when its server is none of the graph's."""
        if self._atlas.aliases.server(urls.server(url)) not in self._hosts:
            return ""
        return self._atlas.site(url).key

    def _by_site(self) -> dict[str, list[Node]]:
        pages: dict[str, list[Node]] = defaultdict(list)
        for node in self._nodes:
            pages[self._site(node.url)].append(node)
        return dict(sorted(pages.items()))

    def _names(self) -> dict[str, str]:
        labels = Labels()
        for key, pages in self._pages.items():
            for page in pages:
                labels.saw(key, page.address)
        return {key: labels.name(key) for key in self._pages}

    def learn(self) -> None:
        """Keep what was found about servers in the store's part of the filter database."""
        self._atlas.learn()

    def graph(self) -> SiteGraph:
        """The inter-site graph, its sites by key."""
        links, leads = stored.links(self._store), ends(stored.leads(self._store))
        sources, targets = _led(links[:, 0], leads), _led(links[:, 1], leads)
        ids = np.unique(np.concatenate([sources, targets]))
        names = stored.urls(self._store, ids.tolist())
        order = sorted(range(len(ids)), key=lambda at: names[int(ids[at])][0])
        place = np.empty(len(ids), dtype=np.int64)
        place[order] = np.arange(len(ids))
        pages = [names[int(ids[at])][0] for at in order]
        number = {key: at for at, key in enumerate(self._pages)}
        sites = np.array([number.get(self._site(url), NOWHERE) for url in pages], dtype=np.int64)
        found = PageGraph(
            pages, sites, place[np.searchsorted(ids, sources)], place[np.searchsorted(ids, targets)], links[:, 2]
        )
        return collapse(list(self._pages), found)

    def result(self, asked: Asked, growth: Growth, failures: Mapping[str, str]) -> Result:
        """The communities, and all of it in the words of the contract."""
        graph = self.graph()
        hops = {key: min(page.hops for page in pages) for key, pages in self._pages.items()}
        seeds = self._seeds(asked.seeds, growth)
        found = cliques(mutual(graph), first=sorted(seeds))
        ranked = rank(found.found, seeds, hops)
        return Result(
            run=asked.run,
            seeds=asked.seeds,
            growth=asked.growth,
            method=asked.method,
            cut=(*growth.cut, *found.cut),
            sites=tuple(
                self._site_row(key, hops[key]) for key in sorted(self._pages, key=lambda key: (hops[key], key))
            ),
            aliases=self._aliases(),
            links=tuple(self._link_rows(graph)),
            communities=tuple(self._community(place, clique, seeds) for place, clique in enumerate(ranked, 1)),
            stats=_stats(growth.stats),
            seed_failures=failures,
            hubs=tuple(_hub_rows(growth.passed)),
            claims=claims.tally(self._store, asked.providers),
        )

    def _seeds(self, addresses: Iterable[str], growth: Growth) -> frozenset[str]:
        """The sites that the seeds turned out to be."""
        leads = ends(stored.leads(self._store))
        found = set[str]()
        for address in addresses:
            end = growth.led(address)
            number = self._store.id_of(urls.key(end))
            name = stored.urls(self._store, [leads.get(number, number)]) if number is not None else {}
            found.update(self._site(url) for url, _ in name.values())
        return frozenset(found & self._pages.keys())

    def _aliases(self) -> dict[str, str]:
        """Names that were met and mean another server or site of the graph."""
        found = {f"www.{server}": server for server, www in self._servers.items() if www}
        joins = (*self._atlas.aliases.servers.values(), *self._atlas.aliases.sites.values())
        found |= {join.name: join.of for join in joins if join.of.partition("/")[0] in self._hosts}
        return dict(sorted(found.items()))

    def _site_row(self, key: str, hops: int) -> SiteRow:
        pages = self._pages[key]
        first = front(pages)
        site = self._atlas.site(pages[0].url)
        return SiteRow(
            self.labels[key], site.server, first.title if first else "", len(pages), hops, site.rule or naming.REST
        )

    def _link_rows(self, graph: SiteGraph) -> list[LinkRow]:
        names = self.labels
        return [
            LinkRow(names[source], names[target], edge["count"], graph.has_edge(target, source), edge["evidence"])
            for source, target, edge in sorted(graph.edges(data=True), key=lambda edge: edge[:2])
        ]

    def _community(self, place: int, clique: tuple[str, ...], seeds: frozenset[str]) -> Community:
        inside = tuple(self.labels[key] for key in clique if key in seeds)
        return Community(place, tuple(self.labels[key] for key in clique), inside)


def _led(ids: stored.Numbers, leads: Mapping[int, int]) -> stored.Numbers:
    """Each number, or where it leads."""
    if not leads or not len(ids):
        return ids
    known = np.array(sorted(leads), dtype=np.int64)
    targets = np.array([leads[name] for name in known.tolist()], dtype=np.int64)
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[at] == ids, targets[at], ids)


def _hub_rows(passed: Mapping[str, Passed]) -> Iterable[HubRow]:
    """What was not grown through, what most sites are linked with first."""
    for key, one in sorted(passed.items(), key=lambda item: (-len(item[1].beside), item[0])):
        yield HubRow(naming.name(key), one.kind, one.pattern, len(one.beside))


def _stats(stats: Stats) -> dict[str, float]:
    return {
        "fetched": stats.fetched,
        "cached": stats.unchanged + stats.copies,
        "failed": stats.failed,
        "refused_by_robots": stats.refused_by_robots,
        "requests": stats.requests,
        "seconds": round(stats.seconds, 1),
    }
