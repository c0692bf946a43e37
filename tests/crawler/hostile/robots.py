"""robots.txt as servers really send it."""

from __future__ import annotations

import gzip
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from crawler import robots
from crawler.errors import SettingsError
from crawler.model import Failed, Fetched, Reason, Record
from crawler.notebook import MemoryNotebook, RobotsAnswer
from crawler.settings import Settings
from tests.crawler.hostile.registry import case
from tests.support.fakeweb import QUICK, FakeWeb, Reply, Script, crawl_all, links, redirect

if TYPE_CHECKING:
    import asyncio

    from tests.support.fakeweb import Route

CLOSED = b"User-agent: *\nDisallow: /\n"
BOMB = gzip.compress(CLOSED + b"\n" * 64 * 1024 * 1024)
PAGE = "http://a.test/page"
ROBOTS = "http://a.test/robots.txt"


async def ask(route: Route, settings: Settings = QUICK, **more: Route) -> tuple[FakeWeb, list[Record]]:
    """Crawl one page of a server with this robots.txt."""
    async with FakeWeb() as web:
        web.routes = {ROBOTS: route, PAGE: "<p>here", **{url.replace("_", "/"): r for url, r in more.items()}}
        return web, await crawl_all(web, PAGE, settings=settings)


async def is_allowed(route: Route) -> bool:
    """Whether the page behind this robots.txt is fetched; if not, no request for it was made."""
    web, records = await ask(route)
    assert len(records) == 1
    assert web.count(PAGE) == isinstance(records[0], Fetched)
    return isinstance(records[0], Fetched)


@case("rb-200-disallow")
async def disallowed() -> None:
    web, (record,) = await ask(Reply(CLOSED))
    assert isinstance(record, Failed)
    assert record.reason is Reason.ROBOTS
    assert web.pages() == []


@case("rb-404")
async def unavailable_allows() -> None:
    for status in (404, 410, 401, 403):
        assert await is_allowed(Reply(status=status))
        assert await is_allowed(Reply(CLOSED, status=status))


@case("rb-429")
async def too_many_requests_defers() -> None:
    answers = iter([Reply(status=429, headers={"Retry-After": "5"}), Reply("")])
    web, (record,) = await ask(lambda hit: next(answers), settings=replace(QUICK, delay=0.01))
    assert isinstance(record, Fetched)
    assert [hit.url for hit in web.hits] == [ROBOTS, ROBOTS, PAGE]
    assert web.gaps()[0] >= 5


@case("rb-unreachable-cached")
async def cached_copy_goes_on() -> None:
    for hours, body, allowed in ((23, b"", True), (25, b"", True), (25, CLOSED, False), (31 * 24, b"", False)):
        notebook = MemoryNotebook()
        notebook.keep_robots("http://a.test", RobotsAnswer(datetime.now(UTC) - timedelta(hours=hours), 200, body))
        async with FakeWeb() as web:
            web.routes = {ROBOTS: Reply(status=503), PAGE: "<p>here"}
            (record,) = await crawl_all(web, PAGE, notebook=notebook)
        assert isinstance(record, Fetched) == allowed, f"{hours} hours"


@case("rb-trunc")
async def cut_file_is_unreachable() -> None:
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nUser-agent: *\nDisallow: /x"
    assert not await is_allowed(raw)


@case("rb-redir6")
async def endless_redirects_stop() -> None:
    async with FakeWeb() as web:
        for n in range(20):
            web.routes[f"http://a.test/r{n}"] = redirect(f"/r{n + 1}")
        web.routes |= {ROBOTS: redirect("/r0"), PAGE: "<p>here"}
        (record,) = await crawl_all(web, PAGE)
    assert isinstance(record, Fetched)
    assert len(web.hits) - 1 <= robots.MAX_REDIRECTS + 1
    assert await is_allowed(redirect("/robots.txt"))


@case("rb-redir-scheme")
async def redirect_elsewhere_is_unreachable() -> None:
    for target in ("file:///etc/passwd", "ftp://a.test/robots.txt", "data:text/plain,", "http://10.0.0.1/robots.txt"):
        assert not await is_allowed(redirect(target))


@case("rb-size-500k")
async def late_rule_counts() -> None:
    body = b"User-agent: *\n" + b"#" * 490 * 1024 + b"\nDisallow: /page\n"
    assert not await is_allowed(Reply(body))


