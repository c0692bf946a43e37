"""Sites and levels (SPEC section 3), beside a scan over all rules."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.base import DIGIT, ROOT, Rule, is_file
from filters.layout import Layout, cut
from filters.patterns import parse
from tests.filters.servers import LONG, PATIENTLY, joined, paths_of


def rule(prefix: str, level: int, only: str = "", bare: bool = False) -> Rule:
    return Rule(prefix, level, "test", "because", only, bare)


def layout(*lines: str, directories: tuple[str, ...] = ()) -> Layout:
    """The layout of h.example by lines of a table."""
    text = "\n".join(f"h.example{line.replace(' ', chr(9))}" for line in lines)
    return Layout((entry.rule("test") for entry in parse(text).about("h.example")), frozenset(directories))


@pytest.mark.parametrize(
    ("level", "path", "top"),
    [
        (3, "/Playtown-Denei/1722/src/SRC.html", "/Playtown-Denei/1722/"),  # NCF's own example
        (3, "/Playtown-Denei/1722/", "/Playtown-Denei/1722/"),
        (3, "/Playtown-Denei/1722", "/"),  # not known as a directory
        (3, "/Playtown-Denei/", "/"),
        (3, "/Playtown-Denei/~x", "/Playtown-Denei/~x/"),
        (3, "/", "/"),
        (2, "/about.html", "/"),
        (1, "/a/b/c", "/"),
        (2, "//x", "//"),  # the cut is after the second slash, whatever stands between
        (3, "/a//x", "/a//"),
        (99, "/" * 200, "/" * 99),
    ],
)
def test_a_level_cuts_after_so_many_slashes(level: int, path: str, top: str) -> None:
    assert Layout((rule("/", level),)).site(path)[0] == top


STARS = ("/* 2", "/orgs/* 3", "/about 1")


@pytest.mark.parametrize(
    ("lines", "path", "top"),
    [
        (STARS, "/alice", "/alice/"),
        (STARS, "/alice/", "/alice/"),
        (STARS, "/alice/repo/x.html", "/alice/"),
        (STARS, "/alice/repo", "/alice/"),
        (STARS, "/j.smith", "/j.smith/"),
        (STARS, "/robots.txt", "/"),  # a file is nobody's name …
        (STARS, "/about.html", "/"),
        (STARS, "/about.html/", "/about.html/"),  # … and a directory is no file
        (STARS, "/about", "/"),
        (STARS, "/about/team/x", "/"),
        (STARS, "/orgs", "/"),
        (STARS, "/orgs/", "/"),  # the longest rule decides alone, also above its level
        (STARS, "/orgs/acme", "/orgs/acme/"),
        (STARS, "/", "/"),
        (("/@* 2",), "/@alice", "/@alice/"),
        (("/@* 2",), "/@alice/x", "/@alice/"),
        (("/@* 2",), "/topics/x", "/"),
        (("/@* 2", " 3"), "/topics/x/y", "/topics/x/"),
        (("/@* 2", " 3"), "/@alice/x/y", "/@alice/"),  # a rule on some names before the rule on all
        (("/Tokyo/#* 3",), "/Tokyo/1722", "/Tokyo/1722/"),
        (("/Tokyo/#* 3",), "/Tokyo/1722/x", "/Tokyo/1722/"),
        (("/Tokyo/#* 3",), "/Tokyo/17th-street/x", "/Tokyo/17th-street/"),
        (("/Tokyo/#* 3",), "/Tokyo/pics/1722/x", "/"),
        (("/Tokyo/#* 3",), "/Tokyo/1722.html", "/"),
        (("/Tokyo/#* 3",), "/Tokyo/#x/y", "/"),  # the sign itself is no digit
        (("/u 3",), "/u/bob", "/"),  # without a star, a name alone is no directory
        (("/u 2",), "/u/bob/x", "/u/"),  # a directory that is a site
        (("/u 2",), "/v/x", "/"),
    ],
)
def test_lines_of_a_table_divide_a_server(lines: tuple[str, ...], path: str, top: str) -> None:
    assert layout(*lines).site(path)[0] == top


def test_a_path_without_last_slash_lies_in_a_directory_that_is_known() -> None:
    assert layout(" 2").site("/bob")[0] == "/"
    assert layout(" 2", directories=("/bob/",)).site("/bob")[0] == "/bob/"


def test_the_administrators_site_has_a_rule_only_when_one_speaks_of_it() -> None:
    found = layout("/u 3", "/cgi 1")
    assert found.site("/cgi/x/y")[1] == found.rules[1]
    assert found.site("/u/index.html") == found.site("/x") == ("/", None)


def test_a_layout_without_rules_is_one_site() -> None:
    assert Layout().site("/~alice/x") == ("/", None)


def decides(rules: tuple[Rule, ...], path: str) -> Rule | None:
    """The longest rule that speaks of a path, and of those in one place the one that asks for most of the name."""
    fits = [one for one in rules if path.startswith(one.prefix) and named(one, path)]
    return max(fits, key=lambda one: (len(one.prefix), len(one.only)), default=None)


def named(one: Rule, path: str) -> bool:
    if not one.only:
        return True
    directories = path.split("/")[:-1]  # the first is the host's own
    name = directories[one.level - 1] if len(directories) >= one.level else ""
    return name[:1].isdigit() if one.only == DIGIT else name.startswith(one.only)


def scanned(rules: tuple[Rule, ...], directories: frozenset[str], path: str) -> tuple[str, Rule | None]:
    """SPEC section 3 by a look at every rule."""
    closed, last = f"{path}/", path.split("/")[-1]
    starred = decides(rules, closed) if last and not is_file(path) else None
    by_star = starred is not None and starred.bare and closed.count("/") == starred.level
    if last and (last.startswith("~") or closed in directories or by_star):
        path = closed
    one = decides(rules, path)
    if one is None or path.count("/") < one.level:
        return ROOT, None
    return "/".join(path.split("/")[: one.level]) + "/", one


SEGMENTS = ("a", "b", "~x", "@y", "7", "")


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """A rule that a table or a filter could make: those on some names are about the next level."""
    segments = draw(st.lists(st.sampled_from(("a", "b", "")), max_size=3))
    only, depth = draw(st.sampled_from(("", "", "~", "@", "@y", DIGIT))), len(segments) + 1
    bare = bool(only) or draw(st.booleans())
    level = depth + 1 if bare else draw(st.sampled_from((1, depth, depth + 1, depth + 2)))
    return rule(joined(segments, ""), level, only, bare)


PATHS = paths_of(SEGMENTS, depth=5)


@LONG
@given(st.lists(rules(), max_size=6, unique_by=lambda one: (one.prefix, one.only)), st.lists(PATHS), st.sets(PATHS))
def test_sites_are_those_of_a_scan_over_all_rules(found: list[Rule], paths: list[str], known: set[str]) -> None:
    directories = frozenset(path for path in known if path.endswith("/"))
    divided = Layout(found, directories)
    for path in (*paths, *known):
        assert divided.site(path) == scanned(tuple(found), directories, path)


@PATIENTLY
@given(st.lists(rules(), max_size=6), rules())
def test_what_an_earlier_rule_settles(found: list[Rule], later: Rule) -> None:
    """A rule is settled by one on the same names of its place, or inside a site; else it is new."""
    same = any(one.prefix == later.prefix and one.only in ("", later.only) for one in found)
    above = decides(tuple(found), later.prefix)
    inside = above is not None and later.prefix.count("/") >= above.level
    assert Layout(found).settles(later) == (same or inside)


@pytest.mark.parametrize(
    ("later", "settled"),
    [(rule("/", 2, "~"), False), (rule("/a/", 3, "~"), False), (rule("/", 2), True), (rule("/a/", 3), True)],
)
def test_a_rule_that_yields_lets_later_rules_on_some_names_in(later: Rule, settled: bool) -> None:
    """Who was given a host may have ~guests on it; otherwise it is one site."""
    assert Layout((replace(rule("/", 1), yields=True),)).settles(later) == settled
    assert Layout((rule("/", 1),)).settles(later)


@PATIENTLY
@given(rules(), PATHS)
def test_a_cut_is_a_beginning_with_so_many_slashes(one: Rule, path: str) -> None:
    top = cut(one, path)
    assert path.startswith(top)
    assert top.count("/") == (one.level if path.count("/") >= one.level else 0)
