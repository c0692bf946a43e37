"""What filters speak of: paths, directories, and the view of a server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.base import is_entry, is_file, known_directories, may_be_page, parents, view, without_arguments
from tests.filters.servers import PATIENTLY, Server, paths_of, servers


@pytest.mark.parametrize(
    ("path", "above"),
    [
        ("/", ["/"]),
        ("/x.html", ["/"]),
        ("/a/", ["/", "/a/"]),
        ("/a/b/c", ["/", "/a/", "/a/b/"]),
        ("/a//c", ["/", "/a/", "/a//"]),  # an empty name is a name
        ("//", ["/", "//"]),
    ],
)
def test_parents(path: str, above: list[str]) -> None:
    assert list(parents(path)) == above


@pytest.mark.parametrize(
    ("paths", "fetched", "known"),
    [
        ([], [], []),
        (["/"], [], ["/"]),
        (["/bob/"], [], ["/"]),  # whoever wrote the link may have guessed
        (["/bob/"], ["/bob/"], ["/", "/bob/"]),
        (["/bob/x"], [], ["/", "/bob/"]),
        (["/a/b/"], [], ["/", "/a/"]),
        (["/a//b"], [], ["/", "/a/", "/a//"]),
        (["/a//"], ["/a//"], ["/", "/a/", "/a//"]),
    ],
)
def test_known_directories(paths: list[str], fetched: list[str], known: list[str]) -> None:
    assert sorted(known_directories(paths, fetched)) == known


@PATIENTLY
@given(st.lists(paths_of(("a", "b", "~x"))), st.integers(0, 5))
def test_known_directories_are_their_literal_reading(paths: list[str], some: int) -> None:
    """A directory is known when something other than itself stands in it, or when its own page was had."""
    fetched = [path for path in paths[:some] if path.endswith("/")]
    above = {one for path in paths for one in parents(path) if one != path or one in ("/", *fetched)}
    assert known_directories(paths, fetched) == above


@pytest.mark.parametrize(
    ("path", "page", "file"),
    [
        ("/a/photo.GIF", False, True),
        ("/thesis.ps", False, True),
        ("/robots.txt", False, True),
        ("/about.html", True, True),
        ("/cgi/search.PL", True, True),
        ("/alice", True, False),
        ("/j.smith", True, False),  # a login, not an ending
        ("/gif", True, False),
        ("/a.gif/", True, False),  # a directory, whatever it is called
        ("/", True, False),
    ],
)
def test_what_a_name_ends_with(path: str, page: bool, file: bool) -> None:
    assert (may_be_page(path), is_file(path)) == (page, file)


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/a/cgi-bin/finger/alice", "/a/cgi-bin/"),
        ("/CGI/x", "/CGI/"),
        ("/cgi-bin", "/cgi-bin"),
        ("/magicgi/x", "/magicgi/x"),
        ("/a/scripts/b/cgi-bin/c", "/a/scripts/"),
        ("/a/b", "/a/b"),
    ],
)
def test_what_stands_below_programs_is_their_arguments(path: str, kept: str) -> None:
    assert without_arguments(path) == kept


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("/", True),
        ("/u/alice/", True),
        ("/u/alice/Alice.html", True),
        ("/u/alice/HOME.html", True),
        ("/u/alice/welcome", True),
        ("/u/alice/homework.html", False),
        ("/u/alice/cv.html", False),
        ("/u/alice", False),
    ],
)
def test_entries(path: str, entry: bool) -> None:
    assert is_entry(path) == entry


@pytest.mark.parametrize(
    ("server", "host"),
    [
        ("h.example", "h.example"),
        ("h.example:8080", "h.example"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:81", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[2001:db8::1]:8080", "[2001:db8::1]"),
        ("[2001:db8::80]", "[2001:db8::80]"),
    ],
)
def test_host_is_the_server_without_its_port(server: str, host: str) -> None:
    assert view(server, ()).host == host


@PATIENTLY
@given(servers())
def test_a_view_holds_each_path_and_each_link_once(server: Server) -> None:
    """Sorted, without links of a page to itself, and with the pages that only links tell of."""
    seen = server.view()
    ends = list(zip(seen.sources.tolist(), seen.targets.tolist(), strict=True))
    links = {(seen.paths[a], seen.paths[b]) for a, b in ends}
    assert list(seen.paths) == sorted({*server.paths, *server.fetched, *(end for link in server.links for end in link)})
    assert links == {(a, b) for a, b in server.links if a != b}
    assert len(ends) == len(links)
    assert {path for path, had in zip(seen.paths, seen.fetched, strict=True) if had} == server.fetched


def test_a_view_keeps_what_it_is_told() -> None:
    seen = view("h.example", ("/b",), outside={"/b": 3}, redirected=("/b/",), complete=True, titles={"/b": "B"})
    assert (seen.outside.tolist(), seen.complete, seen.titles) == ([3], True, {"/b": "B"})
    assert seen.directories == {"/", "/b/"}


def test_an_empty_view() -> None:
    seen = view("h.example", ())
    assert (seen.paths, seen.directories, len(seen.sources), int(seen.fetched.sum())) == ((), frozenset(), 0, 0)
