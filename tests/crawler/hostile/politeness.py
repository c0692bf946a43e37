"""How often, how many at once and with which manners a server is asked."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from crawler.copies import NoCopies, Validators
from crawler.model import Failed, Fetched
from crawler.settings import Settings
from tests.crawler.hostile.registry import case
from tests.support.fakeweb import QUICK, FakeWeb, Hit, Reply, crawl_all, links

ROOT = Path(__file__).resolve().parents[3]


@case("po-delay")
async def a_second_between_requests() -> None:
    async with FakeWeb() as web:
        pages = [f"http://a.test/{n}" for n in range(50)]
        web.routes = dict.fromkeys(pages, "<p>here")
        records = await crawl_all(web, *pages, settings=Settings())
    assert len(records) == 50
    assert min(web.gaps()) >= 0.99
    assert web.most_at_once["a.test"] == 1


@case("po-ip")
async def many_names_on_one_address() -> None:
    """By server, and by IP address at most four connections and four requests a second."""
    async with FakeWeb() as web:
        pages = [f"http://s{n}.test/" for n in range(20)]
        web.routes = dict.fromkeys(pages, Reply("<p>here", wait=0.05))
        await crawl_all(web, *pages, settings=Settings(delay=0.1))
    times = [hit.at for hit in web.hits]
    assert len(times) == 40
    # Eight requests later, two seconds have gone by, give or take what this process needs to notice them.
    assert all(times[n + 8] - times[n] >= 1.6 for n in range(len(times) - 8))
    assert times[-1] - times[0] >= 0.95 * 39 / 4


@case("po-retry")
async def retries_are_few_and_slow() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/robots.txt": Reply(""), "http://a.test/": Reply(status=500)}
        (record,) = await crawl_all(web, "http://a.test/", settings=Settings(delay=0.3, backoff=0.5))
    assert isinstance(record, Failed)
    assert record.status == 500
    assert web.count("http://a.test/") == 3
    assert all(gap >= least for gap, least in zip(web.gaps(), (0.3, 0.5, 1.0), strict=True))


@case("po-adapt")
async def a_slow_server_rests() -> None:
    """Between the end of an answer and the next request lies at least the time the answer took."""
    async with FakeWeb() as web:
        pages = [f"http://a.test/{n}" for n in range(4)]
        web.routes = dict.fromkeys(pages, Reply("<p>slow", wait=0.6))
        await crawl_all(web, *pages, settings=Settings(delay=0.05))
    starts = [hit.at for hit in web.hits if "robots" not in hit.url]
    assert all(later - earlier >= 2 * 0.59 for earlier, later in pairwise(starts))


@case("po-ua")
async def says_who_it_is() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": "<p>here"}
        await crawl_all(web, "http://a.test/")
        await crawl_all(web, "http://a.test/", settings=replace(QUICK, contact="mailto:me@a.test"))
    agents = {hit.headers["user-agent"] for hit in web.hits}
    assert agents == {QUICK.user_agent, replace(QUICK, contact="mailto:me@a.test").user_agent}
    assert all(agent.startswith("ncf/") and "(+" in agent for agent in agents)


class _Copies(NoCopies):
    """Offers a stored copy of every page."""

    def validators(self, url: str) -> Validators | None:
        return Validators('"v1"', "Tue, 01 Sep 2026 10:00:00 GMT")


@case("po-cond")
async def asks_whether_it_changed() -> None:
    def answer(hit: Hit) -> Reply:
        known = hit.headers.get("if-none-match") == '"v1"' and "if-modified-since" in hit.headers
        return Reply(status=304) if known else Reply("<p>new")

    async with FakeWeb() as web:
        pages = [f"http://a.test/{n}" for n in range(5)]
        web.routes = {**dict.fromkeys(pages, answer), "http://a.test/0": "<p>changed"}
        records = await crawl_all(web, *pages, copies=_Copies())
    assert [record.unchanged for record in records if isinstance(record, Fetched)].count(True) == 4


@case("po-get")
async def only_reads() -> None:
    async with FakeWeb() as web:
        form = '<form action="/post" method="post"><input name="x"></form><form action="/get"><button></form>'
        web.routes = {"http://a.test/": form + links("/b"), "http://a.test/b": form}
        await crawl_all(web, "http://a.test/")
    assert {hit.method for hit in web.hits} == {"GET"}
    assert {hit.path for hit in web.hits} == {"/robots.txt", "/", "/b"}


@case("po-restart")
async def the_delay_outlives_the_process() -> None:
    """Killed ten times in the middle, a crawl that keeps its notebook never asks sooner than the delay."""
    async with FakeWeb() as web:
        start = f"http://127.0.0.1:{web.port}/"
        web.routes = {f"{start}{n}": links(*(f"/{m}" for m in range(100))) for n in range(100)}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(11):
                before = len(web.hits)
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "tests.support.restartable", start + "0", f"{folder}/notebook", cwd=ROOT
                )
                async with asyncio.timeout(30):
                    while len(web.hits) < before + 2:  # noqa: ASYNC110  # the fake Web has no event for a hit
                        await asyncio.sleep(0.01)
                process.kill()
                await process.wait()
    assert len(web.hits) >= 20
    assert min(web.gaps()) >= 0.99
