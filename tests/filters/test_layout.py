"""Sites and levels (SPEC section 3), against a slow and literal reading of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters import chain, suffixes
from filters.base import Rule, view
from filters.layout import Layout

TABLE = suffixes.parse("geocities.co.jp\t3\t\nsites.google.com/view\t3\t\njp.example\t2\t\n")
FILTERS = chain.chain(TABLE)

CASES = [
    ("geocities.co.jp", "/Playtown-Denei/1722/src/SRC.html", "/Playtown-Denei/1722/"),
    ("geocities.co.jp", "/Playtown-Denei/1722/", "/Playtown-Denei/1722/"),
    ("geocities.co.jp", "/Playtown-Denei/1722", "/"),  # not known as a directory
    ("geocities.co.jp", "/Playtown-Denei/", "/"),
    ("geocities.co.jp", "/", "/"),
    ("geocities.co.jp:8080", "/a/b/c", "/a/b/"),
    ("sub.geocities.co.jp", "/a/b/c", "/a/b/"),
    ("evilgeocities.co.jp", "/a/b/c", "/"),  # a suffix ends on a label boundary
    ("sites.google.com", "/view/alice/home", "/view/alice/"),
    ("sites.google.com", "/about/alice/home", "/"),
    ("alice.github.io", "/project/~x/", "/"),
    ("github.io", "/~x/a", "/~x/"),  # the suffix itself is not below one
    ("host.example", "/~alice/a/b.html", "/~alice/"),
    ("host.example", "/~alice", "/~alice/"),
    ("host.example", "/a/b/~alice/c/d", "/a/b/~alice/"),
    ("host.example", "/~alice/friends/~bob/", "/~alice/"),  # a tilde inside a user's directory is the user's own
    ("host.example", "/research/", "/"),
    ("host.example", "/a~b/c", "/"),
    ("127.0.0.1", "/~alice/x", "/~alice/"),
    ("[::1]:81", "/~alice/x", "/~alice/"),
]


@pytest.mark.parametrize(("server", "path", "site"), CASES)
def test_site_of_a_path(server: str, path: str, site: str) -> None:
    assert chain.decide(view(server, (path,)), FILTERS).site(path)[0] == site


def test_what_stands_beside_users_is_the_administrators() -> None:
    paths = ("/~alice/a", "/research/b", "/dept/~bob/c", "/dept/news/d")
    layout = chain.decide(view("h.example", paths), FILTERS)
    assert [layout.site(path)[0] for path in paths] == ["/~alice/", "/", "/dept/~bob/", "/"]


def test_a_path_without_last_slash_lies_in_a_directory_that_is_known() -> None:
    alone, known = view("jp.example", ("/bob",)), view("jp.example", ("/bob", "/bob/x.html"))
    assert chain.decide(alone, FILTERS).site("/bob")[0] == "/"
    assert chain.decide(known, FILTERS).site("/bob")[0] == "/bob/"


def test_the_longest_rule_decides_alone() -> None:
    layout = Layout((Rule("/", 2, "x", ""), Rule("/homes/", 3, "y", "")))
    assert layout.site("/homes/bob/x")[0] == "/homes/bob/"
    assert layout.site("/homes/index.html") == ("/", None)  # not /homes/, which the shorter rule would say
    assert layout.site("/other/x")[0] == "/other/"


def test_an_earlier_filter_is_not_split_by_a_later_one() -> None:
    layout = chain.decide(view("geocities.co.jp", ("/a/1722/~x/p", "/a/~y/p")), FILTERS)
    assert layout.site("/a/1722/~x/p")[0] == "/a/1722/"
    assert {rule.filter for rule in layout.rules} == {"suffixes", "tilde"}


def test_explain_lists_every_opinion() -> None:
    opinions = dict(chain.explain(view("geocities.co.jp", ("/a/~y/p",)), FILTERS))
    assert list(opinions) == ["suffixes", "tilde"]
    assert opinions["suffixes"] is not None
    assert opinions["suffixes"].reason == "geocities.co.jp is in the database"
    assert opinions["tilde"] is not None


def test_no_opinion_on_an_unknown_server() -> None:
    assert all(verdict is None for _, verdict in chain.explain(view("h.example", ("/a/b",)), FILTERS))


def test_the_longest_suffix_wins() -> None:
    table = suffixes.parse("example.org\t3\nusers.example.org\t2\n")
    verdict = suffixes.Suffixes(table).judge(view("a.users.example.org", ()))
    assert verdict is not None
    assert verdict.rules[0].level == 2


def test_the_database_can_say_more_than_the_public_suffix_list() -> None:
    verdict = suffixes.Suffixes(suffixes.parse("github.io\t2\tprojects")).judge(view("alice.github.io", ()))
    assert verdict is not None
    assert verdict.rules[0].level == 2


@pytest.mark.parametrize("line", ["geocities.com", "geocities.com\tx", "\t3", "a.example/b/c\t2"])
def test_a_bad_line_is_named(line: str) -> None:
    with pytest.raises(suffixes.TableError, match="line 2"):
        suffixes.parse(f"# comment\n{line}\n")


def literal(server: str, path: str, every: list[str]) -> str:
    """SPEC sections 3 and 4, read word by word for the three servers below."""
    directories = {p[: i + 1] for p in every for i in range(len(p)) if p[i] == "/"}
    last = path.split("/")[-1]
    if last and (last[0] == "~" or path + "/" in directories):
        path += "/"
    segments = path.split("/")[1:-1]
    if server == "alice.github.io":
        return "/"
    if server == "geocities.co.jp":
        if len(segments) >= 2:
            return f"/{segments[0]}/{segments[1]}/"
        return "/"
    for number, segment in enumerate(segments):
        if segment.startswith("~"):
            return "/" + "/".join(segments[: number + 1]) + "/"
    return "/"


SEGMENT = st.sampled_from(["a", "b", "~u", "~v", "~", "x.html", "a~"])
PATH = st.builds(
    lambda parts, slash: "/" + "/".join(parts) + ("/" if slash and parts else ""),
    st.lists(SEGMENT, max_size=5),
    st.booleans(),
)


@given(st.sampled_from(["h.example", "geocities.co.jp", "alice.github.io"]), st.lists(PATH, min_size=1, max_size=8))
def test_against_the_literal_twin(server: str, paths: list[str]) -> None:
    layout = chain.decide(view(server, tuple(paths)), FILTERS)
    assert [layout.site(path)[0] for path in paths] == [literal(server, path, paths) for path in paths]
