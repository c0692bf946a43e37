"""What the links and the tree of a server say about each directory as a place where sites could stand.

One pass for each depth over all pages and links, in arrays: cost is linear in both, whatever the number of directories.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from filters.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from filters.base import Numbers, ServerView
    from filters.names import Names

    Shares = npt.NDArray[np.float64]

CHANCE = 2  # links between siblings that say nothing yet: on a server of few pages they would be a large share


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """By number of a directory P: counts over P's children."""

    tree: Tree
    children: Numbers  # that are known, by a fetched page or by a link
    fetched: Numbers  # that hold a fetched page
    sizable: Numbers  # that hold two fetched pages or more
    backlinks: Shares  # median over the fetched children: distinct pages elsewhere on the server that link into one
    kinship: Shares  # links between siblings: distinct ordered pairs beyond CHANCE, of all that could be
    agreement: Shares  # B-cubed F1 of the components and the children; 0 when all is one component

    def topical(self, names: Names) -> Shares:
        """Of every directory: the share of its children's names that speak of topics."""
        tree = self.tree
        told = np.array([names.is_topical(tree.name(place)) for place in range(1, len(tree))], dtype=np.float64)
        return np.bincount(tree.parent[1:], weights=told, minlength=len(tree)) / np.maximum(self.children, 1)

    def personal(self, names: Names) -> Shares:
        """Of every directory: the share of its children with a titled entry page whose title names their owner."""
        tree = self.tree
        told: dict[int, bool] = {}
        for path, title in self.tree.view.titles.items():
            child = tree.place(path[: path.rindex("/") + 1])
            if child:
                told[child] = told.get(child, False) or names.is_person(tree.name(child), title)
        children = np.fromiter(told, dtype=np.int64, count=len(told))
        persons = np.fromiter(told.values(), dtype=np.float64, count=len(told))
        entries = np.bincount(tree.parent[children], minlength=len(tree))
        return np.bincount(tree.parent[children], weights=persons, minlength=len(tree)) / np.maximum(entries, 1)

    def outermost(self, places: Iterable[int]) -> list[int]:
        """Of these directories, in the order of their numbers, those that no other one of them stands above."""
        kept: list[int] = []
        taken: set[int] = set()
        parent = self.tree.parent
        for place in places:
            above = place
            while above and above not in taken:
                above = int(parent[above])
            if above not in taken:
                kept.append(place)
                taken.add(place)
        return kept


@lru_cache(maxsize=1)  # filters 5 and 6 and ECFC look at the same server one after the other
def evidence_of(view: ServerView) -> Evidence:
    """The evidence that a server gives."""
    return gather(Tree(view))


def gather(tree: Tree) -> Evidence:
    """Count the evidence for every directory of a tree."""
    size = len(tree)
    found = Evidence(
        tree,
        np.bincount(tree.parent[1:], minlength=size).astype(np.int64),
        _children_with(tree, 1),
        _children_with(tree, 2),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
    )
    for depth in range(1, tree.deepest):
        _count_links(found, depth)
        _compare_components(found, depth)
    return found


def _children_with(tree: Tree, pages: int) -> Numbers:
    holding = np.flatnonzero(tree.pages_below >= pages)
    holding = holding[holding > 0]
    return np.bincount(tree.parent[holding], minlength=len(tree)).astype(np.int64)


def _count_links(found: Evidence, depth: int) -> None:
    """Back-links and links between siblings, for the directories P of one depth and their children."""
    tree, view = found.tree, found.tree.view
    child = tree.at(depth + 1)
    source, target = child[view.sources], child[view.targets]
    crossing = (target >= 0) & (source != target)
    source, target, pages = source[crossing], target[crossing], view.sources[crossing]
    size = len(tree)
    into = np.bincount(_distinct(target, pages, len(view.paths))[0], minlength=size)
    _median_by_parent(found, depth, into)
    siblings = (source >= 0) & (tree.parent[source] == tree.parent[target])
    pairs = _distinct(source[siblings], target[siblings], size)[0]
    linked = np.bincount(tree.parent[pairs], minlength=size)
    possible = found.fetched * (found.children - 1)
    here = (tree.depth == depth) & (possible > 0)
    found.kinship[here] = np.maximum(linked[here] - CHANCE, 0) / possible[here]


def _distinct(first: Numbers, second: Numbers, base: int) -> tuple[Numbers, Numbers]:
    """The distinct pairs of two columns."""
    pairs = np.unique(first * base + second)
    return pairs // base, pairs % base


def _median_by_parent(found: Evidence, depth: int, into: Numbers) -> None:
    tree = found.tree
    children = np.flatnonzero((tree.depth == depth + 1) & (tree.pages_below > 0))
    if not len(children):
        return
    parent, value = tree.parent[children], into[children]
    order = np.lexsort((value, parent))
    parent, value = parent[order], value[order]
    starts = np.flatnonzero(np.r_[True, parent[1:] != parent[:-1]])
    sizes = np.diff(np.r_[starts, len(parent)])
    found.backlinks[parent[starts]] = (value[starts + (sizes - 1) // 2] + value[starts + sizes // 2]) / 2


def _compare_components(found: Evidence, depth: int) -> None:
    """B-cubed F1 of the connected components and the children, for the directories P of one depth."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tree, view = found.tree, found.tree.view
    child = tree.at(depth + 1)
    inside = view.fetched & (child >= 0)
    pages = np.flatnonzero(inside)
    if not len(pages):
        return
    number = np.full(len(view.paths), -1, dtype=np.int64)
    number[pages] = np.arange(len(pages))
    parent = tree.parent[child]
    kept = inside[view.sources] & inside[view.targets] & (parent[view.sources] == parent[view.targets])
    ends = number[view.sources[kept]], number[view.targets[kept]]
    graph = coo_array((np.ones(len(ends[0]), dtype=np.bool_), ends), shape=(len(pages), len(pages)))
    _, component = connected_components(graph, directed=False)
    _agree(found, child[pages], component.astype(np.int64))


def _agree(found: Evidence, child: Numbers, component: Numbers) -> None:
    size = int(component.max()) + 1
    _, place, together = np.unique(child * size + component, return_inverse=True, return_counts=True)
    in_child, in_component = np.bincount(child), np.bincount(component)
    precision = together[place] / in_component[component]
    recall = together[place] / in_child[child]
    parent = found.tree.parent[child]
    count = np.bincount(parent)
    places = np.flatnonzero(count)
    p, r = (np.bincount(parent, weights=share)[places] / count[places] for share in (precision, recall))
    # One component says nothing: every page hangs together with every other.
    whole = np.bincount(np.unique(parent * size + component) // size, minlength=len(count))[places]
    found.agreement[places] = np.where(whole > 1, 2 * p * r / (p + r), 0.0)
