"""What the caller has is taken in place of requests: a crawl that was killed goes on, and asks nothing twice."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from crawler.copies import Copy, NoCopies, Validators
from crawler.crawl import Crawl
from crawler.model import Budget, Cut, Failed, Fetched, Link, Page, Reason
from crawler.notebook import MemoryNotebook
from tests.crawler.webs import BOUNDS, STARTS, Kept, MadeWeb, facts, pages
from tests.support.fakeweb import QUICK, FakeWeb, Hit, Reply, crawl_all, links, redirect

if TYPE_CHECKING:
    from crawler.copies import Copies
    from crawler.model import Record

OFFLINE = replace(QUICK, offline=True)
BUDGETS = {
    "no limit": Budget(),
    "caps": Budget(max_pages_per_group=7),
    "shares": Budget(max_pages=21),
    "requests": Budget(max_requests=25, max_pages_per_group=9),
}


class Both(NoCopies):
    """What this run asked for before it was interrupted, and what older runs did."""

    def __init__(self, mine: Kept, old: Kept) -> None:
        self._kept = (mine, old)

    def holds(self, url: str) -> bool:
        return any(kept.holds(url) for kept in self._kept)

    def recall(self, url: str) -> Copy | None:
        return next((kept.recall(url) for kept in self._kept if kept.holds(url)), None)


async def cut_after(number: int, web: FakeWeb, budget: Budget, copies: Copies) -> list[Record]:
    """The first records of a crawl that is then killed."""
    crawl = Crawl(STARTS, scope=BOUNDS, settings=QUICK, web=web, budget=budget, copies=copies)
    records, found = crawl.records(), []
    async for record in records:
        found.append(record)
        if len(found) == number:
            break
    await records.aclose()  # type: ignore[attr-defined]  # an async generator has it
    return found


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
@pytest.mark.parametrize("seed", range(3))
async def test_a_crawl_that_was_killed_ends_as_if_it_had_not(budget: Budget, seed: int) -> None:
    """Wherever it was killed: the same records, and nothing asked again that had an answer."""
    made = MadeWeb.make(seed)
    async with FakeWeb() as web:
        whole = await crawl_all(made.serve(web, seed), *STARTS, scope=BOUNDS, budget=budget)
    for number in range(1, len(whole), 5):
        async with FakeWeb() as web:
            made.serve(web, number, flaky=0.1)
            before = await cut_after(number, web, budget, Kept())
            web.hits.clear()
            after = await crawl_all(web, *STARTS, scope=BOUNDS, budget=budget, copies=Kept(before))
        assert facts(after) == facts(whole), number
        assert not {address(record) for record in before} & set(web.pages()), number


def address(record: Record) -> str:
    return record.redirects[0].address if record.redirects else record.url


async def test_it_may_be_killed_many_times_beside_copies_of_older_runs() -> None:
    """Older copies are free whenever they are met: they shift no page from one share to another."""
    made, budget, chance = MadeWeb.make(5, size=25), Budget(max_pages=17, max_pages_per_group=12), random.Random(5)
    async with FakeWeb() as web:
        everything = await crawl_all(made.serve(web, 5), *STARTS, scope=BOUNDS)
        old = Kept(chance.sample(everything, len(everything) // 3), mine=False)
        whole = await crawl_all(web, *STARTS, scope=BOUNDS, budget=budget, copies=old)
        mine, asked = Kept(), 0
        for number in (3, 9, 14, 22):
            web.hits.clear()
            for record in await cut_after(number, web, budget, Both(mine, old)):
                if not record.copy:
                    mine.keep(record)
                    asked += 1
        last = await crawl_all(web, *STARTS, scope=BOUNDS, budget=budget, copies=Both(mine, old))
    assert facts(last) == facts(whole)
    assert asked > 5


async def test_old_copies_are_free_and_count_for_their_site() -> None:
    async with FakeWeb() as web:
        web.routes = dict.fromkeys((f"http://one.test/{n}" for n in range(9)), "x")
        web.routes["http://one.test/"] = links(*"012345678")
        whole = await crawl_all(web, "http://one.test/", scope=BOUNDS)
        old = Kept(whole[:4], mine=False)
        crawl = Crawl(STARTS[:1], scope=BOUNDS, settings=QUICK, web=web, budget=Budget(max_pages=2), copies=old)
        assert len(pages([record async for record in crawl.records()])) == 4 + 2
        assert (crawl.stats.copies, crawl.stats.html) == (4, 2)
        capped = await crawl_all(web, *STARTS[:1], scope=BOUNDS, budget=Budget(max_pages_per_group=5), copies=old)
        assert len(pages(capped)) == 5
        mine = await crawl_all(web, *STARTS[:1], scope=BOUNDS, budget=Budget(max_pages=5), copies=Kept(whole[:4]))
        assert len(pages(mine)) == 5


async def test_old_copies_are_taken_when_the_budget_is_spent() -> None:
    """Whether a free page is met before or after the last one that costs is a matter of time."""
    async with FakeWeb() as web:
        web.routes = {f"http://{host}.test/{n}": "x" for host in ("one", "four") for n in range(9)}
        web.routes |= {"http://one.test/": links(*"012345678"), "http://four.test/": links(*"012345678")}
        starts = ("http://one.test/", "http://four.test/")
        whole = await crawl_all(web, *starts, scope=BOUNDS)
        old = Kept((one for one in whole if "four" in one.url), mine=False)
        web.routes["http://four.test/"] = Reply(links(*"012345678"), wait=0.3)
        found = await crawl_all(web, *starts, scope=BOUNDS, budget=Budget(max_pages=4), copies=old)
    assert sum("four" in url for url in pages(found)) == 10


async def test_a_copy_never_overtakes_what_stands_before_it() -> None:
    async with FakeWeb() as web:
        web.routes = dict.fromkeys((f"http://one.test/{n}" for n in range(6)), "x")
        web.routes["http://one.test/"] = links(*"012345")
        whole = await crawl_all(web, "http://one.test/", scope=BOUNDS)
        odd = Kept((one for one in whole if one.url[-1] in "135"), mine=False)
        slow = replace(QUICK, delay=0.05)
        again = await crawl_all(web, "http://one.test/", scope=BOUNDS, copies=odd, settings=slow)
    assert [one.url for one in again] == [one.url for one in whole]


async def test_copies_wait_for_nobodys_turn() -> None:
    async with FakeWeb() as web:
        made = MadeWeb.make(3)
        whole = await crawl_all(made.serve(web, 3), *STARTS, scope=BOUNDS)
        started = time.monotonic()
        polite = replace(QUICK, delay=5.0)
        again = await crawl_all(web, *STARTS, scope=BOUNDS, copies=Kept(whole), settings=polite)
    assert facts(again) == facts(whole)
    assert time.monotonic() - started < 4
    assert all(record.copy for record in again)


async def test_copies_do_not_keep_answers_waiting() -> None:
    """While a thousand copies of one server are read, another one is asked at its pace."""
    async with FakeWeb() as web:
        web.routes = {f"http://one.test/{n}": "x" for n in range(1000)}
        web.routes |= {"http://one.test/": links(*map(str, range(1000)))}
        old = Kept(await crawl_all(web, "http://one.test/"), mine=False)
        web.routes |= {f"http://four.test/{n}": links(str(n + 1)) for n in range(30)}
        found = await crawl_all(web, "http://one.test/", "http://four.test/0", copies=old)
    others = [place for place, record in enumerate(found) if "four" in record.url]
    assert others[10] < 900


async def test_a_chain_of_redirects_is_told_hop_by_hop() -> None:
    """Half of it asked, half of it remembered; what is asked for counts as a request, what is remembered as no page."""
    async with FakeWeb() as web:
        web.routes = {"http://one.test/": redirect("/b"), "http://one.test/b": redirect("/c"), "http://one.test/c": "x"}
        (whole,) = await crawl_all(web, "http://one.test/", scope=BOUNDS)
        old = Kept([whole], mine=False)
        del old.told["http://one.test/"]
        web.hits.clear()
        crawl = Crawl(
            ["http://one.test/"], scope=BOUNDS, settings=QUICK, web=web, copies=old, budget=Budget(max_pages=1)
        )
        records = [record async for record in crawl.records()]
    assert facts(records) == facts([whole])
    assert web.pages() == ["http://one.test/"]
    assert (crawl.stats.copies, crawl.stats.html) == (1, 0)


async def test_the_bounds_of_this_crawl_count_and_not_those_of_the_copy() -> None:
    """A page out of scope then may be in scope now, and the other way round."""
    async with FakeWeb() as web:
        web.routes = {
            "http://one.test/": links("/in", "http://four.test/", "/out"),
            "http://one.test/out": redirect("http://four.test/x"),
            **dict.fromkeys(("http://one.test/in", "http://four.test/", "http://four.test/x"), "x"),
        }
        narrow = await crawl_all(web, "http://one.test/", scope=lambda url: "one" in url)
        wide = await crawl_all(web, "http://one.test/")
        assert facts(await crawl_all(web, "http://one.test/", copies=Kept(narrow))) == facts(wide)
        again = await crawl_all(web, "http://one.test/", scope=lambda url: "one" in url, copies=Kept(wide))
        assert facts(again) == facts(narrow)


class Stored(NoCopies):
    """Offers a stored page to be checked."""

    def validators(self, url: str) -> Validators | None:
        return Validators(etag='"1"') if url == "http://one.test/" else None

    def page(self, url: str) -> Page | None:
        old = (Link("http://one.test/a", "http://one.test/a"), Link("http://away.test/", "http://away.test/"))
        return Page("old", links=old) if url == "http://one.test/" else None


async def test_a_page_that_is_unchanged_keeps_its_links() -> None:
    def answer(hit: Hit) -> Reply:
        return Reply(status=304 if hit.headers.get("if-none-match") == '"1"' else 200)

    async with FakeWeb() as web:
        web.routes = {"http://one.test/": answer, "http://one.test/a": "x"}
        first, second = await crawl_all(web, "http://one.test/", scope=BOUNDS, copies=Stored())
    assert isinstance(first, Fetched)
    assert first.page is not None
    assert (first.unchanged, first.page.title, first.is_page) == (True, "old", True)
    assert [link.in_scope for link in first.page.links] == [True, False]
    assert second.url == "http://one.test/a"


async def test_a_server_that_was_parked_stays_parked_when_the_run_goes_on() -> None:
    """Its five failures count again, as they did."""
    there = [f"http://one.test/{n}" for n in range(12)]
    async with FakeWeb() as web:
        web.routes = dict.fromkeys(there, Reply(status=503))
        whole = await crawl_all(web, *there, scope=BOUNDS, settings=replace(QUICK, retries=0))
        before = list(islice(whole, 5))
        web.hits.clear()
        after = await crawl_all(web, *there, scope=BOUNDS, settings=replace(QUICK, retries=0), copies=Kept(before))
    assert facts(after) == facts(whole)
    assert web.pages() == []


async def test_a_crawl_delay_is_obeyed_also_where_robots_txt_is_remembered() -> None:
    notebook, polite = MemoryNotebook(), replace(QUICK, delay=0.01)
    async with FakeWeb() as web:
        web.routes = {
            "http://a.test/robots.txt": Reply("User-agent: *\nCrawl-delay: 0.5"),
            "http://a.test/": links("/b"),
        }
        await crawl_all(web, "http://a.test/x", notebook=notebook, settings=polite)
        web.hits.clear()
        await crawl_all(web, "http://a.test/", notebook=notebook, settings=polite)
        assert len(web.hits) == 2
        assert web.gaps()[0] >= 0.5
        web.routes = {"http://b.test/robots.txt": Reply("User-agent: *\nCrawl-delay: 99"), "http://b.test/": "x"}
        for _ in range(2):
            (record,) = await crawl_all(web, "http://b.test/", notebook=notebook, settings=polite)
            assert isinstance(record, Failed)
            assert record.reason is Reason.PARKED


async def test_offline_asks_nobody() -> None:
    """Neither a name server nor a robots.txt; what is not at hand is counted."""
    async with FakeWeb() as web:
        made = MadeWeb.make(4)
        whole = await crawl_all(made.serve(web, 4), *STARTS, scope=BOUNDS)
        web.hits.clear()
        web.lookups.clear()
        web.connections = 0
        crawl = Crawl(STARTS, scope=BOUNDS, settings=OFFLINE, web=web, copies=Kept(whole, mine=False))
        assert facts([record async for record in crawl.records()]) == facts(whole)
        assert (crawl.cut, crawl.stopped) == ([], "")
        some = Kept((record for record in whole if "users" not in record.url), mine=False)
        crawl = Crawl(STARTS, scope=BOUNDS, settings=OFFLINE, web=web, copies=some)
        found = [record async for record in crawl.records()]
    assert facts(found) == facts(record for record in whole if "users" not in record.url)
    assert crawl.cut == [Cut("offline", "2 known pages are not in the store")]
    assert (web.hits, web.lookups, web.connections) == ([], [], 0)
