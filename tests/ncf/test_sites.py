"""Which site a URL belongs to, and how pages collapse into the inter-site graph."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncf import data, sites
from ncf.communities.cliques import cliques, rank
from ncf.errors import UsageError
from ncf.seeds import address
from ncf.sitegraph import Names, PageLink, collapse, mutual

CASES = [
    ("http://www.h.example/~alice/x.html", "h.example/~alice/"),
    ("https://h.example/~alice", "h.example/~alice/"),
    ("http://h.example/research/?page=/~bob/", "h.example/"),
    ("http://h.example:8080/~alice/", "h.example:8080/~alice/"),
    ("http://www.geocities.co.jp/Playtown-Denei/1722/src/SRC.html", "geocities.co.jp/Playtown-Denei/1722/"),
    ("https://sites.google.com/view/alice/home", "sites.google.com/view/alice/"),
    ("https://alice.github.io/blog/", "alice.github.io/"),
    ("https://bob.dyndns.org/~x/", "bob.dyndns.org/~x/"),  # a machine at home has users too
]


@pytest.mark.parametrize(("url", "key"), CASES)
def test_site_of_a_url(url: str, key: str) -> None:
    assert sites.site_of(url, sites.layouts_of([url], data.filters())).key == key


def test_collapse_counts_and_keeps_evidence() -> None:
    links = [PageLink("a/1", f"b/{n}", 2) for n in range(5)] + [PageLink("b/1", "a/1", 1), PageLink("a/1", "a/2", 9)]
    graph = collapse(["a", "b"], links, lambda page: page[0], Names())
    assert graph.edges["a", "b"] == {"count": 10, "evidence": [("a/1", "b/0"), ("a/1", "b/1"), ("a/1", "b/2")]}
    assert set(mutual(graph).edges) == {("a", "b")}


def test_a_link_counts_for_where_it_leads() -> None:
    names = Names({"x/go": "b/1", "b/1": "b/2"})
    graph = collapse(["a", "b", "x"], [PageLink("a/1", "x/go", 1)], lambda page: page[0], names)
    assert list(graph.edges(data="evidence")) == [("a", "b", [("a/1", "b/2")])]


def test_names_that_lead_in_a_circle_end() -> None:
    names = Names({"a": "b", "b": "c", "c": "b"})
    assert names.page("a") == names.page("b") == names.page("c") == "b"


PAGES = [f"{site}/{page}" for site in "abcd" for page in "12"]
LINKS = st.lists(st.builds(PageLink, st.sampled_from(PAGES), st.sampled_from(PAGES), st.integers(1, 3)), max_size=30)


@given(LINKS, st.dictionaries(st.sampled_from(PAGES), st.sampled_from(PAGES), max_size=3))
def test_collapse_against_a_literal_reading(links: list[PageLink], leads: dict[str, str]) -> None:
    names = Names(leads)
    counts: dict[tuple[str, str], int] = {}
    for link in links:
        ends = names.page(link.source)[0], names.page(link.target)[0]
        if ends[0] != ends[1] and "d" not in ends:
            counts[ends] = counts.get(ends, 0) + link.count
    graph = collapse("abc", links, lambda page: page[0], names)
    assert {(a, b): count for a, b, count in graph.edges(data="count")} == counts
    assert {frozenset(pair) for pair in mutual(graph).edges} == {frozenset(e) for e in counts if e[::-1] in counts}


def brute_force(graph: nx.Graph[str]) -> set[tuple[str, ...]]:
    """Every set of nodes that is complete and that no node can join."""
    complete = [
        set(nodes)
        for size in range(2, len(graph) + 1)
        for nodes in combinations(sorted(graph), size)
        if all(graph.has_edge(a, b) for a, b in combinations(nodes, 2))
    ]
    return {tuple(sorted(one)) for one in complete if not any(one < other for other in complete)}


@given(st.sets(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")).filter(lambda e: e[0] < e[1])))
def test_cliques_against_brute_force(edges: set[tuple[str, str]]) -> None:
    graph: nx.Graph[str] = nx.Graph(sorted(edges))
    found = cliques(graph).found
    assert set(found) == brute_force(graph)
    assert list(found) == sorted(found)


def test_cliques_stop_at_a_limit_and_say_so() -> None:
    graph: nx.Graph[str] = nx.Graph([("a", "b"), ("c", "d"), ("e", "f")])
    assert not cliques(graph, limit=2).complete
    assert cliques(graph, limit=3).complete


def test_rank_puts_seeds_first_then_distance_then_size_then_name() -> None:
    hops = {"seed": 0, "near": 1, "near2": 1, "far": 2, "far2": 2, "far3": 2}
    order = [("near", "seed"), ("near", "near2"), ("far", "far2", "far3"), ("far", "far2"), ("far", "far3")]
    assert rank(reversed(order), frozenset({"seed"}), hops) == order


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.org/~x", "http://example.org/~x"),
        ("HTTPS://Example.ORG", "https://example.org/"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("example.org:8080", "http://example.org:8080/"),
        ("http://intranet/", "http://intranet/"),
        (" [::1]/ ", "http://[::1]/"),
    ],
)
def test_what_people_type(text: str, url: str) -> None:
    assert address(text) == url


NOT_URLS = ["", "nonsense", "two words", "ftp://h.example/", "file:///etc/passwd", "mailto:a@b.example", "http://"]


@pytest.mark.parametrize(
    "text",
    [*NOT_URLS, "http://h:99999/", "javascript:alert(1)", "http://h.example/" + "a" * 3000],
    ids=lambda t: t[:20],
)
def test_what_is_not_a_url(text: str) -> None:
    with pytest.raises(UsageError):
        address(text)
