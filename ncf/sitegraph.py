"""Pages collapsed into the inter-site graph, and its mutual links (NCF, definition 4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

EVIDENCE = 3  # pairs of pages that are kept for a link between two sites

SiteGraph: TypeAlias = "nx.DiGraph[str]"
MutualGraph: TypeAlias = "nx.Graph[str]"


@dataclass(frozen=True, slots=True)
class PageLink:
    """All links of one page to one other."""

    source: str
    target: str
    count: int


@dataclass(slots=True)
class Names:
    """Where the names of pages lead: redirects and rel=canonical, hop by hop."""

    leads_to: Mapping[str, str] = field(default_factory=dict)

    def page(self, name: str) -> str:
        """The page that a name means in the end; in a circle, the name that comes first in the alphabet.

        >>> Names({"a": "b", "b": "c"}).page("a")
        'c'
        """
        seen = [name]
        while (following := self.leads_to.get(name)) is not None:
            if following in seen:
                return min(seen[seen.index(following) :])
            seen.append(following)
            name = following
        return name


def collapse(sites: Iterable[str], links: Iterable[PageLink], site: Callable[[str], str], names: Names) -> SiteGraph:
    """The inter-site graph: links between pages of different sites, counted, with evidence.

    `site` puts a page into a site; links from or to a site that is not among `sites` are left out.
    """
    graph: SiteGraph = nx.DiGraph()
    graph.add_nodes_from(sorted(set(sites)))
    for link in sorted(links, key=lambda link: (link.source, link.target)):
        source, target = names.page(link.source), names.page(link.target)
        ends = site(source), site(target)
        if ends[0] != ends[1] and ends[0] in graph and ends[1] in graph:
            _add(graph, ends, (source, target), link.count)
    return graph


def _add(graph: SiteGraph, ends: tuple[str, str], pages: tuple[str, str], count: int) -> None:
    if not graph.has_edge(*ends):
        graph.add_edge(*ends, count=0, evidence=[])
    edge = graph.edges[ends]
    edge["count"] += count
    if len(edge["evidence"]) < EVIDENCE and pages not in edge["evidence"]:
        edge["evidence"].append(pages)


def mutual(graph: SiteGraph) -> MutualGraph:
    """The mutual-link graph: sites that link to each other, both ways."""
    both: MutualGraph = nx.Graph()
    both.add_nodes_from(graph)
    both.add_edges_from((a, b) for a, b in graph.edges if a < b and graph.has_edge(b, a))
    return both
