"""What `ncf sites` tells, as records: sites, rules, every opinion, and where a URL lies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler import urls
from filters.base import view
from ncf import data, recorded, rules
from ncf.atlas import chart
from ncf.explain import explain
from ncf.store.store import Store
from ncf.widen import widened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ncf.explain import Explanation

DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "demo.sqlite") as store:
        recorded.load(store, [DEMO])
        yield store


def told(store: Store, *asked: str, rules_text: str = "") -> Explanation:
    """An address is asked about as a URL unless it is a server's root."""
    book = rules.parse(rules_text)
    wanted = [(address, urls.split(address).path != "/") for address in asked]
    atlas = chart(store, book, {urls.server(address) for address in asked})
    return explain(store, atlas, wanted)


def test_a_server_is_told_whole(demo: Store) -> None:
    (server,) = told(demo, "http://kepler-college.example/").servers
    assert [(site.site.removeprefix("http://kepler-college.example"), site.pages) for site in server.sites[:3]] == [
        ("/", 44), ("/~anna/", 14), ("/~fiona/", 13),
    ]  # fmt: skip
    assert len(server.sites) == 12
    assert (server.known, server.complete, server.pages) == (True, True, 169)
    assert server.sites[1].title == "Anna's back-garden observatory"
    assert server.sites[1].rule.filter == "tilde"


def test_every_filter_speaks_in_order(demo: Store) -> None:
    (server,) = told(demo, "http://kepler-college.example/").servers
    opinions = {one.filter: one for one in server.opinions}
    assert list(opinions) == [*(item.name for item in data.filters().filters), "ecfc"]
    assert opinions["tilde"].verdict == "sites"
    assert opinions["tilde"].counts == {"prefixes": 2, "sites": 12}
    assert {one.verdict for one in server.opinions} == {"sites", "no opinion"}
    assert all(one.reason for one in server.opinions)


def test_your_rule_decides_and_others_are_overruled(demo: Store) -> None:
    (server,) = told(demo, "http://kepler-college.example/", rules_text="kepler-college.example\t1").servers
    opinions = {one.filter: one for one in server.opinions}
    assert [proposal.decides for proposal in opinions["rules"].rules] == [True]
    assert [proposal.decides for proposal in opinions["tilde"].rules] == [False, False]
    assert [site.rule.filter for site in server.sites] == ["rules"]


def test_a_url_is_told_its_site_also_when_it_is_new(demo: Store) -> None:
    """A page that nobody fetched counts as if somebody linked to it."""
    found = told(demo, "https://nightsky.example/old.html", "http://tetsudo.example/new/~bob/1.html")
    assert [one.site for one in found.urls] == ["https://nightsky.example/", "http://tetsudo.example/new/~bob/"]
    assert found.urls[1].rule.prefix == "/new/"


def test_a_server_that_nobody_met_is_told_by_its_name(demo: Store) -> None:
    found = told(demo, "http://www.geocities.co.jp/Playtown-Denei/1722/src/SRC.html", "http://nobody.example/")
    assert found.urls[0].site == "http://geocities.co.jp/Playtown-Denei/1722/"
    geocities, nobody = found.servers
    assert (geocities.known, geocities.complete, geocities.sites) == (False, False, ())
    assert [one.filter for one in geocities.opinions if one.verdict != "no opinion"] == ["suffixes"]
    assert {one.verdict for one in nobody.opinions} == {"no opinion"}
    assert "page_count" not in {one.filter for one in nobody.opinions}


def test_another_name_is_told_with_its_reason(demo: Store) -> None:
    said = "postcards.example\t=kepler-college.example"
    found = told(demo, "http://postcards.example/go/1.html", rules_text=said)
    assert found.urls[0].server == "kepler-college.example"
    assert found.urls[0].joined == "your rules say so"
    assert [(join.name, join.of) for join in found.servers[0].aliases] == [
        ("postcards.example", "kepler-college.example")
    ]
    assert found.servers[0].pages == 181


def test_a_wider_view_keeps_what_was_seen() -> None:
    seen = view("h.example", ["/b/1"], fetched=["/b/1", "/d/2"], links=[("/b/1", "/d/2")], outside={"/d/2": 3})
    wide = widened(seen, ["/a/new", "/c/new", "/b/1"])
    assert wide.paths == ("/a/new", "/b/1", "/c/new", "/d/2")
    assert wide.fetched.tolist() == [False, True, False, True]
    assert (wide.sources.tolist(), wide.targets.tolist()) == ([1], [3])
    assert wide.outside.tolist() == [0, 0, 0, 3]
    assert {"/a/", "/c/"} <= wide.directories
    assert widened(seen, ["/b/1"]) is seen
    assert np.count_nonzero(widened(view("h.example", ()), ["/x"]).fetched) == 0
