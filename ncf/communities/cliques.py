"""Communities as maximal cliques of the mutual-link graph (NCF, section 3).

A clique is a set of sites that all link to each other; it is maximal when no site can be added. Enumerated by the
algorithm of Bron and Kerbosch (1973) as adapted by Tomita, Tanaka and Takahashi (2006), in networkx. There can be
3^(n/3) of them, so they are produced one by one, up to a limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ncf.sitegraph import MutualGraph

LIMIT = 100_000  # cliques that are kept; a person reads the first few
FAR = 1 << 30  # the distance of a site that the seeds do not reach


@dataclass(frozen=True, slots=True)
class Cliques:
    """The cliques, and whether they are all there are."""

    found: tuple[tuple[str, ...], ...]
    complete: bool = True


def cliques(graph: MutualGraph, *, min_size: int = 2, limit: int = LIMIT) -> Cliques:
    """All maximal cliques of at least `min_size` sites, in a fixed order.

    >>> import networkx as nx
    >>> cliques(nx.Graph([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])).found
    (('a', 'b', 'c'), ('c', 'd'))
    """
    large = (tuple(sorted(clique)) for clique in nx.find_cliques(graph) if len(clique) >= min_size)
    found = list(islice(large, limit + 1))
    return Cliques(tuple(sorted(found[:limit])), complete=len(found) <= limit)


def rank(found: Iterable[tuple[str, ...]], seeds: frozenset[str], hops: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Most relevant first: those that hold a seed, then by distance to the seeds, then by size, then by name."""

    def place(clique: tuple[str, ...]) -> tuple[bool, int, int, tuple[str, ...]]:
        distance = min(hops.get(site, FAR) for site in clique)
        return seeds.isdisjoint(clique), distance, -len(clique), clique

    return sorted(found, key=place)
