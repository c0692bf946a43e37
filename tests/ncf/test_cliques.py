"""Maximal cliques: against a literal reading, in a fixed order, within limits that are said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncf import edges
from ncf.cli_communities import LIMIT as COMMAND_LIMIT
from ncf.communities.cliques import LIMIT, cliques, rank
from ncf.communities.links import Links, linked, of_graph
from ncf.communities.search import Search
from tests.support.shared import SHARED, needs_shared

if TYPE_CHECKING:
    import random

ROOT = Path(__file__).resolve().parents[2]
NODES = "abcdefgh"
EDGES = st.sets(st.sampled_from(list(combinations(NODES, 2))), max_size=28)
FIRST = st.lists(st.sampled_from([*NODES, "nowhere"]), max_size=5)


def graph_of(pairs: set[tuple[str, str]]) -> nx.Graph[str]:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(NODES)
    graph.add_edges_from(pairs)
    return graph


def literal(pairs: set[tuple[str, str]], min_size: int) -> list[tuple[str, ...]]:
    """Every set of nodes that are all linked, and that no further node completes."""

    def complete(nodes: tuple[str, ...]) -> bool:
        return all(pair in pairs for pair in combinations(nodes, 2))

    def maximal(nodes: tuple[str, ...]) -> bool:
        return not any(complete(tuple(sorted({*nodes, more}))) for more in set(NODES) - set(nodes))

    subsets = (nodes for size in range(1, len(NODES) + 1) for nodes in combinations(NODES, size))
    return sorted(nodes for nodes in subsets if len(nodes) >= min_size and complete(nodes) and maximal(nodes))


def without(count: int, group: int) -> Links:
    """A graph in which a node is linked with all but those of its own group of so many: Moon and Moser's (1965)."""
    one, other = np.triu_indices(count, 1)
    kept = one // group != other // group
    return linked([f"{number:05}" for number in range(count)], np.column_stack((one[kept], other[kept])))


@given(EDGES, st.integers(1, 4))
def test_they_are_their_literal_reading(pairs: set[tuple[str, str]], min_size: int) -> None:
    found = cliques(graph_of(pairs), min_size=min_size)
    assert list(found.found) == literal(pairs, min_size)
    assert (found.complete, found.cut) == (True, ())


@given(EDGES, st.integers(1, 3), FIRST)
def test_those_that_hold_the_first_come_first(pairs: set[tuple[str, str]], min_size: int, first: list[str]) -> None:
    """In the order of the first, each clique once, and the others after them."""
    found = list(Search(of_graph(graph_of(pairs)), min_size, first))
    places = [min((first.index(node) for node in clique if node in first), default=len(first)) for clique in found]
    assert places == sorted(places)
    assert sorted(found) == literal(pairs, min_size)


@given(EDGES, FIRST, st.randoms(use_true_random=False))
def test_how_a_graph_was_put_together_makes_no_difference(
    pairs: set[tuple[str, str]], first: list[str], chance: random.Random
) -> None:
    """Not the order of its nodes or links, nor which end of a link comes first."""
    shuffled: nx.Graph[str] = nx.Graph()
    shuffled.add_nodes_from(chance.sample(NODES, len(NODES)))
    shuffled.add_edges_from(pair[:: chance.choice((1, -1))] for pair in chance.sample(sorted(pairs), len(pairs)))
    assert list(Search(of_graph(shuffled), 1, first)) == list(Search(of_graph(graph_of(pairs)), 1, first))


def test_the_order_is_the_same_in_every_process() -> None:
    """Python's own sets of names are in another order each time it starts."""
    code = (
        "import networkx as nx; from ncf.communities.links import of_graph; from ncf.communities.search import Search;"
        "graph = nx.relabel_nodes(nx.gnp_random_graph(60, 0.3, seed=1), str); print(list(Search(of_graph(graph))))"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1] != b""


def test_the_densest_part_comes_first() -> None:
    """A search that is ended early has seen the largest."""
    graph = nx.disjoint_union_all([nx.path_graph(50), nx.complete_graph(6), nx.complete_graph(9), nx.path_graph(50)])
    found = list(islice(Search(of_graph(nx.relabel_nodes(graph, str))), 3))
    assert [len(clique) for clique in found] == [9, 6, 2]


@pytest.mark.parametrize("seed", range(5))
def test_larger_graphs_are_as_networkx_has_them(seed: int) -> None:
    graph = nx.relabel_nodes(nx.gnp_random_graph(80, 0.1 + 0.15 * seed, seed=seed), lambda node: f"{node:02}")
    expected = sorted(tuple(sorted(clique)) for clique in nx.find_cliques(graph))
    assert sorted(Search(of_graph(graph), 1)) == expected
    assert sorted(Search(of_graph(graph), 5)) == [clique for clique in expected if len(clique) >= 5]
    some = list(Search(of_graph(graph), 1, sorted(graph)))
    assert some == sorted(some, key=lambda clique: clique[0])
    assert sorted(some) == expected


