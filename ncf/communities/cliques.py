"""Communities as maximal cliques of the mutual-link graph (NCF, section 3).

A clique is a set of sites that all link to each other; it is maximal when no site can be added. There can be 3^(n/3) of
them, so they are produced one by one and counted against limits; a limit that is hit is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.model import Cut
from ncf.communities.links import Links, of_graph
from ncf.communities.search import EFFORT, Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ncf.sitegraph import MutualGraph

LIMIT = 100_000  # cliques that are kept; a person reads the first few
MEMBERS = 2_000_000  # sites in all of them together: what they cost in memory and in a file
FAR = 1 << 30  # the distance of a site that the seeds do not reach


@dataclass(frozen=True, slots=True)
class Cliques:
    """The cliques by name, and what kept them from being all there are."""

    found: tuple[tuple[str, ...], ...]
    cut: tuple[Cut, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether they are all there are."""
        return not self.cut


def cliques(
    graph: MutualGraph | Links,
    *,
    min_size: int = 2,
    limit: int = LIMIT,
    first: Sequence[str] = (),
    members: int = MEMBERS,
    effort: int = EFFORT,
) -> Cliques:
    """The maximal cliques of at least `min_size` sites, each in alphabetical order.

    When a limit ends the search, it has found those first that hold one of the `first`, and then those of the densest
    part of the graph. How the graph was put together makes no difference.

    >>> import networkx as nx
    >>> cliques(nx.Graph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])).found
    (('a', 'b', 'c'), ('c', 'd'))
    """
    links = graph if isinstance(graph, Links) else of_graph(graph)
    search = Search(links, min_size, first, effort)
    found: list[tuple[str, ...]] = []
    size = 0
    why = ""
    for clique in search:
        size += len(clique)
        if len(found) == limit:
            why = f"the search ended at {limit:,} communities; there are more"
        elif size > members:
            why = f"the search ended at {members:,} sites in all communities together; there are more"
        if why:
            break
        found.append(clique)
    cut = [Cut("limit", why)] if why else []
    if search.ended_early:
        cut.append(Cut("effort", f"the search ended after {search.spent:,} steps; there may be more communities"))
    return Cliques(tuple(sorted(found)), tuple(cut))


def rank(found: Iterable[tuple[str, ...]], seeds: frozenset[str], hops: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Most relevant first: those that hold a seed, then by distance to the seeds, then by size, then by name."""

    def place(clique: tuple[str, ...]) -> tuple[bool, int, int, tuple[str, ...]]:
        distance = min(hops.get(site, FAR) for site in clique)
        return seeds.isdisjoint(clique), distance, -len(clique), clique

    return sorted(found, key=place)
