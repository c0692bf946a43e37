"""One request against servers that drip, break off, lie and bomb."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.fetch import Answer, Fetcher
from crawler.model import Reason
from crawler.web import Fault
from tests.support.fakeweb import QUICK, FakeWeb, Reply, Route, Script, redirect

if TYPE_CHECKING:
    from crawler.settings import Settings

PAGE = "http://a.test/"
HURRIED = replace(QUICK, max_seconds=0.5, max_body=100_000)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def fetch(route: Route, settings: Settings = HURRIED, url: str = PAGE) -> Answer | Fault:
    async with FakeWeb() as web:
        web.routes[url] = route
        async with Fetcher(settings, web) as fetcher:
            return await fetcher.fetch(url)


async def fault(route: Route, settings: Settings = HURRIED) -> Reason:
    found = await fetch(route, settings)
    assert isinstance(found, Fault)
    return found.reason


async def answer(route: Route, settings: Settings = HURRIED) -> Answer:
    found = await fetch(route, settings)
    assert isinstance(found, Answer)
    return found


def drip(first: bytes, drop: bytes) -> Script:
    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        for _ in range(200):
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(0.05)

    return Script(play)


def pour(first: bytes, data: bytes) -> Script:
    async def play(writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        for _ in range(200):
            writer.write(data)
            await writer.drain()

    return Script(play)


async def test_one_deadline_covers_a_dripping_body() -> None:
    """What came before the deadline is kept, and marked."""
    found = await answer(drip(OK + b"Content-Length: 100000\r\n\r\n", b"x"))
    assert found.truncated == "time"
    assert 0 < len(found.body) < 100
    assert found.seconds < 2


async def test_one_deadline_covers_dripping_headers() -> None:
    assert await fault(drip(OK, b"X-Y: z\r\n")) is Reason.TIMEOUT


async def test_silence_times_out() -> None:
    assert await fault(Reply("late", wait=10)) is Reason.TIMEOUT


async def test_endless_body_is_cut_at_the_cap() -> None:
    found = await answer(pour(OK + b"\r\n", b"x" * 10_000))
    assert (found.truncated, len(found.body)) == ("length", 100_000)


async def test_bomb_is_cut_at_the_cap() -> None:
    bomb = Reply(gzip.compress(bytes(50_000_000)), headers={"Content-Encoding": "gzip"})
    found = await answer(bomb)
    assert (found.truncated, len(found.body)) == ("length", 100_000)


async def test_bomb_on_a_redirect_is_not_read() -> None:
    reply = redirect("/x")
    reply.body = gzip.compress(bytes(50_000_000))
    reply.headers["Content-Encoding"] = "gzip"
    assert (await answer(reply)).body == b""


async def test_broken_off_body_is_kept_and_marked() -> None:
    found = await answer(OK + b"Content-Length: 1000\r\n\r\n<a href=x>twenty")
    assert (found.truncated, found.body) == ("disconnect", b"<a href=x>twenty")


async def test_cut_gzip_is_kept_and_marked() -> None:
    wire = gzip.compress(bytes(range(256)) * 100)
    found = await answer(Reply(wire[: len(wire) // 2], headers={"Content-Encoding": "gzip"}))
    assert found.truncated == "disconnect"
    assert found.body


@pytest.mark.parametrize(
    ("route", "reason"),
    [
        (b"", Reason.CONNECT),
        (b"HELLO WORLD\r\n\r\n", Reason.PROTOCOL),
        (b"HTTP/1.1 -1 no\r\n\r\n", Reason.PROTOCOL),
        (OK + b"X: " + b"y" * 10_000_000 + b"\r\n\r\n", Reason.PROTOCOL),
        (OK + b"X: y\r\n" * 100_000 + b"\r\n", Reason.PROTOCOL),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\n", Reason.PROTOCOL),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", Reason.PROTOCOL),
        (Reply("plain", headers={"Content-Encoding": "gzip"}), Reason.ENCODING),
        (Reply("plain", headers={"Content-Encoding": "rot13"}), Reason.ENCODING),
        (Reply("plain", headers={"Content-Encoding": "gzip, gzip, gzip"}), Reason.ENCODING),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_broken_answers_are_faults(route: Route, reason: Reason) -> None:
    assert await fault(route) is reason


async def test_odd_status_is_a_status() -> None:
    assert (await answer(Reply(status=999))).status == 999


async def test_hundred_thousand_continues_are_bounded() -> None:
    assert await fault(pour(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500)) in (Reason.TIMEOUT, Reason.CONNECT)


async def test_other_media_are_not_downloaded() -> None:
    found = await answer(Reply(b"%PDF" * 10_000, headers={"Content-Type": "application/pdf"}))
    assert (found.truncated, found.body, found.content_hash) == ("skipped", b"", "")


async def test_cookies_are_not_kept() -> None:
    async with FakeWeb() as web:
        web.routes = {PAGE: Reply("x", headers={"Set-Cookie": "a=b; Domain=a.test; Path=/"})}
        async with Fetcher(QUICK, web) as fetcher:
            await fetcher.fetch(PAGE)
            await fetcher.fetch(PAGE)
    assert all("cookie" not in hit.headers for hit in web.hits)


async def test_stale_connection_is_tried_once_more() -> None:
    """A server that closes its idle connection just as it is used again costs no page."""
    async with FakeWeb() as web:
        web.routes = {PAGE: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi"}
        async with Fetcher(QUICK, web) as fetcher:
            found = [await fetcher.fetch(PAGE) for _ in range(5)]
    assert [one.status for one in found if isinstance(one, Answer)] == [200] * 5


async def test_untrusted_certificate_is_named_tls() -> None:
    """With the system's certificates the fake Web's own authority is a stranger."""
    async with FakeWeb() as web:
        web.routes["https://a.test/"] = "never"
        web.tls = lambda: True  # type: ignore[method-assign]  # the live Web's answer
        async with Fetcher(QUICK, web) as fetcher:
            found = await fetcher.fetch("https://a.test/")
    assert isinstance(found, Fault)
    assert found.reason is Reason.TLS
    assert "certificate" in found.detail


async def test_ports_of_other_services_are_not_asked() -> None:
    async with FakeWeb() as web:
        web.routes["http://a.test:6379/"] = "never"
        async with Fetcher(QUICK, web) as fetcher:
            found = await fetcher.fetch("http://a.test:6379/")
    assert isinstance(found, Fault)
    assert found.reason is Reason.BAD_URL
    assert web.connections == 0


async def test_a_stop_is_a_stop() -> None:
    """A request that somebody cancels does not come back as a truncated page."""
    async with FakeWeb() as web:
        web.routes[PAGE] = drip(OK + b"Content-Length: 100000\r\n\r\n", b"x")
        async with Fetcher(QUICK, web) as fetcher:
            task = asyncio.create_task(fetcher.fetch(PAGE))
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