def test_a_graph_without_links_has_none() -> None:
    assert cliques(nx.Graph()).found == ()
    assert cliques(graph_of(set())).found == ()
    assert cliques(graph_of(set()), min_size=1, first=["c"]).found == tuple((node,) for node in NODES)
    loop: nx.Graph[str] = nx.Graph([("a", "a"), ("a", "b")])
    assert cliques(loop).found == (("a", "b"),)
    assert cliques(linked(["a"], np.empty((0, 2), dtype=np.int64))).found == ()


def test_a_limit_is_said_when_there_is_more() -> None:
    pairs = nx.Graph((f"a{n}", f"b{n}") for n in range(5))
    found = cliques(pairs, limit=3)
    assert (len(found.found), found.complete) == (3, False)
    assert [(cut.what, cut.detail) for cut in found.cut] == [
        ("limit", "the search ended at 3 communities; there are more")
    ]
    assert cliques(pairs, limit=5).complete
    assert cliques(pairs, min_size=3, limit=1).complete
    found = cliques(pairs, members=5)
    assert (len(found.found), [cut.what for cut in found.cut]) == (2, ["limit"])
    assert cliques(pairs, members=10).complete


def test_exponentially_many_end_at_the_limit() -> None:
    """3^200 cliques of 200 sites: the first thousand in a moment, those of a seed before all."""
    started = time.process_time()
    found = cliques(without(600, 3), limit=1_000, first=["00599"])
    assert (len(found.found), found.complete) == (1_000, False)
    assert all("00599" in clique and len(clique) == 200 for clique in found.found)
    assert time.process_time() - started < 10


def test_a_search_that_finds_nothing_ends_too() -> None:
    """No clique is as large, and to see it all 3^20 would have to be looked at."""
    found = cliques(without(60, 3), min_size=21, effort=100_000)
    assert (found.found, [cut.what for cut in found.cut]) == ((), ["effort"])
    assert "there may be more" in found.cut[0].detail


def test_what_large_cliques_take_in_memory_is_limited() -> None:
    found = cliques(without(300, 2), members=30_000)
    assert (len(found.found), [cut.what for cut in found.cut]) == (200, ["limit"])


def test_a_clique_of_a_thousand_is_one() -> None:
    """Deeper than Python's stack; in quadratic time, where networkx takes cubic."""
    started = time.process_time()
    found = cliques(without(1_200, 1))
    assert [len(clique) for clique in found.found] == [1_200]
    assert time.process_time() - started < 15


@pytest.mark.parametrize("pairs", [lambda n: (0, n + 1), lambda n: (n, n + 1), lambda n: (n // 300, n)])
def test_sparse_graphs_take_linear_time(pairs: object) -> None:
    """A star, a path, and a tree of stars."""
    assert callable(pairs)
    ends = np.array([pairs(number) for number in range(1, 50_000)])
    started = time.process_time()
    found = cliques(linked([f"{number:05}" for number in range(50_002)], ends))
    assert len(found.found) == 49_999
    assert time.process_time() - started < 10


def test_rank_puts_the_seeds_first() -> None:
    """A seed, then distance, then size, then name."""
    found = [("d", "e"), ("c", "d", "e"), ("b", "c"), ("a", "b"), ("a", "x", "y"), ("n", "o")]
    hops = {"a": 0, "b": 1, "c": 2, "d": 2, "e": 2, "x": 1, "y": 1}
    expected = [("a", "x", "y"), ("a", "b"), ("b", "c"), ("c", "d", "e"), ("d", "e"), ("n", "o")]
    assert rank(found, frozenset("a"), hops) == expected


def test_the_command_has_the_same_limit() -> None:
    assert COMMAND_LIMIT == LIMIT


@needs_shared
def test_the_friend_links() -> None:
    """8,769 maximal cliques; the 2,144 of three or more are those of the list that is beside the data."""
    folder = SHARED / "data/friendlinks"
    links = edges.mutual_links(edges.read(folder / "edges_host.tsv"))
    found = cliques(links)
    assert (len(found.found), found.complete) == (8_769, True)
    listed = [tuple(sorted(line.split("\t"))) for line in (folder / "mutual_cliques_ge3.txt").read_text().splitlines()]
    assert len(listed) == 2_144
    assert (
        sorted(listed)
        == [clique for clique in found.found if len(clique) > 2]
        == list(cliques(links, min_size=3).found)
    )


@needs_shared
def test_the_political_blogs() -> None:
    """2,307 mutual links and 1,009 cliques of three or more, as the data's page says."""
    text = (SHARED / "data/polblogs/polblogs.gml").read_text()
    ends = re.findall(r"source (\d+)\s+target (\d+)", text)
    names = [str(number) for number in range(1_491)]
    sources, targets = np.array(ends, dtype=np.int64).T
    links = edges.mutual_links(edges.EdgeList(names, sources, targets))
    assert len(links.pairs) == 2_307
    assert len(cliques(links, min_size=3).found) == 1_009
