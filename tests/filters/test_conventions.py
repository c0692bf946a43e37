"""Parent directories whose name means that people live below."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters import chain
from filters.base import view
from filters.conventions import Conventions, parse
from filters.layout import Layout
from filters.names import Names
from tests.filters.literal import last, up
from tests.filters.servers import LONG, levels, opinion, paths_of

TABLE = parse("# comment\nusers\tpeople\tnote\nPeople\tpeople\nfaculty\tpeople,group\nstaff\tgroup\n")
NAMES = Names(frozenset({"news", "photos", "lists"}))
FILTER = Conventions(TABLE, NAMES)


def judged(*paths: str, titles: dict[str, str] | None = None) -> dict[str, int]:
    return levels(FILTER.judge(view("h.example", paths, titles=titles)))


@pytest.mark.parametrize(
    ("paths", "rules"),
    [
        (["/users/ann/x", "/users/bob/"], {"/users/": 3}),
        (["/Users/ann/x", "/Users/bob/"], {"/Users/": 3}),
        (["/a/b/users/ann/x", "/a/b/users/bob/"], {"/a/b/users/": 5}),
        (["/users/ann/x", "/users/bob/", "/a/people/cid/", "/a/people/eve/"], {"/users/": 3, "/a/people/": 4}),
        (["/users/ann/x", "/users/bob"], {}),  # a name alone is no directory
        (["/users/ann/x", "/users/ann/y"], {}),  # one person is no place where people live
        (["/users/ann/x", "/users/bob/p.gif"], {}),  # a picture shows no directory of pages
        (["/users//x", "/users/ann/y"], {}),
        (["/other/ann/x", "/other/bob/"], {}),
        (["/users/news/x", "/users/photos/x", "/users/ann/x"], {}),  # the name means something else here
        (["/users/news/x", "/users/ann/x"], {"/users/": 3}),
        (["/~x/users/ann/y", "/~x/users/bob/y"], {}),  # a user's own directories
        (["/users/ann/users/cid/x", "/users/ann/users/dan/x", "/users/bob/"], {"/users/": 3}),
        (["/cgi-bin/users/ann/x", "/cgi-bin/users/bob/x"], {}),  # arguments of a program
        (["/1/2/3/4/5/6/users/ann/x", "/1/2/3/4/5/6/users/bob/x"], {}),  # nobody keeps users so deep
        (["/1/2/3/4/5/users/ann/x", "/1/2/3/4/5/users/bob/x"], {"/1/2/3/4/5/users/": 8}),
        ([], {}),
        (["/"], {}),
        (["/users/"], {}),
    ],
)
def test_where_people_live(paths: list[str], rules: dict[str, int]) -> None:
    assert judged(*paths) == rules


@pytest.mark.parametrize(
    ("names", "level"),
    [("a b c", 4), ("a b", None), ("a b c ann", None), ("a b c d ann", 4), ("ann bob c", 3)],
)
def test_the_letters_of_an_index_stand_above_people(names: str, level: int | None) -> None:
    """Three letters or more, and four fifths of all names: /users/a/ann/. Fewer are topics, like other letters."""
    assert judged(*(f"/users/{name}/x/y" for name in names.split())).get("/users/") == level


@pytest.mark.parametrize(
    ("below", "rules"),
    [
        (["ann", "bob"], {"/people/": 3}),
        (["ann", "bob", "staff"], {"/people/": 3, "/people/staff/": 1}),  # a group is no person
        (["ann", "bob", "staff/cid", "staff/eve"], {"/people/": 3, "/people/staff/": 4}),
        (["staff/cid", "staff/eve"], {"/people/staff/": 4}),  # groups alone
        (["staff/cid", "faculty/eve"], {}),
        (["staff/users/cid", "staff/users/eve"], {"/people/staff/users/": 5}),
        (["ann/staff/cid", "ann/staff/dan", "bob"], {"/people/": 3}),  # a person's own staff
    ],
)
def test_groups_of_people(below: list[str], rules: dict[str, int]) -> None:
    assert judged(*(f"/people/{name}/x" for name in below)) == rules


def test_a_group_holds_people_only_below_a_name_for_people() -> None:
    assert judged("/staff/ann/x", "/staff/bob/x") == {}
    assert judged("/faculty/ann/x", "/faculty/bob/x") == {"/faculty/": 3}


@pytest.mark.parametrize(
    ("titles", "rules"),
    [
        ({}, {}),
        ({"/users/ann/": "Ann Bell's Home Page"}, {"/users/": 3}),
        ({"/users/ann/": "News of today"}, {}),
        ({"/users/bob/": "Bob Bell"}, {}),  # of a directory that is not there
    ],
)
def test_one_is_enough_where_the_entry_page_names_its_owner(titles: dict[str, str], rules: dict[str, int]) -> None:
    assert judged("/users/ann/x", titles=titles) == rules


def test_any_entry_page_may_name_the_owner() -> None:
    """As in filter 6: it is enough that one of them is titled with the name."""
    titles = {"/users/ann/": "Ann Bell's Home Page", "/users/ann/welcome.html": "Welcome"}
    assert judged(*titles, titles=titles) == {"/users/": 3}


@pytest.mark.parametrize(
    ("paths", "sites"),
    [
        (["/@ann", "/@bob"], 2),
        (["/@ann", "/@ann/1", "/@bob/2", "/@cid/"], 3),
        (["/@ann", "/@ann/1"], 0),  # one name is no custom
        (["/x/@ann", "/y/@bob"], 0),  # only at a server's top
        (["/@", "/@ann"], 0),
        (["/a@b", "/c@d"], 0),
        (["/@a.css", "/@b.js"], 0),  # files are nobody
    ],
)
def test_names_that_begin_with_an_at_sign(paths: list[str], sites: int) -> None:
    """As Mastodon and its kin write their users, with and without a last slash."""
    verdict = FILTER.judge(view("h.example", paths))
    assert [(rule.prefix, rule.level, rule.only, rule.bare) for rule in (verdict.rules if verdict else ())] == (
        [("/", 2, "@", True)] if sites else []
    )
    assert verdict is None or verdict.counts == {"prefixes": 1, "sites": sites}


def test_the_opinion_has_its_reason_and_its_counts() -> None:
    verdict = opinion(FILTER, view("h.example", ("/users/ann/", "/users/bob/", "/x/people/cid/", "/x/people/eve/")))
    assert verdict.reason.startswith("2 of its directories")
    assert verdict.counts == {"prefixes": 2, "sites": 4}
    assert verdict.rules[0].reason.startswith("/users/ is a name for a place where people live, and 2 ")


@pytest.mark.parametrize(
    ("paths", "sites"),
    [
        (["/users/ann/x", "/users/bob/x", "/users/staff/x"], 2),
        (["/users/a/ann/x", "/users/a/abe/x", "/users/b/bob/x", "/users/c/cid/x"], 4),
    ],
)
def test_the_counts_are_of_the_sites_that_the_rules_make(paths: list[str], sites: int) -> None:
    verdict = opinion(FILTER, view("h.example", paths))
    assert len({Layout(verdict.rules).site(path)[0] for path in paths} - {"/"}) == sites
    assert verdict.counts["sites"] == sites


def test_without_a_table_there_is_no_opinion() -> None:
    assert Conventions().judge(view("h.example", ("/users/ann/", "/users/bob/"))) is None


def test_people_beside_groups_and_files() -> None:
    paths = ("/people/ann/x", "/people/bob/y/z", "/people/staff/list", "/people/index.html", "/news/x")
    layout = chain.decide(view("h.example", paths), chain.chain(chain.Tables(parents=TABLE, names=NAMES)))
    assert [layout.site(path)[0] for path in paths] == ["/people/ann/", "/people/bob/", "/", "/", "/"]


def literal(paths: list[str], titles: dict[str, str]) -> dict[str, int]:
    """The filter word for word, from the top of the tree down."""
    above = {path[: end + 1] for path in paths for end, char in enumerate(path) if char == "/"} - {"/"}
    tree = {one for one in above if "/~" not in up(one)}
    rules: dict[str, int] = {}
    for place in sorted(tree, key=len):
        inside = [one for one in rules if place != one and place.startswith(one)]
        kinds, outer = TABLE.get(last(place).lower()), TABLE.get(last(up(place)) if up(place) != "/" else "")
        holds = up(place) in rules if inside else "people" in (kinds or ()) or "people" in (outer or ())
        children = {last(one) for one in tree if up(one) == place} - {""}
        if kinds is None or not holds:
            continue
        children = {child for child in children if not child.startswith("~")}  # users by filter 1, and no proof here
        persons = {child for child in children if child not in TABLE}
        letters = len([child for child in persons if len(child) == 1])
        indexed = letters >= 3 and letters >= 0.8 * len(persons)
        several = len(persons) >= 2 and NAMES.topical_share(persons) <= 0.5
        named = len(persons) == 1 and any(NAMES.is_person(one, titles.get(f"{place}{one}/", "")) for one in persons)
        if indexed or several or named:
            rules[place] = place.count("/") + (2 if indexed else 1)
            rules |= {f"{place}{child}/": 1 for child in children - persons}
    return rules


SEGMENTS = ("users", "people", "staff", "ann", "bob", "a", "b", "c", "~x", "news", "")
PATHS = st.lists(paths_of(SEGMENTS, depth=5).filter(lambda path: not path.endswith(".gif")), max_size=16)


@LONG
@given(PATHS, st.sampled_from(("Ann Bell", "Bob's pages", "News")))
def test_conventions_are_their_literal_reading(paths: list[str], title: str) -> None:
    titles = {path: title for path in paths if path.endswith("/")}
    assert judged(*paths, titles=titles) == literal(paths, titles)
