"""The inter-site graph of everything in a store, and what a HOST or URL means in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ncf import recorded, stored
from ncf.errors import NcfError, UsageError
from ncf.rules import RuleBook
from ncf.sitegraph import mutual
from ncf.store.store import Store
from ncf.stored import Naming, What
from tests.ncf.test_store import fetched
from tests.support.warcs import response, save

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"
KEPLER = "kepler-college.example"
A, B = "http://a.example/", "https://b.example/~bob/"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ncf.sqlite") as opened:
        yield opened


@pytest.fixture
def demo(store: Store) -> Store:
    recorded.load(store, [DEMO])
    return store


def test_a_graph_has_the_sites_and_the_links_between_them(store: Store) -> None:
    store.keep_all([fetched(A, B, A + "in.html", "http://unknown.example/"), fetched(A + "in.html", B + "x.html")])
    store.keep_all([fetched(B, A)], web=7)  # whichever Web it came from
    graph = stored.graph_of(store, RuleBook())
    assert sorted(graph.edges(data=True)) == [
        (A, B, {"count": 2, "evidence": (A, B)}),
        (B, A, {"count": 1, "evidence": (B, A)}),
    ]
    assert set(mutual(graph).edges) == {(A, B)}


def test_links_follow_redirects(store: Store) -> None:
    from crawler.model import Alias, Redirect

    old = "http://old.example/"
    store.keep_all([fetched(A, old + "x"), Alias(old + "x", B, 0, (Redirect(old + "x", 302, B),)), fetched(B)])
    assert list(stored.graph_of(store, RuleBook()).edges) == [(A, B)]


def test_a_graph_is_what_a_recording_holds(demo: Store) -> None:
    graph = stored.graph_of(demo, RuleBook())
    anna, ben = f"http://{KEPLER}/~anna/", f"http://{KEPLER}/~ben/"
    assert graph.has_edge(anna, ben)
    assert graph.has_edge(ben, anna)
    one, other = graph.edges[anna, ben]["evidence"]
    assert one.startswith(anna)
    assert other.startswith(ben)
    assert list(stored.graph_of(demo, RuleBook()).edges) == list(graph.edges)  # and it can be asked again


def test_an_empty_store_has_an_empty_graph(store: Store) -> None:
    assert len(stored.graph_of(store, RuleBook())) == 0


@pytest.mark.parametrize(
    ("text", "what", "name"),
    [
        (KEPLER, What.SERVER, KEPLER),
        (f"www.{KEPLER}", What.SERVER, KEPLER),
        (f"http://{KEPLER}/~anna/", What.SITE, f"http://{KEPLER}/~anna/"),
        (f"{KEPLER}/~anna", What.SITE, f"http://{KEPLER}/~anna/"),
        (f"https://www.{KEPLER}/%7Eanna/", What.SITE, f"http://{KEPLER}/~anna/"),
        (f"http://{KEPLER}/", What.SITE, f"http://{KEPLER}/"),
        (f"http://{KEPLER}/~anna/articles/", What.DIRECTORY, f"http://{KEPLER}/~anna/articles/"),
        (f"http://{KEPLER}/~anna/friends.html", What.PAGE, f"http://{KEPLER}/~anna/friends.html"),
        (f"http://{KEPLER}/~anna/index.html", What.PAGE, f"http://{KEPLER}/~anna/"),
    ],
)
def test_what_is_meant(demo: Store, text: str, what: What, name: str) -> None:
    (found,) = stored.meant(demo, RuleBook(), [text])
    assert (found.what, found.name) == (what, name)
    assert len(found.pages) == 1 or what is not What.PAGE
    within = name.removeprefix("http://").removesuffix("/")
    assert all(url.partition("://")[2].startswith(within) for _, url, _ in found.pages)


def test_the_administrators_site_leaves_the_users_in_peace(demo: Store) -> None:
    (found,) = stored.meant(demo, RuleBook(), [f"http://{KEPLER}/"])
    assert not [url for _, url, _ in found.pages if "/~" in url]
    assert f"`ncf forget {KEPLER}` forgets the whole server" in found.remarks[0]


def test_other_names_of_a_server_are_meant_too(store: Store) -> None:
    from crawler.model import Alias, Redirect

    old, new = "http://old.example/", "http://new.example/"
    store.keep_all([Alias(old, new, 0, (Redirect(old, 301, new),)), fetched(new)])
    (found,) = stored.meant(store, RuleBook(), ["new.example"])
    assert found.servers == ("new.example", "old.example")
    (found,) = stored.meant(store, RuleBook(), ["old.example"])
    assert found.servers == ("old.example",)
    assert found.remarks == ("old.example is another name of new.example, which stays: name it too if it is to go",)


def test_the_unknown_is_named(demo: Store) -> None:
    with pytest.raises(NcfError, match=r"knows nothing of nobody\.example") as caught:
        stored.meant(
            demo, RuleBook(), ["nobody.example", KEPLER, f"http://{KEPLER}/nothing.html", "http://h.example/x/"]
        )
    assert len(str(caught.value).splitlines()) == 3
    with pytest.raises(UsageError):
        stored.meant(demo, RuleBook(), ["not a host"])


def test_a_document_names_a_page_by_address_site_or_title(store: Store, tmp_path: Path) -> None:
    pages = [
        response("http://h.example/~a/", b"<title>Secret garden</title>", "Content-Type: text/html"),
        response("http://h.example/~a/b.html", b"<title>Mine</title>", "Content-Type: text/html"),
    ]
    recorded.load(store, [save(tmp_path / "h.warc", *pages)])
    naming = Naming(stored.meant(store, RuleBook(), ["http://h.example/~a/b.html"]))
    assert naming.named({"links": [{"evidence": ["http://x.example/", "https://www.h.example/~a/b.html"]}]})
    assert naming.named({"sites": [{"site": "http://h.example/~a/", "title": "Secret garden"}]})
    assert naming.named({"cut": [{"detail": "3 known pages of h.example/~a/ were not asked for"}]})
    assert naming.named({"sites": [{"site": "http://h.example/", "title": "Mine"}]})  # divided otherwise at that time
    assert not naming.named({"sites": [{"site": "http://x.example/", "title": "Mine"}]})
    assert not naming.named({"sites": [{"site": "http://h.example/~other/", "title": "Other"}]})
    assert naming.began(["http://h.example/~a/b.html"])
    assert not naming.began(["http://h.example/~a/"])
