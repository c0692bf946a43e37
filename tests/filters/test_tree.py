"""The directory tree of a server, as arrays."""

from __future__ import annotations

import pytest
from hypothesis import given

from filters.base import parents, view
from filters.tree import MAX_DEPTH, Tree
from tests.filters.servers import PATIENTLY, Server, servers


def homes(*paths: str, fetched: tuple[str, ...] = ()) -> dict[str, str]:
    seen = view("h.example", paths, fetched=fetched)
    tree = Tree(seen)
    return {path: tree.names[place] for path, place in zip(seen.paths, tree.home, strict=True)}


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("/", "/"),
        ("/x.html", "/"),
        ("/a/b/", "/a/b/"),
        ("/a/b", "/a/"),
        ("/a//b", "/a//"),
        ("/a/~x/b/c", "/a/"),  # the user's pages count as if they stood where the tilde does
        ("/~x", "/"),
        ("/a~/b", "/a~/"),
        ("/1/2/3/4/5/6/7/x", "/1/2/3/4/5/6/7/"),
        ("/1/2/3/4/5/6/7/8/9/x", "/1/2/3/4/5/6/7/"),
        ("/a/cgi-bin/finger/alice/x", "/a/cgi-bin/"),
        ("/a/p.gif", "/"),  # a picture shows no directory of pages …
    ],
)
def test_where_a_page_stands(path: str, home: str) -> None:
    assert homes(path) == {path: home}


def test_what_was_had_as_a_page_is_one_whatever_its_name() -> None:
    """… unless it was fetched, and was HTML."""
    assert homes(fetched=("/a/p.gif",)) == {"/a/p.gif": "/a/"}


@PATIENTLY
@given(servers(depth=12))
def test_parents_come_first_and_stand_one_step_higher(server: Server) -> None:
    tree = Tree(server.view())
    for place in range(1, len(tree)):
        assert tree.parent[place] < place
        assert tree.depth[place] == tree.depth[tree.parent[place]] + 1 == tree.names[place].count("/") <= MAX_DEPTH
        assert tree.names[place].startswith(tree.names[tree.parent[place]])


@PATIENTLY
@given(servers(depth=12))
def test_a_page_at_a_depth_is_its_directory_there(server: Server) -> None:
    """Of every page and depth: the directory above it with so many slashes, and -1 where there is none."""
    seen = server.view()
    tree = Tree(seen)
    for depth in range(1, tree.deepest + 1):
        found = [tree.names[place] if place >= 0 else "" for place in tree.at(depth)]
        above = [parents(tree.names[home]) for home in tree.home]
        assert found == [one[depth - 1] if len(one) >= depth else "" for one in above]


def test_a_directory_has_a_number_and_a_name() -> None:
    tree = Tree(view("h.example", ("/u/ann/", "/u//x")))
    assert [tree.place(name) is None for name in ("/", "/u/", "/u/ann/", "/u//", "/u/bob/")] == [False] * 4 + [True]
    assert [tree.name(tree.names.index(name)) for name in ("/u/ann/", "/u//", "/")] == ["ann", "", ""]


def test_an_empty_server_is_a_root() -> None:
    tree = Tree(view("h.example", ()))
    assert (len(tree), tree.deepest, tree.pages_below.tolist()) == (1, 1, [0])