@case("rb-size-over")
async def huge_file_is_cut() -> None:
    async with FakeWeb() as web:

        async def play(writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\nUser-agent: *\nDisallow: /page\n")
            await web.pour(writer, b"Disallow: /ot\nAllow: /pa" * 4096, 10_000_000)

        web.routes = {ROBOTS: Script(play), PAGE: "<p>here"}
        (record,) = await crawl_all(web, PAGE)
    assert isinstance(record, Failed)
    assert web.bytes_taken < 9_000_000  # what lies in socket buffers was sent too, but not the whole
    start, end = b"User-agent: *\nAllow: /\n", b"\nDisallow: /page"
    half = start + b"#" * (robots.MAX_BYTES - len(start + end)) + end + b"-more\n"
    assert half[: robots.MAX_BYTES].endswith(b"/page")
    assert robots.parse(half, "ncf").allows(PAGE)


@case("rb-bom")
async def byte_order_mark() -> None:
    assert not await is_allowed(Reply(b"\xef\xbb\xbf" + CLOSED))


@case("rb-cr")
async def line_ends() -> None:
    for end in (b"\r", b"\r\n", b"\n"):
        assert not await is_allowed(Reply(CLOSED.replace(b"\n", end)))
    assert not await is_allowed(Reply(b"User-agent: x\r\nAllow: /\rUser-agent: *\nDisallow: /\r"))


@case("rb-badutf8")
async def invalid_utf8() -> None:
    assert not await is_allowed(Reply(b"\xff\xfe\x80: bad\n" + CLOSED))


@case("rb-nul")
async def nul_bytes() -> None:
    assert not await is_allowed(Reply(b"User-\x00agent: nobody\x00\nAllow: \x00\n" + CLOSED))


@case("rb-html")
async def html_instead() -> None:
    assert await is_allowed(Reply("<!DOCTYPE html><html><body><form>Disallow: log in</form></body></html>"))


@case("rb-gzip")
async def compressed() -> None:
    zipped = {"Content-Encoding": "gzip"}
    assert not await is_allowed(Reply(gzip.compress(CLOSED), headers=zipped))
    assert not await is_allowed(Reply(BOMB, headers=zipped))


@case("rb-cache24")
async def asked_once_a_day() -> None:
    notebook = MemoryNotebook()
    async with FakeWeb() as web:
        web.routes = {ROBOTS: Reply(""), PAGE: "<p>here"}
        await crawl_all(web, PAGE, notebook=notebook)
        await crawl_all(web, PAGE, notebook=notebook)
        assert web.count(ROBOTS) == 1
        answer = notebook.robots("http://a.test")
        assert answer is not None
        notebook.keep_robots("http://a.test", replace(answer, at=answer.at - timedelta(hours=25)))
        await crawl_all(web, PAGE, notebook=notebook)
        assert web.count(ROBOTS) == 2


@case("rb-authority")
async def one_file_an_authority() -> None:
    async with FakeWeb() as web:
        for authority, rule in (("http://a.test", ""), ("https://a.test", "/page"), ("http://a.test:8080", "/")):
            web.routes[authority + "/robots.txt"] = Reply(f"User-agent: *\nDisallow: {rule}")
            web.routes[authority + "/page"] = "<p>here"
            web.routes[authority + "/other"] = "<p>here"
        found = []
        for start in ("http://a.test/page", "https://a.test/page", "https://a.test/other", "http://a.test:8080/other"):
            found += await crawl_all(web, start)
    assert [isinstance(record, Fetched) for record in found] == [True, False, True, False]
    one_crawl = MemoryNotebook()
    async with FakeWeb() as web:
        for authority in ("http://a.test", "https://a.test", "http://a.test:8080"):
            web.routes[authority + "/robots.txt"] = Reply("")
            web.routes[authority + "/page"] = links("https://a.test/other", "http://a.test:8080/page")
        await crawl_all(web, "http://a.test/page", notebook=one_crawl)
    assert sum(hit.path == "/robots.txt" for hit in web.hits) == 3


@case("rb-concurrent")
async def fetched_once_for_many() -> None:
    async with FakeWeb() as web:
        pages = [f"http://a.test/{n}" for n in range(50)]
        web.routes = {ROBOTS: Reply("", wait=0.2), **dict.fromkeys(pages, "<p>here")}
        records = await crawl_all(web, *pages)
    assert len(records) == 50
    assert web.hits[0].url == ROBOTS
    assert web.count(ROBOTS) == 1


@case("rb-crawldelay")
async def crawl_delay() -> None:
    polite = replace(QUICK, delay=0.01)
    web, _ = await ask(Reply("User-agent: *\nCrawl-delay: 2"), settings=polite)
    assert web.gaps()[0] >= 1.99
    web, _ = await ask(Reply("User-agent: *\nCrawl-delay: 0.5"), settings=polite)
    assert web.gaps()[0] >= 0.49
    for value in ("-5", "nan", "inf", "abc", "0"):
        web, (record,) = await ask(Reply(f"User-agent: *\nCrawl-delay: {value}"), settings=polite)
        assert isinstance(record, Fetched)
        assert web.gaps()[0] < 2
    for value in ("1e9", "30.5"):
        web, (record,) = await ask(Reply(f"User-agent: *\nCrawl-delay: {value}"), settings=polite)
        assert isinstance(record, Failed)
        assert record.reason is Reason.PARKED
        assert "Crawl-delay" in record.detail


@case("rb-crawldelay-group")
async def crawl_delay_leaves_the_group_open() -> None:
    assert not await is_allowed(Reply("User-agent: ncf\nCrawl-delay: 0\nUser-agent: *\nDisallow: /"))


@case("rb-ua-token")
async def exact_token() -> None:
    for name, ours in (("n", False), ("ncfbot", False), ("nc", False), ("NCF", True), ("ncf/1.0", True), ("ncf", True)):
        assert await is_allowed(Reply(f"User-agent: {name}\nDisallow: /")) != ours, name


@case("rb-ua-valid")
async def agent_must_be_a_token() -> None:
    for name in ("", "ncf/1", "ncf bot", "ncf*", "ツ", " ncf ", "ncf1"):
        with pytest.raises(SettingsError):
            Settings(agent=name)
    assert [Settings(agent=name).agent for name in ("ncf", "my-ncf", "My_Ncf")]


@case("rb-longest")
async def longest_match_wins() -> None:
    assert await is_allowed(Reply("User-agent: *\nDisallow: /page\nAllow: /page"))
    assert await is_allowed(Reply("User-agent: *\nDisallow: /\nAllow: /pa"))
    assert not await is_allowed(Reply("User-agent: *\nAllow: /pa\nDisallow: /pag"))


@case("rb-rules40k")
async def many_rules() -> None:
    body = b"User-agent: *\n" + b"".join(b"Disallow:/%x\n" % n for n in range(40_000))
    started = time.process_time()
    rules = robots.parse(body[: robots.MAX_BYTES], "ncf")
    assert all(rules.allows(f"http://a.test/page/{n}") for n in range(1000))
    print(f"40,000 robots rules, 1,000 URLs: {time.process_time() - started:.2f} s")


@case("rb-meta")
async def page_directives() -> None:
    """noindex is kept with the page; nofollow keeps the links and follows none; rel=nofollow is kept and followed."""
    async with FakeWeb() as web:
        web.routes = {
            "http://a.test/meta": '<meta name="robots" content="noindex, nofollow">' + links("/one"),
            "http://a.test/header": Reply(links("/two"), headers={"X-Robots-Tag": "nofollow"}),
            "http://a.test/other": Reply(links("/three"), headers={"X-Robots-Tag": "otherbot: noindex, nofollow"}),
            "http://a.test/rel": '<a rel="nofollow" href="/four">x</a>',
        }
        records = await crawl_all(web, *web.routes)
    pages = {record.url: record.page for record in records if isinstance(record, Fetched)}
    marks = {url: (page.noindex, page.nofollow, len(page.links)) for url, page in pages.items() if page}
    assert marks == {
        "http://a.test/meta": (True, True, 1),
        "http://a.test/header": (False, True, 1),
        "http://a.test/other": (False, False, 1),
        "http://a.test/rel": (False, False, 1),
    }
    asked = {hit.path for hit in web.hits}
    assert asked >= {"/three", "/four"}
    assert not asked & {"/one", "/two"}
    rel = pages["http://a.test/rel"]
    assert rel is not None
    assert rel.links[0].rel == ("nofollow",)
