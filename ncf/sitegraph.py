"""Pages collapsed into the inter-site graph, and its mutual links (NCF, definition 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import networkx as nx
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SiteGraph: TypeAlias = "nx.DiGraph[str]"
MutualGraph: TypeAlias = "nx.Graph[str]"
Numbers: TypeAlias = "npt.NDArray[np.int64]"

NOWHERE = -1  # the site of a page that lies in none of the graph's


@dataclass(frozen=True, slots=True, eq=False)
class PageGraph:
    """Links between pages, which are told by their place in `pages`."""

    pages: Sequence[str]  # names, sorted: of several links between two sites, the first by name is the evidence
    sites: Numbers  # of each page, the place of its site, or NOWHERE
    sources: Numbers
    targets: Numbers
    counts: Numbers


def collapse(sites: Sequence[str], graph: PageGraph) -> SiteGraph:
    """The inter-site graph: links between pages of different sites, counted, each with a pair of pages as evidence.

    >>> pages = PageGraph(["a/1", "a/2", "b/1"], *(np.array(x) for x in ([0, 0, 1], [0, 1, 0], [1, 2, 2], [9, 1, 3])))
    >>> collapse(["a", "b"], pages).edges["a", "b"]
    {'count': 4, 'evidence': ('a/1', 'b/1')}
    """
    found: SiteGraph = nx.DiGraph()
    found.add_nodes_from(sites)
    one, other = graph.sites[graph.sources], graph.sites[graph.targets]
    between = np.flatnonzero((one != other) & (one != NOWHERE) & (other != NOWHERE))
    if not len(between):
        return found
    pair = one[between] * len(sites) + other[between]
    order = np.lexsort((graph.targets[between], graph.sources[between], pair))
    pair, between = pair[order], between[order]
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    counts = np.add.reduceat(graph.counts[between], first)
    for place, at in enumerate(first.tolist()):
        link = between[at]
        evidence = (graph.pages[graph.sources[link]], graph.pages[graph.targets[link]])
        found.add_edge(sites[one[link]], sites[other[link]], count=int(counts[place]), evidence=evidence)
    return found


def ends(leads: Mapping[int, int]) -> dict[int, int]:
    """Where names lead in the end, hop by hop; in a circle, to its smallest.

    >>> ends({1: 2, 2: 3, 5: 6, 6: 5})
    {1: 3, 2: 3, 5: 5, 6: 5}
    """
    found: dict[int, int] = {}
    for name in leads:
        way = [name]
        while (following := leads.get(way[-1])) is not None and following not in way and following not in found:
            way.append(following)
        last = leads.get(way[-1])
        end = way[-1] if last is None else found[last] if last in found else min(way[way.index(last) :])
        found.update(dict.fromkeys(way if last is not None else way[:-1], end))
    return {name: found[name] for name in leads}


def mutual(graph: SiteGraph) -> MutualGraph:
    """The mutual-link graph: sites that link to each other, both ways."""
    both: MutualGraph = nx.Graph()
    both.add_nodes_from(graph)
    both.add_edges_from((a, b) for a, b in graph.edges if a < b and graph.has_edge(b, a))
    return both
