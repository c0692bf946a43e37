"""Filter 1: names that begin with a tilde are users', at whatever depth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import urls
from filters import chain
from filters.base import view
from filters.layout import Layout
from filters.tilde import Tilde
from tests.filters.servers import LONG, levels, opinion, paths_of

CHAIN = chain.chain()


@pytest.mark.parametrize(
    ("paths", "rules", "sites"),
    [
        (["/~alice/x.html"], {"/": 2}, 1),
        (["/~alice/", "/~alice/x", "/~alice"], {"/": 2}, 1),  # one user, however written
        (["/~alice/", "/~bob"], {"/": 2}, 2),
        (["/physics/~dora/", "/~alice/"], {"/": 2, "/physics/": 3}, 2),
        (["/a/b/c/d/e/f/g/h/i/~deep/x"], {"/a/b/c/d/e/f/g/h/i/": 11}, 1),
        (["/dept/~alice/~old/x"], {"/dept/": 3}, 1),  # a tilde inside a user's directory is the user's own
        (["/a//~x/"], {"/a//": 4}, 1),
        (["//~x/"], {"//": 3}, 1),
        (["/~"], {"/": 2}, 1),
    ],
)
def test_where_users_stand(paths: list[str], rules: dict[str, int], sites: int) -> None:
    verdict = opinion(Tilde(), view("h.example", paths))
    assert levels(verdict) == rules
    assert verdict.counts == {"prefixes": len(rules), "sites": sites}
    assert all(rule.only == "~" and rule.bare for rule in verdict.rules)


def test_the_reason_counts_the_places() -> None:
    assert opinion(Tilde(), view("h.example", ["/~a"])).reason == "1 directory with ~users below"
    assert opinion(Tilde(), view("h.example", ["/~a", "/b/~c"])).reason == "2 directories with ~users below"


@pytest.mark.parametrize("paths", [[], ["/"], ["/a~b/c"], ["/a/b~"], ["/%7Ealice/x"], ["/tilde/x"]])
def test_no_opinion_where_no_name_begins_with_a_tilde(paths: list[str]) -> None:
    assert Tilde().judge(view("h.example", paths)) is None


@pytest.mark.parametrize("written", ["%7Ealice", "%7ealice", "~alice"])
def test_an_escaped_tilde_is_one_in_canonical_urls(written: str) -> None:
    """The filter sees canonical URLs: the escape is undone before (SPEC section 2)."""
    url = urls.canonical(f"http://h.example/dept/{written}/x.html")
    assert url is not None
    assert levels(Tilde().judge(view("h.example", [urls.split(url).path]))) == {"/dept/": 3}


@pytest.mark.parametrize(
    ("server", "path", "top"),
    [
        ("h.example", "/~alice/a/b.html", "/~alice/"),
        ("h.example", "/~alice", "/~alice/"),
        ("h.example", "/a/b/~alice/c/d", "/a/b/~alice/"),
        ("h.example", "/~alice/friends/~bob/", "/~alice/"),
        ("h.example", "/research/", "/"),
        ("127.0.0.1:8080", "/~alice/x", "/~alice/"),
        ("[::1]:81", "/~alice/x", "/~alice/"),
    ],
)
def test_site_of_a_path(server: str, path: str, top: str) -> None:
    assert chain.decide(view(server, (path,)), CHAIN).site(path)[0] == top


def test_what_stands_beside_users_is_the_administrators() -> None:
    paths = ("/~alice/a", "/research/b", "/dept/~bob/c", "/dept/news/d")
    layout = chain.decide(view("h.example", paths), CHAIN)
    assert [layout.site(path)[0] for path in paths] == ["/~alice/", "/", "/dept/~bob/", "/"]


def literal(path: str) -> str:
    """Filter 1 word for word: up to and with the first segment that begins with a tilde, else the whole server."""
    segments = path.split("/")
    for place, segment in enumerate(segments):
        if segment.startswith("~"):
            return "/".join(segments[: place + 1]) + "/"
    return "/"


@LONG
@given(st.lists(paths_of(("~a", "~", "x", "a~", "cs", ""), depth=6), min_size=1))
def test_the_tilde_is_its_literal_reading(paths: list[str]) -> None:
    """Whatever else stands on the server, a path's site is the one that its own first tilde names."""
    seen = view("h.example", paths)
    verdict = Tilde().judge(seen)
    layout = Layout(verdict.rules if verdict else (), seen.directories)
    assert [layout.site(path)[0] for path in paths] == [literal(path) for path in paths]
    assert (verdict.counts["sites"] if verdict else 0) == len({literal(path) for path in paths} - {"/"})
