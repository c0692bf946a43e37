"""Filter 5: directories whose pages hang together, and not with their neighbors', are sites."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.components import Components, Limits
from filters.names import Names
from tests.filters.literal import Literal, outermost
from tests.filters.servers import LONG, Server, levels, opinion, people, servers

NAMES = Names(frozenset({"news", "photos", "lists"}))
FILTER = Components(NAMES)
THREE = ("ann", "bob", "cid")


def with_links(server: Server, *links: tuple[str, str]) -> Server:
    return Server(server.paths, server.fetched, (*server.links, *links))


@pytest.mark.parametrize("place", ["/", "/u/", "/a/b/u/"])
def test_people_who_do_not_know_each_other_are_sites(place: str) -> None:
    verdict = opinion(FILTER, people(place, THREE).view())
    assert levels(verdict) == {place: place.count("/") + 1}
    assert verdict.counts == {"prefixes": 1, "sites": 3}


def test_the_reason_tells_the_agreement() -> None:
    verdict = opinion(FILTER, people("/u/", THREE).view())
    assert verdict.reason == "3 directories below 1 others are connected components of their own"
    assert "the 3 directories below /u/" in verdict.rules[0].reason
    assert "(agreement 1.00)" in verdict.rules[0].reason


def test_a_page_that_lists_everybody_joins_nobody() -> None:
    """The pages of the directory itself and above are left out, whatever they link to."""
    server = people("/u/", THREE)
    links = [link for page in server.fetched for link in (("/", page), ("/u/", page), (page, "/"))]
    listed = Server(fetched=server.fetched | {"/", "/u/"}, links=(*server.links, *links))
    assert levels(FILTER.judge(listed.view())) == {"/u/": 3}


@pytest.mark.parametrize(
    "server",
    [
        Server(),
        Server(fetched=frozenset({"/"})),
        Server(paths=("/u/ann/", "/u/bob/")),  # nothing was had
        people("/u/", ("ann",)),  # one child
        people("/u/", THREE, pages=("",)),  # one page each: nothing hangs together
        people("/u/", ("news", "photos", "ann")),  # names of topics
        people("/u/", ("1996", "1997", "1998")),
        people("/~u/", THREE),  # a user's own directories
        people("/", ("~ann", "~bob")),  # filter 1's
        people("/cgi-bin/", THREE),  # arguments of a program
        Server(fetched=people("/u/", THREE).fetched),  # without links every page is a component
        with_links(people("/u/", ("ann", "bob")), ("/u/ann/", "/u/bob/")),  # one component says nothing
        with_links(people("/u/", THREE), ("/u/ann/", "/u/bob/")),  # F1 4/5
    ],
)
def test_no_opinion(server: Server) -> None:
    assert FILTER.judge(server.view()) is None


def test_half_of_the_children_must_be_of_two_pages() -> None:
    server = people("/u/", ("ann", "bob"))
    some = Server(fetched=server.fetched | {f"/u/{name}/" for name in ("cid", "dan")}, links=server.links)
    more = Server(fetched=some.fetched | {"/u/eve/"}, links=server.links)
    assert levels(FILTER.judge(some.view())) == {"/u/": 3}
    assert FILTER.judge(more.view()) is None


def test_links_between_siblings_speak_against_a_large_agreement() -> None:
    """One child of many pages hides in B-cubed that all the others are entangled."""
    large = people("/u/", ("zoe",), pages=[f"{number}.html" for number in range(200)])
    small = people("/u/", ("ann", "bob", "cid", "dan"))
    links = (*large.links, *small.links, *permutations(sorted(small.fetched), 2))
    entangled = Server(fetched=large.fetched | small.fetched, links=links)
    assert FILTER.judge(entangled.view()) is None
    assert levels(Components(NAMES, Limits(kinship=1)).judge(entangled.view())) == {"/u/": 3}


def test_only_the_outermost_directory_gets_a_rule() -> None:
    """A person's own directories can be components too."""
    inner = people("/u/ann/", ("x-files", "y-files"))
    outer = people("/u/", ("bob", "cid"))
    links = (*inner.links, *outer.links, ("/u/ann/", "/u/ann/x-files/"), ("/u/ann/", "/u/ann/y-files/"))
    server = Server(fetched=inner.fetched | outer.fetched | {"/u/ann/"}, links=links)
    assert levels(FILTER.judge(server.view())) == {"/u/": 3}


def test_several_places_get_a_rule_each() -> None:
    one, other = people("/x/u/", THREE), people("/y/", ("eve", "fay"))
    joined = ("/x/u/ann/", "/y/eve/")
    verdict = opinion(
        FILTER, Server(fetched=one.fetched | other.fetched, links=(*one.links, *other.links, joined)).view()
    )
    assert levels(verdict) == {"/x/u/": 4, "/y/": 3}
    assert verdict.counts == {"prefixes": 2, "sites": 5}


LIMITS = st.builds(
    Limits,
    sizable=st.sampled_from((1, 2)),
    agreement=st.sampled_from((0.1003, 0.5003, 0.7003, 0.9003)),  # no fraction of small numbers
    kinship=st.sampled_from((0.06, 0.3, 1.0)),
    topical=st.sampled_from((0.3, 1.0)),
)


@LONG
@given(servers(segments=("ann", "bell", "c", "~x", "news"), depth=3), LIMITS)
def test_filter_5_is_its_definition(server: Server, limits: Limits) -> None:
    twin = Literal(server)
    fits = {
        place
        for place in twin.directories
        if len(twin.with_pages(place, 2)) >= max(limits.sizable, len(twin.with_pages(place, 1)) / 2)
        and twin.agreement(place) >= limits.agreement
        and twin.kinship(place) <= limits.kinship
        and twin.topical(place, NAMES) <= limits.topical
    }
    verdict = Components(NAMES, limits).judge(server.view())
    assert levels(verdict) == {place: place.count("/") + 1 for place in outermost(fits)}
    assert verdict is None or verdict.counts["sites"] == sum(len(twin.children(place)) for place in outermost(fits))
