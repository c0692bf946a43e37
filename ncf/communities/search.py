"""All maximal cliques of a graph, one by one, in an order that the graph alone decides.

The algorithm is Eppstein, Löffler and Strash's (2010, doi:10.1007/978-3-642-17517-6_36): nodes are put into an order
in which few of a node's neighbors come later, at most d, the graph's degeneracy; a clique is looked for at the first of
its nodes, among the neighbors that come later. What happens there is the search of Bron and Kerbosch (1973) with the
pivot of Tomita, Tanaka and Takahashi (2006, doi:10.1016/j.tcs.2006.06.015), on sets of at most d nodes that are kept as
the bits of a number. Time O(d·n·3^(d/3)), memory linear in the links.

The densest part of the graph comes first, so that a search that is ended early has seen the largest cliques, as a rule.
Nodes that a caller names come before all others, in the caller's order: every clique that holds one is found at the
first of them, in the graph of its neighbors alone.

networkx.find_cliques follows the order of sets of names, which changes from run to run; it looks for a clique of a
thousand nodes in cubic time, and cannot be ended while it finds nothing, as with a smallest size that no clique has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ncf.communities.links import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ncf.communities.links import IntArray, Links

BoolArray: TypeAlias = npt.NDArray[np.bool_]

EFFORT = 40_000_000  # steps of about 0.25 µs; a graph of friends needs a thousandth
_PER_LINK = 30  # steps that every link allows besides, so that no graph is too large for its plain reading
_LOOKS = 4  # links that are looked at in a step


@dataclass(slots=True)
class Search:
    """A search; what it yields are cliques as names in alphabetical order.

    >>> from ncf.communities.links import linked
    >>> four = linked("abcd", np.array([[0, 1], [0, 2], [1, 2], [2, 3]]))
    >>> list(Search(four)), list(Search(four, first=["d"]))
    ([('a', 'b', 'c'), ('c', 'd')], [('c', 'd'), ('a', 'b', 'c')])
    """

    links: Links
    min_size: int = 2
    first: Sequence[str] = ()  # names whose cliques come first; each costs a pass over the links
    effort: int = EFFORT
    spent: int = 0
    _allowed: int = field(init=False)

    def __post_init__(self) -> None:
        self._allowed = self.effort + _PER_LINK * len(self.links.pairs)

    @property
    def ended_early(self) -> bool:
        """Whether the effort was spent before everything was seen."""
        return self.spent > self._allowed

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        name = self.links.names.__getitem__
        for part in self._parts():
            fewest = self.min_size - 1 - len(part.held)
            for root in (node for node in part.roots if len(part.later[node]) >= fewest):
                for clique in self._at(root, part):
                    yield tuple(map(name, sorted(clique)))
                if self.ended_early:
                    return

    def _parts(self) -> Iterator[_Part]:
        """For each of the first names the graph of its neighbors, and then the graph without the first names."""
        count = len(self.links.names)
        done = np.zeros(count, dtype=np.bool_)
        for node in self._first():
            near = self._neighbors(node)
            if near.any():
                yield _part(self.links.pairs, near & ~done, near & done, (node,))
            else:  # a part of itself
                yield _Part((), [node], [0], [[]], [[]])
            done[node] = True
        yield _part(self.links.pairs, ~done, done, ())

    def _first(self) -> list[int]:
        if not self.first:
            return []
        place = {name: number for number, name in enumerate(self.links.names)}
        return [place[name] for name in dict.fromkeys(self.first) if name in place]

    def _neighbors(self, node: int) -> BoolArray:
        here, there = self.links.pairs.T
        near = np.zeros(len(self.links.names), dtype=np.bool_)
        near[there[here == node]] = True
        near[here[there == node]] = True
        return near

    def _at(self, root: int, part: _Part) -> Iterator[list[int]]:
        """The cliques that are found at a node: those that hold it and, besides, only nodes that come later."""
        held = [*part.held, part.nodes[root]]
        later = part.later[root]
        bits = {node: 1 << place for place, node in enumerate(later)}
        every = (1 << len(later)) - 1
        against: dict[int, None] = {}
        for node in part.earlier[root]:
            mask = self._mask(part.later[node], bits)
            if mask == every:
                return  # whatever is found here, that node could be added
            against[mask] = None
        nodes = [part.nodes[node] for node in later]
        if len(nodes) < 2:
            yield held + nodes
        else:
            yield from self._below(held, nodes, self._masks(later, part, bits), list(against))

    def _mask(self, nodes: list[int], bits: dict[int, int]) -> int:
        self.spent += len(nodes) // _LOOKS
        mask = 0
        for node in nodes:
            if node in bits:
                mask |= bits[node]
        return mask

    def _masks(self, later: list[int], part: _Part, bits: dict[int, int]) -> list[int]:
        """Of each of these nodes: the bits of those of them that it is linked with."""
        masks = dict.fromkeys(later, 0)
        for node in later:
            self.spent += len(part.later[node]) // _LOOKS
            for other in part.later[node]:
                if other in bits:
                    masks[node] |= bits[other]
                    masks[other] |= bits[node]
        return list(masks.values())

    def _below(self, path: list[int], nodes: list[int], masks: list[int], against: list[int]) -> Iterator[list[int]]:
        """The cliques that hold a path and some of these nodes.

        On the stack, for every node of the path: who can still be added (bits), who could be added but has been tried
        or comes earlier (`against`, a mask each), and who of the first is yet to be tried (bits). Invariant: both are
        linked with the whole path. Not recursive, because a clique may be deeper than Python's own stack.
        """
        open_ = (1 << len(nodes)) - 1
        stack = [(open_, against, self._to_try(open_, against, masks))]
        while stack and not self.ended_early:
            open_, against, to_try = stack.pop()
            if not to_try:
                path.pop()
                continue
            bit = to_try & -to_try
            mask = masks[bit.bit_length() - 1]
            inner, still = open_ & mask, [other for other in against if other & bit]
            self.spent += 1 + len(against)
            against.append(mask)
            stack.append((open_ ^ bit, against, to_try ^ bit))
            if len(path) + 1 + inner.bit_count() < self.min_size or _is_vain(inner, still):
                continue
            path.append(nodes[bit.bit_length() - 1])
            if inner:
                stack.append((inner, still, self._to_try(inner, still, masks)))
            else:
                yield path.copy()
                path.pop()

    def _to_try(self, open_: int, against: list[int], masks: list[int]) -> int:
        """Who has to be tried: those who are not linked with the pivot, which is linked with most."""
        size = open_.bit_count()
        self.spent += size + len(against)
        most, to_try = -1, open_
        for mask in against:
            if (linked := (mask & open_).bit_count()) > most:
                most, to_try = linked, open_ & ~mask
        left = open_
        while left and most < size - 1:  # nobody inside is linked with more
            bit = left & -left
            left ^= bit
            mask = masks[bit.bit_length() - 1]
            if (linked := (mask & open_).bit_count()) > most:
                most, to_try = linked, open_ & ~mask
        return to_try


def _is_vain(inner: int, against: list[int]) -> bool:
    """Whether somebody could be added to whatever is found: nothing is maximal then."""
    return any(mask & inner == inner for mask in against)


@dataclass(frozen=True, slots=True)
class _Part:
    """A graph to search, its nodes numbered on their own."""

    held: tuple[int, ...]  # nodes of the whole graph that all of it is linked with
    nodes: list[int]  # their numbers in the whole graph, in order
    roots: list[int]  # those that cliques are looked for at, the densest part first
    later: list[list[int]]  # of a node, its neighbors that come later in the order
    earlier: list[list[int]]


def _part(pairs: IntArray, inside: BoolArray, before: BoolArray, held: tuple[int, ...]) -> _Part:
    """The graph of the nodes inside; those before come earlier than all, and no clique is looked for at them."""
    numbers = np.flatnonzero(inside | before)
    place = np.zeros(len(inside), dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    here, there = pairs.T
    both = inside[here] & inside[there]
    order, cores = _smallest_last(len(numbers), place[pairs[both]], place[np.flatnonzero(inside)])
    rank = np.full(len(numbers), -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    ends = place[pairs[both | (inside[here] & before[there]) | (before[here] & inside[there])]]
    swapped = rank[ends[:, 0]] > rank[ends[:, 1]]
    ends[swapped] = ends[swapped, ::-1]
    one, other = ends.T
    # Only the cores are taken from the last to the first: inside of one, the nodes that come last have many neighbors
    # before them, and are looked at in vain where cliques overlap much.
    roots = np.array(order, dtype=np.int64)[np.argsort(-np.array(cores), kind="stable")].tolist()
    later, earlier = grouped(one, other, len(numbers)), grouped(other, one, len(numbers))
    return _Part(held, numbers.tolist(), roots, later, earlier)


def _smallest_last(count: int, pairs: IntArray, nodes: IntArray) -> tuple[list[int], list[int]]:
    """Nodes, always one next that has the fewest neighbors left (Matula and Beck 1983), and the core of each; linear.

    >>> _smallest_last(4, np.array([[0, 1], [0, 2], [1, 2], [2, 3]]), np.arange(4))
    ([3, 2, 1, 0], [1, 2, 2, 2])
    """
    near = grouped(np.concatenate((pairs[:, 0], pairs[:, 1])), np.concatenate((pairs[:, 1], pairs[:, 0])), count)
    left = [len(others) for others in near]  # neighbors that are left; -1: the node has its place
    waiting: list[list[int]] = [[] for _ in range(max(left, default=0) + 1)]  # by what was left at some time
    for node in reversed(nodes.tolist()):
        waiting[left[node]].append(node)
    order: list[int] = []
    cores: list[int] = []
    fewest = 0
    while len(order) < len(nodes):
        if not waiting[fewest]:
            fewest += 1
            continue
        node = waiting[fewest].pop()
        if left[node] != fewest:
            continue  # it has its place, or waits with fewer
        order.append(node)
        cores.append(max(fewest, cores[-1] if cores else 0))
        left[node] = -1
        for other in near[node]:
            if left[other] > 0:
                left[other] -= 1
                waiting[left[other]].append(other)
        fewest = max(fewest - 1, 0)
    return order, cores
