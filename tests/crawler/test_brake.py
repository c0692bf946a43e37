"""How a crawl ends before its time: a person stops it, or the network is gone."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from crawler.bounds import Bounds
from crawler.brake import Brake
from crawler.crawl import Crawl
from crawler.frontier import Job
from crawler.model import Budget, Cut, Failed, Fetched, Reason
from crawler.outage import Outage
from tests.crawler.webs import BOUNDS, STARTS, Kept, MadeWeb, facts
from tests.support.fakeweb import QUICK, FakeWeb, Reply, Route, crawl_all, links

ONCE = replace(QUICK, retries=0)


async def test_the_brake_lets_land_what_is_in_flight() -> None:
    """And keeps it; nothing new is asked."""
    brake = Brake()
    async with FakeWeb() as web:
        starts = [f"http://s{n}.test/" for n in range(5)]
        web.routes = dict.fromkeys(starts, Reply(links("/more"), wait=0.3))
        crawl = Crawl(starts, settings=QUICK, web=web, brake=brake)
        asyncio.get_running_loop().call_later(0.15, brake.pull)
        records = [record async for record in crawl.records()]
    assert sorted(record.url for record in records) == sorted(starts)
    assert sorted(web.pages()) == sorted(starts)
    assert crawl.stopped == "stopped"
    assert crawl.cut == [Cut("stopped", "5 known pages were not asked for")]


async def test_the_brake_wakes_a_crawl_that_waits_for_a_turn() -> None:
    brake = Brake()
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links("/b"), "http://a.test/b": "x"}
        crawl = Crawl(["http://a.test/"], settings=replace(QUICK, delay=60.0), web=web, brake=brake)
        asyncio.get_running_loop().call_later(0.2, brake.pull)
        started = time.monotonic()
        assert [record async for record in crawl.records()] == []  # robots.txt was asked, the page waits a minute
    assert time.monotonic() - started < 5
    assert crawl.stopped == "stopped"


async def test_a_brake_pulled_beforehand_asks_nothing() -> None:
    brake = Brake()
    brake.pull()
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": "x"}
        crawl = Crawl(["http://a.test/"], settings=QUICK, web=web, brake=brake)
        assert [record async for record in crawl.records()] == []
    assert web.hits == []
    assert crawl.cut == [Cut("stopped", "1 known pages were not asked for")]


async def test_a_crawl_that_was_done_anyway_was_not_stopped() -> None:
    brake = Brake()
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": "x"}
        crawl = Crawl(["http://a.test/"], settings=QUICK, web=web, brake=brake)
        async for _ in crawl.records():
            brake.pull()
    assert (crawl.stopped, crawl.cut) == ("", [])


async def test_a_crawl_that_was_stopped_goes_on_where_it_was() -> None:
    made, brake = MadeWeb.make(2), Brake()
    async with FakeWeb() as web:
        whole = await crawl_all(made.serve(web, 2), *STARTS, scope=BOUNDS)
        web.hits.clear()
        before = []
        async for record in Crawl(STARTS, scope=BOUNDS, settings=QUICK, web=web, brake=brake).records():
            before.append(record)
            if len(before) == 8:
                brake.pull()
        landed = set(web.pages())
        web.hits.clear()
        after = await crawl_all(web, *STARTS, scope=BOUNDS, copies=Kept(before))
    assert facts(after) == facts(whole)
    finished = {hop.address for record in before for hop in record.redirects} | {record.url for record in before}
    assert not finished & set(web.pages())
    assert len(landed) >= 8


async def test_who_leaves_the_loop_is_told_what_was_left() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links("/b", "/c")}
        crawl = Crawl(["http://a.test/"], settings=QUICK, web=web)
        records = crawl.records()
        async for _ in records:
            break
        await records.aclose()  # type: ignore[attr-defined]  # an async generator has it
    assert crawl.cut == [Cut("stopped", "2 known pages were not asked for")]


async def test_why_time_was_up_does_not_change_afterwards() -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links("/b", "/c")}
        crawl = Crawl(["http://a.test/"], settings=QUICK, web=web, budget=Budget(max_pages=1, max_seconds=0.5))
        _ = [record async for record in crawl.records()]
        await asyncio.sleep(0.6)
    assert [cut.what for cut in crawl.cut] == ["max-pages"]


# The network


async def pulled(servers: int, *, after: int) -> tuple[Crawl, list[str]]:
    """A crawl of so many endless servers whose network goes after so many records; how its failures read."""
    async with FakeWeb() as web:
        for n in range(servers):
            web.routes |= {f"http://s{n}.test/{m}": Reply(links(*map(str, range(200))), wait=0.002) for m in range(200)}
        starts = [f"http://s{n}.test/0" for n in range(servers)]
        crawl, failed, seen = Crawl(starts, settings=ONCE, web=web), [], 0
        async for record in crawl.records():
            seen += 1
            if isinstance(record, Failed):
                assert record.passing
                failed.append(str(record.reason))
            if seen == after:
                web.go_down()
    return crawl, failed


@pytest.mark.parametrize("servers", [1, 2, 3, 5, 20])
async def test_a_network_that_goes_stops_the_crawl(servers: int) -> None:
    """After a few failures, not after all that is known has failed."""
    crawl, failed = await pulled(servers, after=40)
    assert crawl.stopped == "network"
    assert len(failed) <= 10 + servers
    (cut,) = crawl.cut
    assert cut.what == "network"
    assert cut.detail.startswith("the network does not answer: ")
    assert cut.detail.endswith(" known pages were not asked for")


async def test_a_network_that_was_never_there() -> None:
    """Nobody can say whether the names exist, which is another thing than that they do not."""
    async with FakeWeb() as web:
        web.down = True
        crawl = Crawl([f"http://s{n}.test/" for n in range(50)], settings=replace(ONCE, connections=5), web=web)
        records = [record async for record in crawl.records()]
    assert {record.reason for record in records if isinstance(record, Failed)} == {Reason.NO_DNS}
    assert crawl.stopped == "network"
    assert len(records) < 20


async def test_dead_hosts_are_no_dead_network() -> None:
    """Thirty that refuse, thirty that do not exist, and one that answers, slowly."""
    async with FakeWeb() as web:
        web.dead = {f"dead{n}.test" for n in range(30)}
        gone = [f"http://{kind}{n}.test/" for kind in ("dead", "nowhere") for n in range(30)]
        web.routes = {"http://alive.test/": Reply(links("/a"), wait=0.5), "http://alive.test/a": Reply("x", wait=0.5)}
        for starts in ([*gone, "http://alive.test/"], ["http://alive.test/", *gone]):
            crawl = Crawl(starts, settings=ONCE, web=web)
            records = [record async for record in crawl.records()]
            assert (crawl.stopped, len(records)) == ("", 62)


async def test_a_living_server_is_heard_before_the_network_is_given_up() -> None:
    """It has answered, and waits for its turn while all the others fail."""
    async with FakeWeb() as web:
        web.dead = {f"dead{n}.test" for n in range(30)}
        dead = [f"http://dead{n}.test/" for n in range(30)]
        web.routes = {"http://alive.test/": links(*dead, "/a"), "http://alive.test/a": "x"}
        crawl = Crawl(["http://alive.test/"], settings=replace(ONCE, delay=0.5), web=web)
        records = [record async for record in crawl.records()]
    assert (crawl.stopped, len(records)) == ("", 32)


async def test_one_server_that_dies_among_others_is_parked() -> None:
    async with FakeWeb() as web:

        def fades(n: int) -> Route:
            return links(f"/{n + 1}") if n < 5 else b""

        web.routes = {f"http://dies.test/{n}": fades(n) for n in range(30)}
        web.routes |= {"http://dies.test/0": links(*map(str, range(1, 30)))}
        web.routes |= {
            f"http://s{m}.test/{n}": Reply(links(f"/{n + 1}"), wait=0.02) for n in range(30) for m in range(3)
        }
        starts = ["http://dies.test/0", *(f"http://s{m}.test/0" for m in range(3))]
        crawl = Crawl(starts, settings=ONCE, web=web)
        records = [record async for record in crawl.records()]
    assert crawl.stopped == ""
    assert sum(isinstance(record, Failed) and record.reason is Reason.PARKED for record in records) > 10
    assert sum(isinstance(record, Fetched) for record in records) >= 60


async def test_a_recording_has_no_network_to_lose() -> None:
    async with FakeWeb() as web:
        web.is_recording = True
        web.down = True
        crawl = Crawl([f"http://s{n}.test/" for n in range(50)], settings=ONCE, web=web)
        records = [record async for record in crawl.records()]
    assert (crawl.stopped, len(records)) == ("", 50)


def test_witnesses_are_heard_before_an_outage_is_believed() -> None:
    """Worked through by hand: five failures in a row, while s9 is being asked and s7 and s8 have answered before."""
    flying = {"s9"}
    outage = Outage(lambda: flying)

    def hear(server: str, reason: Reason | None = Reason.CONNECT) -> bool:
        outage.hear(Job("", f"http://{server}/x", server, 0, 0), reason, final=True)
        return outage.is_suspect

    for server in ("s7", "s8", "s9"):
        assert not hear(server, None)
    assert [hear(f"s{n % 3}") for n in range(5)] == [False] * 4 + [True]
    assert outage.witnesses() == [("s8", "http://s8"), ("s7", "http://s7")]
    outage.unheard("s8")
    outage.unheard("s7")
    outage.decide()
    assert not outage.gone  # s9 is being asked
    assert hear("s9")
    outage.decide()
    assert outage.gone


def test_one_answer_and_all_is_well() -> None:
    outage = Outage(set)
    for n in range(100):
        outage.hear(Job("", "http://h/", f"s{n}", 0, 0), Reason.TIMEOUT if n % 5 else None, final=True)
        assert not outage.is_suspect


def test_where_nobody_ever_answered_nothing_can_be_told() -> None:
    """Hosts that refuse are no dead network; a name server that is out of reach is."""
    for reason, gone in ((Reason.CONNECT, False), (Reason.NO_DNS, True)):
        outage = Outage(set)
        for n in range(20):
            outage.hear(Job("", "http://h/", f"s{n}", 0, 0), reason, final=True)
        outage.decide()
        assert outage.gone is gone


async def test_dead_hosts_alone_are_no_dead_network() -> None:
    """As when all else is in the store: those that failed are asked again, and fail again."""
    async with FakeWeb() as web:
        web.dead = {f"dead{n}.test" for n in range(30)}
        crawl = Crawl([f"http://dead{n}.test/" for n in range(30)], settings=ONCE, web=web)
        records = [record async for record in crawl.records()]
    assert (crawl.stopped, len(records)) == ("", 30)


async def test_dead_hosts_at_the_end_are_no_dead_network() -> None:
    """The living one is done by then: it is asked once more, and answers."""
    async with FakeWeb() as web:
        web.dead = {f"dead{n}.test" for n in range(30)}
        web.routes = {"http://alive.test/": "x"}
        starts = ["http://alive.test/", *(f"http://dead{n}.test/" for n in range(30))]
        crawl = Crawl(starts, settings=replace(ONCE, connections=3), web=web)
        records = [record async for record in crawl.records()]
        assert (crawl.stopped, len(records)) == ("", 31)
        assert 2 <= web.count("http://alive.test/robots.txt") <= 8


async def test_a_crawl_that_ends_in_silence_does_not_pass_for_whole() -> None:
    """The network goes before the last page, too few failures to notice it sooner."""
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links("http://b.test/"), "http://b.test/": "b"}
        crawl, reasons = Crawl(["http://a.test/"], settings=ONCE, web=web), []
        async for record in crawl.records():
            reasons.append(getattr(record, "reason", None))
            web.go_down()
    assert reasons == [None, Reason.NO_DNS]
    assert (crawl.stopped, [cut.what for cut in crawl.cut]) == ("network", ["network"])


@pytest.mark.parametrize("reason", [Reason.DNS, Reason.ADDRESS, Reason.BAD_URL, Reason.TLS, Reason.PROTOCOL])
def test_what_says_nothing_of_the_network(reason: Reason) -> None:
    outage = Outage(set)
    for n in range(100):
        outage.hear(Job("", "http://h/", f"s{n}", 0, 0), reason, final=True)
    assert not outage.is_suspect


def test_which_failures_pass() -> None:
    """Those that nobody answered; what somebody said stays said."""
    passing = {Reason.CONNECT, Reason.TIMEOUT, Reason.NO_DNS, Reason.PARKED, Reason.NO_ROBOTS}
    for reason in Reason:
        assert Failed("", "", 0, reason, "", None).passing == (reason in passing)  # type: ignore[arg-type]  # no time


@pytest.mark.parametrize("answer", [Reply(status=503), Reply(status=429)])
async def test_robots_txt_out_of_reach_is_not_robots_txt_that_forbids(answer: Reply) -> None:
    async with FakeWeb() as web:
        web.routes = {"http://a.test/robots.txt": answer, "http://a.test/": "x"}
        crawl = Crawl(["http://a.test/"], settings=ONCE, web=web)
        (record,) = [record async for record in crawl.records()]
    assert isinstance(record, Failed)
    assert (record.reason, record.passing) == (Reason.NO_ROBOTS, True)
    assert crawl.stats.refused_by_robots == 1


async def test_robots_txt_on_a_parked_server() -> None:
    """The page's own server is not parked, and says so."""
    async with FakeWeb() as web:
        web.routes = {
            "http://a.test/robots.txt": Reply(status=302, headers={"Location": "http://b.test/robots.txt"}, wait=0.3),
            "http://a.test/": "x",
            "http://b.test/robots.txt": Reply("User-agent: *\nCrawl-delay: 99"),
            "http://b.test/": "x",
        }
        bounds = Bounds(lambda url: True)
        records = await crawl_all(
            web, "http://a.test/", "http://b.test/", scope=bounds, settings=replace(ONCE, delay=0.01)
        )
    assert [record.reason for record in records if isinstance(record, Failed)] == [Reason.PARKED, Reason.NO_ROBOTS]
