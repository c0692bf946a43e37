"""Redirects that loop, lie or lead where we do not go."""

from __future__ import annotations

from crawler.model import Alias, Failed, Fetched, Reason, Record
from tests.crawler.hostile.registry import case
from tests.support.fakeweb import FakeWeb, Reply, Route, crawl_all, links, redirect

START = "http://a.test/"


async def follow(routes: dict[str, Route]) -> tuple[FakeWeb, Record]:
    """Crawl from the start page; give the record of it."""
    async with FakeWeb() as web:
        web.routes = routes
        records = await crawl_all(web, START)
    return web, records[0]


async def reason(routes: dict[str, Route], requests: int) -> Reason:
    """Why the start page fails, after at most so many page requests."""
    web, record = await follow(routes)
    assert isinstance(record, Failed)
    assert len(web.pages()) <= requests
    return record.reason


@case("rd-self")
async def to_itself() -> None:
    assert await reason({START: redirect("/")}, 1) is Reason.REDIRECT_LOOP


@case("rd-pair")
async def to_each_other() -> None:
    pair: dict[str, Route] = {START: redirect("/b"), "http://a.test/b": redirect("/")}
    assert await reason(pair, 2) is Reason.REDIRECT_LOOP
    counter: dict[str, Route] = {f"http://a.test/?n={n}": redirect(f"/?n={n + 1}") for n in range(50)}
    assert await reason({START: redirect("/?n=0"), **counter}, 11) is Reason.REDIRECT_LIMIT


@case("rd-chain")
async def endless_chain() -> None:
    chain: dict[str, Route] = {f"http://a.test/c{n}": redirect(f"/c{n + 1}", 301) for n in range(50)}
    assert await reason({START: redirect("/c0"), **chain}, 11) is Reason.REDIRECT_LIMIT


@case("rd-nonhttp")
async def out_of_the_web() -> None:
    for target in (
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://a.test/",
        "gopher://a.test/",
    ):
        assert await reason({START: redirect(target)}, 1) is Reason.REDIRECT_BAD


@case("rd-private")
async def into_the_private_network() -> None:
    targets = ("http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "http://inside.test/")
    for target in targets:
        async with FakeWeb() as web:
            web.names["inside.test"] = ["10.0.0.1"]
            web.routes = {START: redirect(target)}
            (record,) = await crawl_all(web, START)
        assert isinstance(record, Failed)
        assert record.reason is Reason.ADDRESS
        assert record.redirects[0].address == START
        assert "10.0.0.1" not in record.detail


@case("rd-bad")
async def no_location_to_speak_of() -> None:
    bad = (
        "",
        "/" + "x" * 70_000,
        "http://[::1/",
        "http://a.test:99999/",
        "http:",
        "\udcff\udcfe\udc80",
    )
    for location in bad:
        web, record = await follow({START: redirect(location), "http://a.test/ok": "fine"})
        assert isinstance(record, Failed), location[:20]
        assert len(web.pages()) <= 2
    _, record = await follow({START: Reply(status=302)})
    assert isinstance(record, Failed)
    assert record.reason is Reason.REDIRECT_BAD


@case("rd-permanent")
async def moved_for_good() -> None:
    async with FakeWeb() as web:
        web.routes = {
            START: links("/old", "/new", "/older"),
            "http://a.test/old": redirect("/new", 301),
            "http://a.test/older": redirect("/old", 308),
            "http://a.test/new": "<title>new</title>",
        }
        records = await crawl_all(web, START)
    assert web.count("http://a.test/new") == 1
    aliases = {record.url: record.target for record in records if isinstance(record, Alias)}
    assert aliases == {"http://a.test/old": "http://a.test/new", "http://a.test/older": "http://a.test/old"}
    _, record = await follow({START: redirect("http://b.test/x", 301), "http://b.test/x": "<p>moved"})
    assert isinstance(record, Fetched)
    assert (record.asked, record.url) == (START, "http://b.test/x")
    assert record.redirects[0].permanent


def refresh(content: str) -> str:
    return f'<meta http-equiv="refresh" content="{content}">'


@case("rd-meta-loop")
async def meta_refresh() -> None:
    web, _ = await follow({START: refresh("0;url=/")})
    assert len(web.pages()) == 1
    web, _ = await follow({START: refresh("0;url=/b"), "http://a.test/b": refresh("0;url=/")})
    assert len(web.pages()) == 2
    counter: dict[str, Route] = {f"http://a.test/?n={n}": refresh(f"0;url=/?n={n + 1}") for n in range(50)}
    web, _ = await follow({START: refresh("0;url=/?n=0"), **counter})
    assert len(web.pages()) == 11
    for ignored in (
        refresh("1000000000;url=/x"),
        refresh("0;url=javascript:x"),
        f"<noscript>{refresh('0;url=/x')}</noscript>",
    ):
        web, _ = await follow({START: ignored, "http://a.test/x": ""})
        assert len(web.pages()) == 1


@case("rd-refresh-header")
async def refresh_header() -> None:
    """A Refresh header is a link of kind refresh, like its meta twin."""
    web, record = await follow({START: Reply("<p>x", headers={"Refresh": "0; url=/x"}), "http://a.test/x": "there"})
    assert isinstance(record, Fetched)
    assert record.page is not None
    assert [(link.url, link.kind) for link in record.page.links] == [("http://a.test/x", "refresh")]
    assert web.count("http://a.test/x") == 1
