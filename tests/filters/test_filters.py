"""Filters 0 and 1, and the order they stand in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters import chain, suffixes
from filters.base import Rule, view
from filters.layout import Layout

TABLE = suffixes.parse(
    "# comment\ngeocities.co.jp\t3\trental\nsites.google.com/view\t3\nmembers.example.net\t2\nexample.net\t1\n"
)
FILTERS = chain.chain(TABLE)
SEGMENTS = st.lists(st.sampled_from(["~a", "~b", "x", "y", "cs"]), max_size=4)


def site(server: str, path: str, *others: str) -> str:
    return chain.decide(view(server, (path, *others)), FILTERS).site(path)[0]


@pytest.mark.parametrize(
    ("server", "path", "expected"),
    [
        ("www.geocities.co.jp", "/Playtown-Denei/1722/src/SRC.html", "/Playtown-Denei/1722/"),  # NCF's own example
        ("geocities.co.jp", "/about.html", "/"),
        ("notgeocities.co.jp", "/Playtown-Denei/1722/x.html", "/"),  # only on a label boundary
        ("sites.google.com", "/view/alice/home", "/view/alice/"),
        ("sites.google.com", "/site/alice/home", "/"),
        ("members.example.net", "/bob/x.html", "/bob/"),  # the longest suffix
        ("other.example.net", "/bob/x.html", "/"),
        ("cs.example.edu", "/~alice/x.html", "/~alice/"),
        ("cs.example.edu", "/~alice", "/~alice/"),
        ("cs.example.edu", "/dept/~alice/~old/x.html", "/dept/~alice/"),  # sites never nest
        ("cs.example.edu", "/research/x.html", "/"),
        ("cs.example.edu", "/", "/"),
        ("alice.github.io", "/blog/x.html", "/"),
        ("alice.github.io", "/~bob/x.html", "/"),  # filter 0 has spoken of the whole host
    ],
)
def test_site_of_a_path(server: str, path: str, expected: str) -> None:
    assert site(server, path) == expected


def test_research_beside_users_is_the_administrators() -> None:
    assert site("h.example.edu", "/research/x.html", "/~alice/", "/~bob/") == "/"


def literal_tilde(path: str) -> str:
    """Filter 1 word for word: up to and with the first segment that begins with a tilde, else the whole server."""
    segments = path.split("/")
    for place, segment in enumerate(segments):
        if segment.startswith("~"):
            return "/".join(segments[: place + 1]) + "/"
    return "/"


@given(st.lists(SEGMENTS, min_size=1, max_size=6), st.booleans())
def test_tilde_is_its_literal_reading(paths: list[list[str]], slash: bool) -> None:
    """Whatever else stands on the server, a path's site is the one that its own first tilde names."""
    texts = ["/" + "/".join(path) + ("/" if slash and path else "") for path in paths]
    layout = chain.decide(view("h.example.edu", tuple(texts)), FILTERS)
    assert [layout.site(text)[0] for text in texts] == [literal_tilde(text) for text in texts]


@given(st.integers(1, 4), SEGMENTS, st.booleans())
def test_level_is_its_literal_reading(level: int, segments: list[str], slash: bool) -> None:
    """A level cuts after the level-th slash; a page with fewer slashes is the administrator's."""
    path = "/" + "/".join(segments) + ("/" if slash and segments else "")
    ends = [place for place, char in enumerate(path) if char == "/"]
    tilde_end = bool(segments) and not slash and segments[-1].startswith("~")
    if tilde_end:
        path_read, ends = path + "/", [*ends, len(path)]
    else:
        path_read = path
    expected = path_read[: ends[level - 1] + 1] if len(ends) >= level else "/"
    assert Layout((Rule("/", level, "test", ""),)).site(path)[0] == expected


def test_every_opinion_is_kept() -> None:
    opinions = dict(chain.explain(view("www.geocities.co.jp", ("/~x/",)), FILTERS))
    assert set(opinions) == {"suffixes", "tilde"}
    assert all(opinion is not None and opinion.reason for opinion in opinions.values())


@pytest.mark.parametrize("line", ["geocities.com", "geocities.com\tmany", "\t3", "h.example/a/b\t1"])
def test_bad_lines_of_the_database_are_named(line: str) -> None:
    with pytest.raises(suffixes.TableError, match="line 2"):
        suffixes.parse(f"ok.example\t2\n{line}")
