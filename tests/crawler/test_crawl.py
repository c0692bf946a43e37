"""The loop as a whole: what it yields, in which order, within which bounds."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from crawler.crawl import Crawl
from crawler.errors import SeedError
from crawler.model import Budget, Failed, Fetched, Reason
from crawler.notebook import MemoryNotebook
from crawler.settings import Settings
from tests.support.fakeweb import QUICK, FakeWeb, Hit, Reply, crawl_all, links, redirect


async def test_a_page_and_everything_known_about_it() -> None:
    html = (
        '<html lang="en"><title>Alice</title><a rel="me friend" href="~bob/#top">Bob</a><a href="http://c.test">C</a>'
    )
    headers = {
        "ETag": '"1"',
        "Last-Modified": "Tue, 01 Sep 2026 10:00:00 GMT",
        "Content-Type": "text/html; charset=utf-8",
    }
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": Reply(html, headers=headers)}
        (record, *_) = await crawl_all(web, "HTTP://A.test:80/index.html#x", scope=lambda url: "a.test" in url)
    assert isinstance(record, Failed)  # /index.html is what was asked for, and this server has only /
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": Reply(html, headers=headers)}
        (record, *_) = await crawl_all(web, "http://a.test", scope=lambda url: "a.test" in url)
    assert isinstance(record, Fetched)
    assert (record.url, record.status, record.hops, record.etag) == ("http://a.test/", 200, 0, '"1"')
    assert record.last_modified.startswith("Tue")
    assert len(record.content_hash) == 64
    page = record.page
    assert page is not None
    assert (page.title, page.language, page.charset) == ("Alice", "en", "utf-8")
    assert [(link.url, link.rel, link.text, link.in_scope) for link in page.links] == [
        ("http://a.test/~bob/", ("friend", "me"), "Bob", True),
        ("http://c.test/", (), "C", False),
    ]


async def test_breadth_first() -> None:
    """A tree on one server comes level by level, and each level by name: nothing depends on who answered first."""
    async with FakeWeb() as web:
        web.routes = {f"http://a.test/{n}": links(f"/{2 * n + 1}", f"/{2 * n + 2}") for n in range(31)}
        records = await crawl_all(web, "http://a.test/0")
    fetched = [record for record in records if isinstance(record, Fetched)]
    levels = [sorted(map(str, range(2**level - 1, 2 ** (level + 1) - 1))) for level in range(5)]
    assert [record.url.rpartition("/")[2] for record in fetched] == [name for level in levels for name in level]
    assert [record.hops for record in fetched] == sorted(record.hops for record in fetched)


async def test_every_page_once_whatever_its_name() -> None:
    """http and https, www and bare, %7E and ~, index.html and its directory are the same page."""
    names = [
        "http://a.test/%7Ex/",
        "http://www.a.test/~x/",
        "https://a.test/~x/index.html",
        "http://a.test/~x/?utm_source=y",
    ]
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links(*names), names[0]: "x", "http://www.a.test/": "x"}
        await crawl_all(web, "http://a.test/")
    assert len(web.pages()) == 2


@pytest.mark.parametrize(
    ("budget", "pages", "what"),
    [
        (Budget(max_pages=7), 7, "max-pages"),
        (Budget(max_pages_per_group=5), 5, "pages-per-site"),
        (Budget(max_hops=2), 7, "max-hops"),
        (Budget(max_requests=9), 9, "max-requests"),
    ],
)
async def test_a_budget_cuts_and_says_so(budget: Budget, pages: int, what: str) -> None:
    async with FakeWeb() as web:
        web.routes = {f"http://a.test/{n}": links(f"/{2 * n + 1}", f"/{2 * n + 2}") for n in range(1000)}
        crawl = Crawl(["http://a.test/0"], settings=QUICK, web=web, budget=budget)
        records = [record async for record in crawl.records()]
    assert len(records) == pages
    assert [cut.what for cut in crawl.cut] == [what]


async def test_dead_links_do_not_use_up_the_pages() -> None:
    async with FakeWeb() as web:
        web.routes = {
            "http://a.test/": links("/dead1", "/dead2", "/b", "/c"),
            "http://a.test/b": "",
            "http://a.test/c": "",
        }
        records = await crawl_all(web, "http://a.test/", budget=Budget(max_pages=3))
    assert sum(isinstance(record, Fetched) for record in records) == 3


async def test_time_is_a_budget() -> None:
    async with FakeWeb() as web:
        web.routes = {f"http://a.test/{n}": Reply(links(f"/{n + 1}"), wait=0.05) for n in range(1000)}
        crawl = Crawl(["http://a.test/0"], settings=QUICK, web=web, budget=Budget(max_seconds=0.5))
        started = time.monotonic()
        records = [record async for record in crawl.records()]
    assert 1 < len(records) < 20
    assert time.monotonic() - started < 3
    assert [cut.what for cut in crawl.cut] == ["minutes"]


async def test_one_slow_server_slows_no_other() -> None:
    async with FakeWeb() as web:
        web.routes = {f"http://fast.test/{n}": links(f"/{n + 1}") for n in range(30)}
        web.routes |= {
            "http://slow.test/": Reply("x", wait=3),
            "http://slow.test/robots.txt": Reply(status=404, wait=0.5),
        }
        records = await crawl_all(web, "http://slow.test/", "http://fast.test/0")
    assert records[-1].url == "http://slow.test/"


async def test_servers_are_asked_side_by_side() -> None:
    """Twenty servers with a delay take little longer than one, and none sees two requests at once."""
    async with FakeWeb() as web:
        for n in range(20):
            web.routes |= {f"http://s{n}.test/{m}": Reply(links(f"/{m + 1}")) for m in range(3)}
        polite = replace(QUICK, delay=0.2)
        started = time.monotonic()
        await crawl_all(web, *(f"http://s{n}.test/0" for n in range(20)), settings=polite)
    assert len(web.hits) == 100
    assert time.monotonic() - started < 10
    assert max(web.most_at_once.values()) == 1


async def test_retry_after_silences_the_server_for_every_page() -> None:
    answers = {"/a": [Reply(status=503, headers={"Retry-After": "1"}), Reply("x")]}
    async with FakeWeb() as web:
        web.routes = {"http://a.test/a": lambda hit: answers[hit.path].pop(0), "http://a.test/b": "b"}
        await crawl_all(web, "http://a.test/a", "http://a.test/b", settings=replace(QUICK, delay=0.01))
    times = [hit.at for hit in web.hits]
    assert [hit.path for hit in web.hits][:2] == ["/robots.txt", "/a"]
    assert times[2] - times[1] >= 1


async def test_a_server_that_wants_too_much_patience_is_parked() -> None:
    async with FakeWeb() as web:
        pages = [f"http://a.test/{n}" for n in range(5)]
        web.routes = dict.fromkeys(pages, Reply(status=429, headers={"Retry-After": "86400"}))
        records = await crawl_all(web, *pages, settings=replace(QUICK, delay=0.01))
    reasons = [record.reason for record in records if isinstance(record, Failed)]
    assert reasons == [Reason.STATUS, *[Reason.PARKED] * 4]
    assert len(web.pages()) == 1


async def test_a_server_that_only_fails_is_parked() -> None:
    async with FakeWeb() as web:
        pages = [f"http://a.test/{n}" for n in range(20)]
        web.routes = {"http://a.test/robots.txt": Reply(""), **dict.fromkeys(pages, b"")}
        records = await crawl_all(web, *pages)
    assert len(records) == 20
    assert len(web.pages()) <= 5 * 3 * 2  # five pages, three tries, and the client's own retry of a reused connection


async def test_redirects_ask_the_robots_of_where_they_lead() -> None:
    async with FakeWeb() as web:
        web.routes = {
            "http://a.test/": redirect("http://b.test/private/x"),
            "http://b.test/robots.txt": Reply("User-agent: *\nDisallow: /private/"),
            "http://b.test/private/x": "never",
        }
        (record,) = await crawl_all(web, "http://a.test/")
    assert isinstance(record, Failed)
    assert record.reason is Reason.ROBOTS
    assert web.count("http://b.test/private/x") == 0


async def test_redirects_stay_in_scope() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": redirect("http://b.test/"), "http://b.test/": "never"}
        (record,) = await crawl_all(web, "http://a.test/", scope=lambda url: "a.test" in url)
    assert isinstance(record, Failed)
    assert record.reason is Reason.REDIRECT_SCOPE
    assert "http://b.test/" in record.detail


async def test_one_connection_gives_the_same_every_time() -> None:
    async def run() -> list[str]:
        async with FakeWeb() as web:
            for n in range(100):
                to = [f"http://s{(n * 7 + m) % 10}.test/{(n * 3 + m) % 100}" for m in range(4)]
                web.routes[f"http://s{n % 10}.test/{n}"] = Reply(links(*to), wait=(n % 3) / 500)
            settings = replace(QUICK, connections=1)
            records = await crawl_all(web, "http://s0.test/0", settings=settings, budget=Budget(max_pages=40))
        return [record.url for record in records]

    assert await run() == await run()


async def test_closing_early_leaves_nothing_behind() -> None:
    async with FakeWeb() as web:
        web.routes = {f"http://a.test/{n}": links(f"/{n + 1}") for n in range(1000)}
        records = Crawl(["http://a.test/0"], settings=QUICK, web=web).records()
        async for _ in records:
            break
        await records.aclose()  # type: ignore[attr-defined]  # an async generator has it
    left = [repr(task) for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert [task for task in left if "FakeWeb" not in task] == []


async def test_dns_failures_cost_no_other_page() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links("http://nowhere.test/", "/b"), "http://a.test/b": "here"}
        records = await crawl_all(web, "http://a.test/")
    assert sorted(type(record).__name__ for record in records) == ["Failed", "Fetched", "Fetched"]


@pytest.mark.parametrize("start", ["", "not a url", "ftp://a.test/", "http://", "javascript:x", "//a.test/"])
def test_bad_starts_are_refused(start: str) -> None:
    with pytest.raises(SeedError):
        Crawl([start])


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"%PDF-1.4 not html", {"Content-Type": "text/html"}),
        (b"PK\x03\x04", {"Content-Type": "text/html"}),
        (b"<a href=/x>x", {"Content-Type": "text/plain"}),
        (b"<a href=/x>x", {"Content-Type": "application/octet-stream"}),
        (bytes(2000), {"Content-Type": "text/html"}),
    ],
)
async def test_what_is_not_html_is_not_parsed(body: bytes, headers: dict[str, str]) -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": Reply(body, headers=headers)}
        (record,) = await crawl_all(web, "http://a.test/")
    assert isinstance(record, Fetched)
    assert record.page is None


async def test_credentials_in_a_link_are_never_sent() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": '<a href="http://user:secret@b.test/">b</a>', "http://b.test/": "here"}
        records = await crawl_all(web, "http://a.test/")
    assert all("authorization" not in hit.headers for hit in web.hits)
    assert "secret" not in repr(records)


async def test_the_notebook_makes_the_next_crawl_wait() -> None:
    notebook = MemoryNotebook()
    notebook.set_next_turn("a.test", time.time() + 0.5)
    started = time.monotonic()
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": "x"}
        await crawl_all(web, "http://a.test/", notebook=notebook, settings=replace(QUICK, delay=0.01))
    assert web.hits[0].at - started >= 0.49


async def test_default_settings_name_a_contact_and_verify() -> None:
    def check(hit: Hit) -> str:
        assert hit.headers["accept-encoding"] == "gzip, deflate, br, zstd"
        return "x"

    async with FakeWeb() as web:
        web.routes = {"http://a.test/robots.txt": check}
        await crawl_all(web, "http://a.test/", settings=Settings(delay=0.01))
    assert web.hits
