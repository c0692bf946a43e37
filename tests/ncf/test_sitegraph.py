"""Pages collapsed into sites, and sites into communities, against a literal reading on random graphs."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from ncf.communities.cliques import cliques, rank
from ncf.sitegraph import Names, PageLink, collapse, mutual

PAGES = st.sampled_from([f"{site}{page}" for site in "abcd" for page in "123"])
LINKS = st.lists(st.builds(PageLink, PAGES, PAGES, st.integers(1, 3)), max_size=30)
EDGES = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] < edge[1]))


def site(page: str) -> str:
    return page[0]


@given(LINKS)
def test_collapse_is_its_literal_reading(links: list[PageLink]) -> None:
    """A global link stands where pages of two sites are linked; its count is the sum; local links are left out."""
    graph = collapse("abcd", links, site, Names())
    for source in "abcd":
        for target in "abcd":
            between = [link.count for link in links if (site(link.source), site(link.target)) == (source, target)]
            expected = sum(between) if source != target else 0
            assert graph.get_edge_data(source, target, {"count": 0})["count"] == expected


@given(LINKS)
def test_mutual_means_both_ways(links: list[PageLink]) -> None:
    graph = collapse("abcd", links, site, Names())
    for one, other in combinations("abcd", 2):
        assert mutual(graph).has_edge(one, other) == (graph.has_edge(one, other) and graph.has_edge(other, one))


def test_names_that_lead_on_are_followed() -> None:
    names = Names({"a1": "a2", "b1": "c1", "x1": "x2", "x2": "x1"})
    graph = collapse("abc", [PageLink("a1", "b1", 1)], site, names)
    assert list(graph.edges) == [("a", "c")]
    assert names.page("x1") == names.page("x2")


def literal_cliques(nodes: int, edges: set[tuple[int, int]]) -> set[tuple[str, ...]]:
    """All subsets that are complete and that no further node completes."""
    linked = {frozenset(edge) for edge in edges}
    complete = [
        set(subset)
        for size in range(2, nodes + 1)
        for subset in combinations(range(nodes), size)
        if all(frozenset(pair) in linked for pair in combinations(subset, 2))
    ]
    maximal = [subset for subset in complete if not any(subset < other for other in complete)]
    return {tuple(sorted(map(str, subset))) for subset in maximal}


@given(EDGES)
def test_cliques_are_their_literal_reading(edges: set[tuple[int, int]]) -> None:
    graph = nx.Graph((str(a), str(b)) for a, b in edges)
    assert set(cliques(graph).found) == literal_cliques(8, edges)


def test_a_limit_is_said() -> None:
    pairs = nx.Graph((f"a{n}", f"b{n}") for n in range(5))
    assert cliques(pairs, limit=3).complete is False
    assert cliques(pairs, limit=5).complete is True
    assert cliques(pairs, min_size=3).found == ()


def test_rank_puts_the_seeds_first() -> None:
    """A seed, then distance, then size, then name."""
    found = [("d", "e"), ("c", "d", "e"), ("b", "c"), ("a", "b"), ("a", "x", "y")]
    hops = {"a": 0, "b": 1, "c": 2, "d": 2, "e": 2, "x": 1, "y": 1}
    expected = [("a", "x", "y"), ("a", "b"), ("b", "c"), ("c", "d", "e"), ("d", "e")]
    assert rank(found, frozenset("a"), hops) == expected
