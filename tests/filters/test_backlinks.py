"""Filter 6: many sibling directories with few links into them are users' directories."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.backlinks import Backlinks, Limits
from filters.names import Names
from tests.filters.literal import Literal, last, outermost
from tests.filters.servers import LONG, Server, levels, opinion, people, servers

NAMES = Names(frozenset({"news", "photos"}))
LIMITS = Limits(siblings=6, fetched=2, few=2, personal=0.5, backlinks=3, kinship=0.1, topical=0.3, at_root=3)
FILTER = Backlinks(NAMES, LIMITS)  # the limits are chosen on labelled data and may change: these are the tests' own
MANY = ["".join(letters) for letters in product("bdg", "ae", "lmn")]  # eighteen names of nobody


def alone(place: str, names: list[str]) -> Server:
    """Directories of one page each."""
    return people(place, names, pages=("",))


def linked(server: Server, sources: list[str]) -> Server:
    """Each of some pages links to all the others."""
    links = tuple((source, page) for source in sources for page in server.fetched)
    return Server(fetched=server.fetched | set(sources), links=links)


@pytest.mark.parametrize("place", ["/u/", "/a/b/u/", "/x//"])
def test_many_directories_that_nobody_links_to_are_users(place: str) -> None:
    verdict = opinion(FILTER, alone(place, MANY[:6]).view())
    assert levels(verdict) == {place: place.count("/") + 1}
    assert verdict.counts == {"prefixes": 1}
    assert verdict.reason == "below 1 of its directories stand many that few pages link to"
    assert verdict.rules[0].reason.startswith(f"6 directories stand below {place}, a median of 0 pages")


def test_five_are_not_many() -> None:
    assert FILTER.judge(alone("/u/", MANY[:5]).view()) is None


@pytest.mark.parametrize(("had", "titled", "level"), [(0, 0, None), (1, 0, None), (2, 0, 3), (1, 1, 3)])
def test_names_that_are_only_known_count_when_some_were_had(had: int, titled: int, level: int | None) -> None:
    """A list of many users, of which two were visited, is a list of users; one, if titled with the owner's name."""
    paths = [f"/u/{name}/" for name in MANY]
    titles = {path: f"{last(path).title()} Smith" for path in paths[:titled]}
    server = Server(paths=tuple(paths), fetched=frozenset(paths[:had]), titles=titles)
    assert levels(FILTER.judge(server.view())).get("/u/") == level


@pytest.mark.parametrize(("sources", "few"), [(1, True), (3, True), (4, False)])
def test_the_median_of_the_pages_that_link_into_one(sources: int, few: bool) -> None:
    """Lists of everybody are links into each; so many of them, and it is an official part."""
    server = linked(alone("/u/", MANY[:6]), [f"/list{number}.html" for number in range(sources)])
    verdict = FILTER.judge(server.view())
    assert (verdict is not None) == few
    assert verdict is None or f"a median of {sources} pages" in verdict.rules[0].reason


def test_one_popular_user_does_not_change_the_median() -> None:
    server = alone("/u/", MANY[:6])
    links = tuple((f"/fan{number}.html", f"/u/{MANY[0]}/") for number in range(50))
    assert levels(FILTER.judge(Server(fetched=server.fetched, links=links).view())) == {"/u/": 3}


@pytest.mark.parametrize(("count", "level"), [(17, None), (18, 2)])
def test_a_servers_top_asks_for_more(count: int, level: int | None) -> None:
    """It is the administrator's own place."""
    assert levels(FILTER.judge(alone("/", MANY[:count]).view())).get("/") == level


def test_neighbors_that_all_link_to_each_other_are_no_users() -> None:
    """An official part has bars that link every part to every other."""
    server = alone("/u/", MANY[:6])
    bars = Server(fetched=server.fetched, links=tuple(permutations(sorted(server.fetched), 2)))
    assert Backlinks(NAMES, Limits(backlinks=99)).judge(bars.view()) is None
    assert levels(Backlinks(NAMES, Limits(backlinks=99, kinship=1)).judge(bars.view())) == {"/u/": 3}


@pytest.mark.parametrize("names", [["news", "photos", *MANY[:4]], ["1996", "1997", *MANY[:4]], list("abcdef")])
def test_names_of_topics_are_no_users(names: list[str]) -> None:
    assert FILTER.judge(alone("/u/", names).view()) is None


@pytest.mark.parametrize(
    ("titles", "level"),
    [
        ({}, None),
        ({"/u/ann/": "Ann Bell's Home Page", "/u/bell/": "Bob Bell"}, 3),
        ({"/u/ann/": "Ann Bell's Home Page", "/u/bell/": "A history of bells"}, 3),  # half of them
        ({"/u/ann/": "Dan Dee", "/u/bell/": "A history of bells"}, None),
        ({"/u/ann/": "Ann Bell's Home Page"}, 3),  # of those that have a title
    ],
)
def test_few_are_enough_where_entry_pages_name_their_owners(titles: dict[str, str], level: int | None) -> None:
    server = Server(fetched=frozenset({"/u/ann/", "/u/bell/"}), titles=titles)
    assert levels(FILTER.judge(server.view())).get("/u/") == level


