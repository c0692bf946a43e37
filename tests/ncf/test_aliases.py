"""Names that mean the same server or site: what joins them, what does not, and how a person undoes it."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.model import Alias, Fetched, Page, Redirect
from ncf import knowledge
from ncf.aliases import Aliases, Join, Said, moved_servers, of_store, same_servers, same_sites, settle
from ncf.atlas import Atlas
from ncf.sites import Site
from ncf.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.sqlite") as kept:
        yield kept


def keep(store: Store, url: str, content: str) -> None:
    store.keep(Fetched(url, url, url, 0, 200, AT, content_hash=content, length=500, page=Page(title=content)))


def move(store: Store, old: str, new: str, status: int = 301) -> None:
    store.keep(Alias(old, new, 0, (Redirect(old, status, new),)))


def servers(found: Aliases) -> dict[str, str]:
    return {name: join.of for name, join in found.servers.items()}


def test_a_home_page_that_moved_for_good_joins_two_servers(store: Store) -> None:
    move(store, "http://old.example/", "http://new.example/")
    found = of_store(store)
    assert servers(found) == {"old.example": "new.example"}
    assert found.names("new.example") == ("old.example",)
    assert "moved for good" in found.servers["old.example"].reason


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("http://old.example/", "http://new.example/", 302),  # not for good
        ("http://old.example/a", "http://new.example/a", 301),  # one page could be chance
        ("http://old.example/", "http://new.example/old/", 301),  # not the same path
        ("http://alice.github.io/", "http://github.io/", 301),  # nobody moves into a public suffix
    ],
)
def test_other_redirects_join_nothing(store: Store, old: str, new: str, status: int) -> None:
    move(store, old, new, status)
    assert servers(of_store(store)) == {}


def test_several_pages_that_moved_together_join_two_servers(store: Store) -> None:
    for path in ("a", "b/c"):
        move(store, f"http://old.example/{path}", f"http://new.example/{path}")
    assert servers(of_store(store)) == {"old.example": "new.example"}


def test_a_server_that_still_serves_pages_has_not_moved(store: Store) -> None:
    move(store, "http://users.example/", "http://www.isp.example/")
    keep(store, "http://users.example/~alice/", "alice")
    assert servers(of_store(store)) == {}


def test_hosts_that_serve_the_same_pages_are_one_server(store: Store) -> None:
    for host in ("a.example", "b.example"):
        keep(store, f"http://{host}/", "home")
        keep(store, f"http://{host}/about", "about")
    keep(store, "http://a.example/more", "more")
    found = of_store(store, servers=["a.example", "b.example"])
    assert servers(found) == {"b.example": "a.example"}  # the one with more pages is used
    assert "2 of the 2 pages" in found.servers["b.example"].reason


def test_one_page_in_common_is_no_proof() -> None:
    pages = [("a", "/", "default"), ("b", "/", "default"), ("a", "/x", "1"), ("b", "/x", "2")]
    assert list(same_servers(pages, {})) == []


def test_what_very_many_servers_share_joins_nobody() -> None:
    """A parked domain's two pages stand on a thousand hosts."""
    pages = [(f"h{n}", path, path) for n in range(20) for path in ("/", "/contact")]
    assert list(same_servers(pages, {})) == []


def test_the_same_users_directory_on_two_hosts_is_one_site(store: Store) -> None:
    for host in ("www.cs.example", "mirror.cs.example"):
        keep(store, f"http://{host}/~alice/", "alice")
    keep(store, "http://cs.example/~alice/cv.html", "cv")
    keep(store, "http://mirror.cs.example/~bob/", "bob")
    hosts = ["cs.example", "mirror.cs.example"]
    atlas = Atlas(store, knowledge.filters(), hosts=hosts)
    atlas.join_sites(hosts)
    assert atlas.site("http://mirror.cs.example/~alice/").key == "cs.example/~alice/"
    assert atlas.site("http://mirror.cs.example/~bob/").key == "mirror.cs.example/~bob/"


def test_a_form_letter_joins_no_sites() -> None:
    """The same "nothing here yet" in many users' directories says nothing about any of them."""
    pages = [(host, f"/~{user}/", "nothing here yet") for host in "ab" for user in "xyz"]
    assert same_sites(pages, lambda server, path: Site(server, path, None)) == {}


def test_a_persons_word_comes_first(store: Store) -> None:
    move(store, "http://old.example/", "http://new.example/")
    assert servers(of_store(store, Said(apart=frozenset({"old.example"})))) == {}
    said = Said(same={"old.example": "third.example"})
    assert servers(of_store(store, said)) == {"old.example": "third.example"}
    assert of_store(store, said).servers["old.example"].reason == "your rules say so"


NAMES = st.sampled_from("abcdef")


@given(st.lists(st.tuples(NAMES, NAMES), max_size=12), st.frozensets(NAMES, max_size=2))
def test_every_name_leads_to_its_end_in_one_step(pairs: list[tuple[str, str]], apart: frozenset[str]) -> None:
    """No circles, no chains, and who is apart is in nothing."""
    found = settle((Join(a, b, "") for a, b in pairs), Said(apart))
    assert all(join.name != join.of and join.of not in found for join in found.values())
    assert not apart & {name for join in found.values() for name in (join.name, join.of)}


@given(st.lists(st.tuples(st.sampled_from(["a.example", "b.example", "c.example"]), NAMES), max_size=8))
def test_moves_never_raise(moves: list[tuple[str, str]]) -> None:
    pairs = [(f"http://{host}/{path}", f"http://new.example/{path}") for host, path in moves]
    assert all(join.of == "new.example" for join in moved_servers(pairs, {}))


def test_apart_holds_on_every_port() -> None:
    assert settle([Join("h.example:8080", "g.example:8080", "")], Said(apart=frozenset({"h.example"}))) == {}


def test_a_long_chain_of_names_ends() -> None:
    names = [f"h{number}" for number in range(3000)]
    found = settle(Join(a, b, "") for a, b in pairwise(names))
    assert {join.of for join in found.values()} == {"h2999"}
