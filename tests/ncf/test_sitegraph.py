"""Pages collapsed into the inter-site graph, against a literal reading on random graphs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ncf.sitegraph import NOWHERE, PageGraph, collapse, ends, mutual

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGES = [f"{site}/{page}" for site in "abcd" for page in "123"]  # sorted; d is no site of the graph
SITES = ["a", "b", "c"]
LINKS = st.lists(st.tuples(st.sampled_from(PAGES), st.sampled_from(PAGES), st.integers(1, 3)), max_size=30)
NAMES = st.dictionaries(st.integers(0, 9), st.integers(0, 9), max_size=10)


def graph_of(links: Sequence[tuple[str, str, int]]) -> PageGraph:
    place = {page: number for number, page in enumerate(PAGES)}
    sites = [SITES.index(page[0]) if page[0] in SITES else NOWHERE for page in PAGES]
    columns = [[place[source] for source, _, _ in links], [place[target] for _, target, _ in links]]
    arrays = (np.array(column, dtype=np.int64) for column in (sites, *columns, [count for _, _, count in links]))
    return PageGraph(PAGES, *arrays)


@given(LINKS)
def test_collapse_is_its_literal_reading(links: list[tuple[str, str, int]]) -> None:
    """A global link stands where pages of two sites are linked; its count is the sum; other links are left out."""
    expected = Counter[tuple[str, str]]()
    for source, target, count in links:
        if source[0] != target[0] and "d" not in (source[0], target[0]):
            expected[source[0], target[0]] += count
    graph = collapse(SITES, graph_of(links))
    assert {(a, b): count for a, b, count in graph.edges(data="count")} == expected
    assert list(graph) == SITES


@given(LINKS)
def test_the_evidence_is_the_first_link_by_name(links: list[tuple[str, str, int]]) -> None:
    """So that it is the same whoever was crawled first."""
    for source, target, evidence in collapse(SITES, graph_of(links)).edges(data="evidence"):
        between = [(a, b) for a, b, _ in links if (a[0], b[0]) == (source, target)]
        assert evidence == min(between)


@given(LINKS)
def test_mutual_means_both_ways(links: list[tuple[str, str, int]]) -> None:
    graph = collapse(SITES, graph_of(links))
    both = {frozenset(pair) for pair in graph.edges if graph.has_edge(*reversed(pair))}
    assert {frozenset(pair) for pair in mutual(graph).edges} == both


def literal_end(name: int, leads: Mapping[int, int]) -> int:
    """Hop by hop to the end; in a circle, its smallest."""
    way = [name]
    while way[-1] in leads:
        following = leads[way[-1]]
        if following in way:
            return min(way[way.index(following) :])
        way.append(following)
    return way[-1]


@given(NAMES)
def test_names_are_followed_to_their_end(leads: dict[int, int]) -> None:
    assert ends(leads) == {name: literal_end(name, leads) for name in leads}
