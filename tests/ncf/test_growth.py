"""Growth on a Web of our own: servers divided between rounds, caps, climbing, hubs, learned servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ncf import find
from ncf.errors import SeedsError
from ncf.growth import Access, Limits
from ncf.store import runs
from ncf.store.store import Store
from tests.support.fakeweb import QUICK, FakeWeb, links, redirect

if TYPE_CHECKING:
    from pathlib import Path

    from ncf.result import Result

CREW = [f"{letter}horn" for letter in "abcdefghij"]
HOST = "http://crew.test"


def crew(pages: int) -> dict[str, Any]:
    """A server where ten people live below /crew/, known by evidence alone."""
    routes: dict[str, Any] = {f"{HOST}/": links(*(f"/crew/{name}/" for name in CREW), "/missing")}
    for name in CREW:
        home = f"{HOST}/crew/{name}/"
        routes[home] = links("0.html", "/")
        routes |= {f"{home}{number}.html": links("./", f"{number + 1}.html") for number in range(pages)}
        routes[f"{home}{pages}.html"] = links("./", "http://friend.test/")
    return routes


async def found(web: FakeWeb, path: Path, *seeds: str, growth: int = 0, **limits: int) -> Result:
    """A whole run."""
    with Store.open(path / "s.sqlite") as store:
        question = find.Question(seeds, growth, limits=Limits(**limits))
        result = await find.find(question, find.Means(store, Access(QUICK, web)))
        runs.finish(store, result.run, "{}")
        return result


async def test_a_server_that_holds_many_sites_is_divided_and_its_sites_are_crawled_to_their_end(tmp_path: Path) -> None:
    """The cap of a whole server cuts it off; then each site found in it may have as many pages as a known one."""
    async with FakeWeb() as web:
        web.routes = crew(9)
        result = await found(web, tmp_path, f"{HOST}/", server_pages=60, site_pages=600)
        assert len(result.sites) == 11
        assert sum(site.pages for site in result.sites) == 1 + 10 * 11
        assert result.complete
        assert len(web.pages()) == len(set(web.pages()))


async def test_a_site_has_no_more_pages_than_it_may(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        web.routes = {f"http://h.test/~a/{number}": links(str(number + 1)) for number in range(50)}
        result = await found(web, tmp_path, "http://h.test/~a/0", site_pages=7)
    assert [site.pages for site in result.sites] == [7]
    assert [(cut.what, cut.detail) for cut in result.cut] == [
        ("pages-per-site", "1 known pages of h.test/~a/ were not asked for")
    ]


async def test_neighbors_are_reached_step_by_step(tmp_path: Path) -> None:
    """A chain of sites: each step adds one; what a site links to inside itself is no step."""
    async with FakeWeb() as web:
        for number in range(5):
            home = f"http://h{number}.test/~u/"
            web.routes |= {home: links("more"), f"{home}more": links(f"http://h{number + 1}.test/~u/")}
        for growth in (0, 1, 2, 3):
            path = tmp_path / str(growth)
            path.mkdir()
            result = await found(web, path, "http://h0.test/~u/", growth=growth)
            assert [site.hops for site in result.sites] == list(range(growth + 1))


async def test_the_best_known_neighbors_come_first(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        web.routes = {
            "http://a.test/~u/": links("http://one.test/~u/", "http://two.test/~u/", "http://b.test/~u/"),
            "http://b.test/~u/": links("http://two.test/~u/"),
            "http://one.test/~u/": "1",
            "http://two.test/~u/": "2",
        }
        seeds = ("http://a.test/~u/", "http://b.test/~u/")
        result = await found(web, tmp_path, *seeds, growth=1, sites_per_step=1)
    assert [site.server for site in result.sites] == ["a.test", "b.test", "two.test"]
    assert [cut.what for cut in result.cut] == ["sites-per-step"]


async def test_a_seed_that_leads_nowhere_is_climbed_from(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        web.routes = {"http://h.test/a/b/end.html": "the end", "http://h.test/a/": links("1", "2")}
        web.routes |= {f"http://h.test/a/{number}": "page" for number in (1, 2)}
        result = await found(web, tmp_path, "http://h.test/a/b/end.html")
        assert sum(site.pages for site in result.sites) == 4
        assert web.count("http://h.test/a/b/") == web.count("http://h.test/a/") == 1
        assert web.count("http://h.test/") == 0


async def test_a_start_that_moved_is_followed_to_its_new_site(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        web.routes = {"http://old.test/~u/": redirect("http://new.test/~u/", 301), "http://new.test/~u/": links("1")}
        result = await found(web, tmp_path, "http://old.test/~u/")
    assert [site.site for site in result.sites] == ["http://new.test/~u/"]


async def test_hubs_are_not_asked(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/~u/": links("http://google.com/", "http://b.test/~u/")}
        web.routes |= {"http://google.com/": "search", "http://b.test/~u/": "b"}
        result = await found(web, tmp_path, "http://a.test/~u/", growth=1)
        assert not [url for url in web.pages() if "google" in url]
    assert [(hub.site, hub.kind, hub.linked) for hub in result.hubs] == [("http://google.com/", "search", 1)]


async def test_what_was_learned_names_the_sites_of_another_question(tmp_path: Path) -> None:
    """A second question that meets the server crawls only the site that is linked to (NCF 3.2, step 3a)."""
    async with FakeWeb() as web:
        web.routes = crew(2) | {"http://x.test/~u/": links(f"{HOST}/crew/{CREW[0]}/")}
        await found(web, tmp_path, f"{HOST}/")
        web.hits.clear()
        result = await found(web, tmp_path, "http://x.test/~u/", growth=1)
        assert [site.site for site in result.sites] == ["http://x.test/~u/", f"{HOST}/crew/{CREW[0]}/"]
        assert [url for url in web.pages() if "crew.test" in url] == []  # the store has them


async def test_a_second_run_sees_as_much_as_the_first(tmp_path: Path) -> None:
    """Although the server's division is known by then: a question keeps the rules by which it met a server."""
    async with FakeWeb() as web:
        web.routes = crew(3)
        first = await found(web, tmp_path, f"{HOST}/")
        web.hits.clear()
        second = await found(web, tmp_path, f"{HOST}/")
        assert web.hits == []
    assert (first.sites, first.links, first.communities) == (second.sites, second.links, second.communities)


async def test_no_seed_is_an_error_that_says_why(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": "x"}
        with pytest.raises(SeedsError, match="HTTP 404"):
            await found(web, tmp_path, "http://a.test/missing")
