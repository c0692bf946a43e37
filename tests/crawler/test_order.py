"""Which pages are fetched depends on what the Web says, never on when it says it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.bounds import Bounds, Start
from crawler.crawl import Crawl
from crawler.frontier import Frontier, Job
from crawler.model import Alias, Budget, Failed, Fetched, Reason
from tests.crawler.webs import BOUNDS, STARTS, MadeWeb, facts, pages, site
from tests.support.fakeweb import QUICK, FakeWeb, Hit, Reply, crawl_all, links, redirect

SEEDS = range(8)
BUDGETS = {
    "no limit": Budget(),
    "caps": Budget(max_pages_per_group=7),
    "caps of their own": Budget(max_pages_per_group=lambda name: 4 if name == "one" else 9),
    "shares": Budget(max_pages=19),
    "shares and caps": Budget(max_pages=23, max_pages_per_group=8),
    "requests": Budget(max_requests=17),
    "hops": Budget(max_hops=2),
}


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
async def test_the_same_records_whoever_answers_first(budget: Budget) -> None:
    """Four sites on four servers, one of them on two and two on one, with redirects, dead ends and hiccups."""
    for seed in SEEDS:
        told = []
        for delays in (1, 2):
            async with FakeWeb() as web:
                MadeWeb.make(seed).serve(web, delays, flaky=0.2 * (delays - 1))
                told.append(facts(await crawl_all(web, *STARTS, scope=BOUNDS, budget=budget)))
        assert told[0] == told[1], seed


@pytest.mark.parametrize(
    ("cap", "max_pages"), [(None, None), (6, None), (None, 1), (None, 3), (None, 14), (None, 30), (9, 21)]
)
async def test_the_pages_are_those_of_a_literal_reading(cap: int | None, max_pages: int | None) -> None:
    """One request at a time, one site after the other, the budget dealt out by hand."""
    for seed in SEEDS:
        made = MadeWeb.make(seed)
        async with FakeWeb() as web:
            budget = Budget(max_pages=max_pages, max_pages_per_group=cap, max_requests=10_000)
            records = await crawl_all(made.serve(web, seed), *STARTS, scope=BOUNDS, budget=budget)
        assert pages(records) == made.fetched(cap, max_pages), seed


async def test_a_site_on_two_servers_never_has_more_than_its_cap() -> None:
    async with FakeWeb() as web:
        there = [f"http://{host}.test/{n}" for host in ("one", "uno") for n in range(20)]
        web.routes = {"http://one.test/": links(*there), **{url: Reply("x", wait=0.01) for url in there}}
        records = await crawl_all(web, "http://one.test/", scope=BOUNDS, budget=Budget(max_pages_per_group=6))
    assert len(pages(records)) == 6


async def test_nor_does_a_group_of_servers_that_a_crawl_may_leave() -> None:
    """Servers of one group are asked side by side: the last places are kept for what is under way."""
    bounds = Bounds(group=lambda url: "all")
    async with FakeWeb() as web:
        there = [f"http://s{n % 9}.test/{n}" for n in range(40)]
        web.routes = {"http://a.test/": links(*there), **{url: Reply("x", wait=0.01) for url in there}}
        web.routes |= dict.fromkeys(there[::2], Reply(status=404))
        crawl = Crawl(["http://a.test/"], scope=bounds, settings=QUICK, web=web, budget=Budget(max_pages_per_group=6))
        records = [record async for record in crawl.records()]
    assert len(pages(records)) == 6
    assert [cut.what for cut in crawl.cut] == ["pages-per-site"]


async def test_redirects_fill_no_group_beyond_its_cap() -> None:
    """A thousand doors of one server that lead to another one do not open it more than it may be."""
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links(*(f"/{n}" for n in range(30)))}
        web.routes |= {f"http://a.test/{n}": redirect(f"http://b.test/{n}") for n in range(30)}
        web.routes |= {f"http://b.test/{n}": "x" for n in range(30)}
        records = await crawl_all(web, "http://a.test/", budget=Budget(max_pages_per_group=5))
    assert sum(url.startswith("http://b.test/") for url in pages(records)) == 5


async def test_a_page_that_is_tried_again_keeps_its_place() -> None:
    """The cap is reached with the page that came at the second try, not with the one that stood behind it."""
    answers = [Reply(status=503), Reply("late")]
    async with FakeWeb() as web:
        web.routes = {f"http://one.test/{n}": "x" for n in range(5)}
        web.routes |= {"http://one.test/": links(*"01234"), "http://one.test/0": lambda hit: answers.pop(0)}
        patient = replace(QUICK, backoff=0.1)
        budget = Budget(max_pages_per_group=3)
        records = await crawl_all(web, "http://one.test/", scope=BOUNDS, budget=budget, settings=patient)
    assert pages(records) == {"http://one.test/", "http://one.test/0", "http://one.test/1"}


async def test_what_is_no_page_costs_no_place() -> None:
    async with FakeWeb() as web:
        web.routes = {f"http://one.test/{n}": "x" for n in range(5)}
        web.routes |= {
            "http://one.test/": links(*"01234"),
            "http://one.test/0": Reply(status=404),
            "http://one.test/1": Reply("%PDF-1", headers={"Content-Type": "application/pdf"}),
        }
        records = await crawl_all(web, "http://one.test/", scope=BOUNDS, budget=Budget(max_pages_per_group=3))
    assert pages(records) == {"http://one.test/", "http://one.test/2", "http://one.test/3"}


@pytest.mark.parametrize("slow", ["a", "b"])
async def test_which_of_two_names_is_the_alias(slow: str) -> None:
    """Of two doors to one page the one that comes first in line opens it, however long it takes."""
    async with FakeWeb() as web:
        web.routes = {
            "http://one.test/": links("http://one.test/a", "http://uno.test/b"),
            "http://one.test/a": replace(redirect("http://uno.test/page"), wait=0.2 * (slow == "a")),
            "http://uno.test/b": replace(redirect("http://uno.test/page"), wait=0.2 * (slow == "b")),
            "http://uno.test/page": "x",
        }
        _, first, second = await crawl_all(web, "http://one.test/", scope=BOUNDS)
    assert isinstance(first, Fetched)
    assert isinstance(second, Alias)
    assert (first.asked, second.url) == ("http://one.test/a", "http://uno.test/b")


async def test_links_and_redirects_stay_in_the_site() -> None:
    """Another site of the same crawl is crawled for its own sake only."""
    async with FakeWeb() as web:
        web.routes = {
            "http://one.test/": links("/out", "http://four.test/deep"),
            "http://one.test/out": redirect("http://four.test/deeper"),
            "http://four.test/": "x",
        }
        records = await crawl_all(web, "http://one.test/", "http://four.test/", scope=BOUNDS)
    assert not any("deep" in url for url in web.pages())
    (failed,) = [record for record in records if isinstance(record, Failed)]
    assert failed.reason is Reason.REDIRECT_SCOPE


async def test_a_start_given_twice_is_asked_once_as_near_as_it_was_given() -> None:
    starts = [Start("http://one.test/x", 2), Start("http://one.test/x"), Start("https://www.one.test/x")]
    async with FakeWeb() as web:
        web.routes = {"http://one.test/x": "x"}
        (record,) = [record async for record in Crawl(starts, settings=QUICK, web=web).records()]
    assert (record.hops, len(web.pages())) == (0, 1)


async def test_starts_that_are_further_away_come_later() -> None:
    starts = [Start("http://one.test/a", 3), Start("http://one.test/b", 1), Start("http://one.test/c")]
    async with FakeWeb() as web:
        web.routes = {"http://one.test/c": links("/d"), "http://one.test/b": "", "http://one.test/a": ""}
        records = [record async for record in Crawl(starts, settings=QUICK, web=web).records()]
    assert [record.hops for record in records] == [0, 1, 1, 3]


async def test_one_robots_txt_for_sites_that_share_a_server() -> None:
    async with FakeWeb() as web:
        web.routes = {
            "http://users.test/robots.txt": Reply("User-agent: *\nDisallow: /~a/no", wait=0.1),
            "http://users.test/~a/": links("no", "yes"),
            "http://users.test/~a/yes": "x",
            "http://users.test/~b/": "x",
        }
        records = await crawl_all(web, "http://users.test/~a/", "http://users.test/~b/", scope=BOUNDS)
    assert web.count("http://users.test/robots.txt") == 1
    assert len(pages(records)) == 3


async def test_robots_txt_that_lies_elsewhere_is_waited_for() -> None:
    async with FakeWeb() as web:
        web.routes = {
            "http://one.test/robots.txt": redirect("http://four.test/robots.txt"),
            "http://four.test/robots.txt": Reply("User-agent: *\nDisallow: /no", wait=0.1),
            "http://one.test/": links("/no", "/yes"),
            "http://one.test/yes": "x",
            "http://four.test/": "x",
        }
        records = await crawl_all(web, "http://one.test/", "http://four.test/", scope=BOUNDS)
    assert len(pages(records)) == 3
    assert [record.reason for record in records if isinstance(record, Failed)] == [Reason.ROBOTS]


async def test_a_parked_server_fails_every_page_of_its_sites() -> None:
    def only_robots(hit: Hit) -> Reply:
        return Reply(status=503)

    async with FakeWeb() as web:
        there = [f"http://users.test/~{name}/{n}" for name in "ab" for n in range(10)]
        web.routes = dict.fromkeys(there, only_robots)
        records = await crawl_all(web, *there, scope=BOUNDS, settings=replace(QUICK, retries=0))
    assert sum(isinstance(record, Failed) and record.reason is Reason.PARKED for record in records) == 15


# The queue itself


def job(url: str, rank: int = 0) -> Job:
    return Job(f"http://{url}", f"http://{url}", urls_server(url), 0, rank, (0, url), site(url), urls_server(url))


def urls_server(url: str) -> str:
    return url.partition("/")[0]


def test_a_line_is_done_one_by_one_and_by_rank() -> None:
    frontier = Frontier(lambda job: 0.0)
    for one in (job("s/b", 1), job("s/a", 1), job("t/c", 0), job("s/z", 0)):
        frontier.push(one)
    first, second = frontier.pop(1.0), frontier.pop(1.0)
    assert first is not None
    assert second is not None
    assert {first.url, second.url} == {"http://t/c", "http://s/z"}
    assert frontier.pop(1.0) is None
    frontier.release("s")
    assert frontier.pop(1.0) is None  # the server is free, the line is not
    frontier.done(first if first.server == "s" else second)
    third = frontier.pop(1.0)
    assert third is not None
    assert third.url == "http://s/a"


def test_a_better_job_goes_first_even_when_the_server_was_ready_for_another() -> None:
    frontier = Frontier(lambda job: 0.0)
    for one in (job("s/a", 5), job("t/a", 3), job("u/a", 1)):
        frontier.push(one)
    popped = [frontier.pop(1.0)]
    frontier.push(job("s/b", 2))
    popped += [frontier.pop(1.0), frontier.pop(1.0)]
    assert [one.url for one in popped if one] == ["http://u/a", "http://s/b", "http://t/a"]


def test_a_paused_line_goes_on_where_it_stopped() -> None:
    frontier = Frontier(lambda job: 0.0)
    frontier.push(job("s/a"))
    frontier.push(job("s/b"))
    first = frontier.pop(1.0)
    assert first is not None
    frontier.pause(first)
    frontier.release("s")
    assert frontier.pop(1.0) is None
    assert frontier.wait(1.0) is None
    assert frontier.paused() == [first]
    frontier.resume()
    assert frontier.pop(1.0) is first


def test_a_retry_makes_its_server_wait() -> None:
    frontier = Frontier(lambda job: 0.0)
    frontier.push(job("s/a"))
    frontier.push(job("s/b"))
    first = frontier.pop(1.0)
    assert first is not None
    frontier.again(first)
    frontier.release("s", 5.0)
    assert frontier.pop(4.9) is None
    assert frontier.wait(4.0) == 1.0
    assert frontier.pop(5.0) is first
