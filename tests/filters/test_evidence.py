"""The evidence of every directory, beside a slow and literal count of it."""

from __future__ import annotations

from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.evidence import CHANCE, evidence_of
from filters.names import Names
from tests.filters.literal import Literal, outermost
from tests.filters.servers import LONG, PATIENTLY, Server, people, servers

NAMES = Names(frozenset({"news"}))


@LONG
@given(servers())
def test_the_tree_is_that_of_the_literal_twin(server: Server) -> None:
    tree, twin = evidence_of(server.view()).tree, Literal(server)
    assert set(tree.names) == twin.directories
    assert {name: tree.pages_below[place] for place, name in enumerate(tree.names)} == {
        name: len(twin.pages(name)) for name in twin.directories
    }


@LONG
@given(servers())
def test_counts_of_children_are_those_of_the_literal_twin(server: Server) -> None:
    found, twin = evidence_of(server.view()), Literal(server)
    for place, name in enumerate(found.tree.names):
        assert found.children[place] == len(twin.children(name))
        assert found.fetched[place] == len(twin.with_pages(name, 1))
        assert found.sizable[place] == len(twin.with_pages(name, 2))


@LONG
@given(servers(segments=("a", "b", "c", "~x"), depth=3))
def test_counts_of_links_are_those_of_the_literal_twin(server: Server) -> None:
    found, twin = evidence_of(server.view()), Literal(server)
    for place, name in enumerate(found.tree.names):
        assert found.backlinks[place] == twin.backlinks(name)
        assert found.kinship[place] == pytest.approx(twin.kinship(name))
        assert found.agreement[place] == pytest.approx(twin.agreement(name))


@PATIENTLY
@given(servers())
def test_what_names_tell_is_that_of_the_literal_twin(server: Server) -> None:
    found, twin = evidence_of(server.view()), Literal(server)
    topical, personal = found.topical(NAMES), found.personal(NAMES)
    for place, name in enumerate(found.tree.names):
        assert topical[place] == pytest.approx(twin.topical(name, NAMES))
        assert personal[place] == pytest.approx(twin.personal(name, NAMES))


@PATIENTLY
@given(servers(), st.data())
def test_outermost_directories_lie_in_no_other(server: Server, data: st.DataObject) -> None:
    found = evidence_of(server.view())
    places = sorted(data.draw(st.sets(st.integers(0, len(found.tree) - 1))))
    kept = {found.tree.names[place] for place in found.outermost(places)}
    assert kept == outermost(found.tree.names[place] for place in places)


def numbers(server: Server, directory: str) -> tuple[float, float, float]:
    found = evidence_of(server.view())
    place = found.tree.place(directory)
    assert place is not None
    return float(found.backlinks[place]), float(found.kinship[place]), float(found.agreement[place])


def test_people_who_do_not_know_each_other_agree_wholly() -> None:
    """Each of the three is a component of their own, and nobody links into one."""
    assert numbers(people("/u/", ("ann", "bob", "cid")), "/u/") == (0, 0, 1)


def test_one_component_says_nothing() -> None:
    """Both pages of both people hang together: every division agrees with one component as well as any other."""
    server = people("/u/", ("ann", "bob"))
    linked = Server(fetched=server.fetched, links=(*server.links, ("/u/ann/", "/u/bob/")))
    assert numbers(linked, "/u/") == (0.5, 0, 0)


def test_agreement_worked_out_by_hand() -> None:
    """Components {ann 2, bob 2} and {cid 2}: precision (4·1/2 + 2·1)/6 = 2/3, recall 1, so F1 is 4/5."""
    server = people("/u/", ("ann", "bob", "cid"))
    linked = Server(fetched=server.fetched, links=(*server.links, ("/u/ann/", "/u/bob/")))
    assert numbers(linked, "/u/")[2] == pytest.approx(0.8)


def test_a_page_that_links_twice_into_a_directory_is_one_backlink() -> None:
    """Pages count and not links, and the page that lists everybody stands above them."""
    server = people("/u/", ("ann", "bob"))
    lists = [("/u/list.html", path) for path in server.fetched]
    assert numbers(Server(fetched=server.fetched, links=tuple(lists)), "/u/")[:2] == (1, 0)


def test_pages_above_the_children_join_nothing() -> None:
    """In a crawl from one seed everything hangs together by the pages that were seen first: they are left out."""
    server = people("/u/", ("ann", "bob"))
    lists = [("/u/list.html", path) for path in server.fetched]
    joined = Server(fetched=server.fetched | {"/u/list.html"}, links=(*server.links, *lists))
    assert numbers(joined, "/u/")[2] == 1


def test_kinship_worked_out_by_hand() -> None:
    """Three who all link to all: 6 pairs of 6, less those that say nothing. A second link in a pair adds nothing."""
    server = people("/u/", ("ann", "bob", "cid"))
    linked = tuple(permutations(server.fetched, 2))
    assert numbers(Server(fetched=server.fetched, links=linked), "/u/")[1] == (6 - CHANCE) / 6


def test_links_to_other_peoples_children_are_no_kinship() -> None:
    """Those below /u/ all link to those below /v/: that is many back-links, and no link between siblings."""
    ours, theirs = ([f"/{place}/{number}/" for number in range(4)] for place in "uv")
    server = Server(fetched=frozenset((*ours, *theirs)), links=tuple(product(ours, theirs)))
    assert [numbers(server, place)[:2] for place in ("/u/", "/v/")] == [(0, 0), (4, 0)]


def test_few_links_between_siblings_say_nothing() -> None:
    linked = tuple(pairwise(f"/u/{number}/" for number in range(CHANCE + 1)))
    fetched = frozenset(end for link in linked for end in link)
    assert numbers(Server(fetched=fetched, links=linked), "/u/")[1] == 0


def test_unfetched_children_count_as_known_only() -> None:
    """The median and the components are of what was seen; a name that is only linked to has neither."""
    server = people("/u/", ("ann", "bob"))
    links = (*server.links, *((page, "/u/cid/") for page in server.fetched))
    known = Server(fetched=server.fetched, links=links)
    found = evidence_of(known.view())
    place = found.tree.place("/u/")
    assert place is not None
    assert (found.children[place], found.fetched[place]) == (3, 2)
    assert (found.backlinks[place], found.agreement[place]) == (0, 1)


def test_an_empty_server_has_a_root_without_evidence() -> None:
    found = evidence_of(Server().view())
    assert (found.tree.names, found.children.tolist(), found.agreement.tolist()) == (["/"], [0], [0.0])