def test_two_entries_of_one_person_are_one() -> None:
    """It is enough that one of them is titled with the name."""
    titles = {"/u/ann/": "Ann Bell", "/u/ann/index2.html": "Entry", "/u/bell/": "Entry"}
    server = Server(fetched=frozenset(titles), titles=titles)
    assert levels(FILTER.judge(server.view())) == {"/u/": 3}


@pytest.mark.parametrize(("letters", "rules"), [("abc", {"/u/": 4}), ("ab", {"/u/a/": 4, "/u/b/": 4})])
def test_users_two_levels_below(letters: str, rules: dict[str, int]) -> None:
    """/users/a/alice/: three parents of users, and not each by itself."""
    parts = [alone(f"/u/{letter}/", MANY[:6]) for letter in letters]
    verdict = opinion(FILTER, Server(fetched=frozenset().union(*(part.fetched for part in parts))).view())
    assert levels(verdict) == rules
    assert verdict.counts == {"prefixes": len(rules)}


@pytest.mark.parametrize(("others", "level"), [(1, 4), (2, None)])
def test_four_fifths_of_the_parents_must_fit(others: int, level: int | None) -> None:
    """A parent whose children do not fit, /u/x1/only/, speaks against the level."""
    parts = [alone(f"/u/{letter}/", MANY[:6]) for letter in "abcd"]
    odd = {f"/u/x{number}/only/" for number in range(others)}
    server = Server(fetched=frozenset(odd).union(*(part.fetched for part in parts)))
    assert levels(FILTER.judge(server.view())).get("/u/") == level


def test_the_smallest_level_that_fits_is_the_users() -> None:
    """Six people with six directories each: people, and not their directories."""
    parts = [alone(f"/u/{name}/", MANY[6:12]) for name in MANY[:6]]
    server = Server(fetched=frozenset().union(*(part.fetched for part in parts)))
    assert levels(FILTER.judge(server.view())) == {"/u/": 3}


def test_only_the_outermost_place_gets_a_rule() -> None:
    server, inner = alone("/u/", MANY[:6]), alone(f"/u/{MANY[0]}/", MANY[6:12])
    assert levels(FILTER.judge(Server(fetched=server.fetched | inner.fetched).view())) == {"/u/": 3}


@pytest.mark.parametrize(
    "server", [Server(), Server(fetched=frozenset({"/"})), alone("/~u/", MANY), alone("/cgi-bin/", MANY)]
)
def test_no_opinion(server: Server) -> None:
    assert FILTER.judge(server.view()) is None


def definition(server: Server, limits: Limits) -> dict[str, int]:
    """Filter 6 by what it says of itself, on the literal count of the evidence."""
    twin = Literal(server)

    def fits(place: str) -> bool:
        named = twin.personal(place, NAMES) >= limits.personal
        wanted = limits.few if named else limits.siblings
        return (
            len(twin.children(place)) >= wanted * (limits.at_root if place == "/" else 1)
            and len(twin.with_pages(place, 1)) >= (1 if named else limits.fetched)
            and twin.backlinks(place) <= limits.backlinks
            and twin.kinship(place) <= limits.kinship
            and twin.topical(place, NAMES) <= limits.topical
        )

    def fit_below(place: str) -> bool:
        holders = [child for child in twin.children(place) if twin.children(child)]
        return len(holders) >= 3 and sum(map(fits, holders)) >= 0.8 * len(holders)

    found = outermost(place for place in twin.directories if fits(place) or fit_below(place))
    return {place: place.count("/") + (1 if fits(place) else 2) for place in found}


SMALL = st.builds(
    Limits,
    siblings=st.sampled_from((1, 2, 3)),
    fetched=st.sampled_from((1, 2)),
    few=st.sampled_from((1, 2)),
    backlinks=st.sampled_from((0.0, 0.5, 1.0, 3.0)),
    kinship=st.sampled_from((0.06, 0.3)),
    topical=st.sampled_from((0.3, 0.6)),
    at_root=st.sampled_from((1, 2, 9)),
)


@LONG
@given(servers(segments=("ann", "bell", "cid", "~x", "news"), depth=3), SMALL)
def test_filter_6_is_its_definition(server: Server, limits: Limits) -> None:
    assert levels(Backlinks(NAMES, limits).judge(server.view())) == definition(server, limits)


def test_a_server_of_many_names_is_its_definition() -> None:
    """The same where random servers seldom come: two levels, titles and links at once."""
    parts = [alone(f"/u/{letter}/", MANY[: 4 + number]) for number, letter in enumerate("abcd")]
    fetched = frozenset().union(*(part.fetched for part in parts))
    titles = {page: f"{last(page).title()} Smith" for page in fetched}
    for limits in (LIMITS, Limits(siblings=5), Limits(siblings=99), Limits(siblings=99, personal=2.0)):
        server = Server(fetched=fetched, links=tuple(("/", page) for page in fetched), titles=titles)
        assert levels(Backlinks(NAMES, limits).judge(server.view())) == definition(server, limits)
