"""What filters/evidence.py counts, slow and word for word: one directory at a time, with sets and networkx."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import mean, median
from typing import TYPE_CHECKING

import networkx as nx

from filters.base import may_be_page
from filters.evidence import CHANCE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from filters.names import Names
    from tests.filters.servers import Server

DEEPEST = 8  # slashes
PROGRAMS = "cgi-bin"  # what stands below is the arguments of programs


@dataclass(frozen=True)
class Literal:
    """The evidence that a server gives, for each of its directories."""

    server: Server

    @cached_property
    def links(self) -> set[tuple[str, str]]:
        return {(source, target) for source, target in self.server.links if source != target}

    @cached_property
    def home(self) -> dict[str, str]:
        """Of every page that is known: the directory that it counts for."""
        ends = {end for link in self.links for end in link}
        return {path: self._directory(path) for path in {*self.server.paths, *self.server.fetched, *ends}}

    def _directory(self, path: str) -> str:
        if path not in self.server.fetched and not may_be_page(path):
            return "/"
        above: list[str] = []
        for segment in path.split("/")[1:-1]:
            if segment.startswith("~") or len(above) == DEEPEST - 1:
                break
            above.append(segment)
            if segment == PROGRAMS:
                break
        return "/" + "".join(f"{segment}/" for segment in above)

    @cached_property
    def directories(self) -> set[str]:
        return {"/"} | {home[: end + 1] for home in self.home.values() for end, char in enumerate(home) if char == "/"}

    def children(self, directory: str) -> set[str]:
        return {one for one in self.directories if one != "/" and up(one) == directory}

    def pages(self, directory: str) -> set[str]:
        """The fetched pages in a directory and below it."""
        return {page for page in self.server.fetched if self.home[page].startswith(directory)}

    def with_pages(self, directory: str, least: int) -> set[str]:
        return {child for child in self.children(directory) if len(self.pages(child)) >= least}

    def backlinks(self, directory: str) -> float:
        """The median over the children with a page: pages elsewhere that link into one."""
        home = self.home
        into = [
            len({a for a, b in self.links if home[b].startswith(child) and not home[a].startswith(child)})
            for child in self.with_pages(directory, 1)
        ]
        return median(into) if into else 0

    def kinship(self, directory: str) -> float:
        """Distinct ordered pairs of siblings with a link, beyond what chance makes, of all that could be."""
        children, home = self.children(directory), self.home
        pairs = {
            (one, other)
            for one in children
            for other in children - {one}
            if any(home[a].startswith(one) and home[b].startswith(other) for a, b in self.links)
        }
        possible = len(self.with_pages(directory, 1)) * (len(children) - 1)
        return max(len(pairs) - CHANCE, 0) / possible if possible else 0

    def agreement(self, directory: str) -> float:
        """B-cubed F1 (Bagga and Baldwin 1998) of the connected components and the children."""
        child = {page: one for one in self.children(directory) for page in self.pages(one)}
        graph = nx.Graph()
        graph.add_nodes_from(child)
        graph.add_edges_from((a, b) for a, b in self.links if a in child and b in child)
        found = list(nx.connected_components(graph))
        if len(found) < 2:
            return 0
        component = {page: one for one in found for page in one}
        both = {page: len(component[page] & self.pages(child[page])) for page in child}
        precision = mean(both[page] / len(component[page]) for page in child)
        recall = mean(both[page] / len(self.pages(child[page])) for page in child)
        return 2 * precision * recall / (precision + recall)

    def topical(self, directory: str, names: Names) -> float:
        told = [names.is_topical(last(child)) for child in self.children(directory)]
        return sum(told) / len(told) if told else 0

    def personal(self, directory: str, names: Names) -> float:
        """The share of the children with a titled page in them that is titled with their owner's name."""
        told: dict[str, list[bool]] = {}
        for path, title in self.server.titles.items():
            child = path[: path.rindex("/") + 1]
            if child in self.children(directory):
                told.setdefault(child, []).append(names.is_person(last(child), title))
        return sum(any(ones) for ones in told.values()) / len(told) if told else 0


def up(directory: str) -> str:
    """The directory above one."""
    return directory[: directory.rindex("/", 0, -1) + 1]


def last(directory: str) -> str:
    """The name of a directory."""
    return directory.split("/")[-2]


def outermost(directories: Iterable[str]) -> set[str]:
    """Those that lie in no other one of them."""
    found = set(directories)
    return {one for one in found if not any(one.startswith(other) for other in found - {one})}
