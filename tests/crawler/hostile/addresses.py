"""Servers, names and URLs that lead into the private network. Public addresses are decided on, never dialled."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from crawler import urls
from crawler.addresses import AddressRefusedError, Guard
from crawler.crawl import Crawl
from crawler.errors import SeedError
from crawler.model import Failed, Fetched, Reason
from crawler.resolve import GuardedResolver
from tests.crawler.hostile.registry import case
from tests.support.fakeweb import QUICK, FakeWeb, crawl_all, links, redirect

if TYPE_CHECKING:
    from crawler.model import Record

NEIGHBOURS = (
    "1.1.1.1 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 168.63.129.15 "
    "168.63.129.17 169.253.255.255 169.255.0.1 172.15.255.255 172.32.0.1 191.255.255.255 192.0.1.1 "
    "192.88.98.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 203.0.112.1 223.255.255.255 "
    "2606:4700:4700::1111 2620:fe::fe 2001:200::1 2003::1 2a00:1450:4001::1 65:ff9b::1"
).split()
INSIDE = (
    "0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.255 168.63.129.16 169.254.169.254 172.16.0.1 "
    "172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 "
    "198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 "
    "::ffff:10.0.0.1 ::ffff:127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1:a00:0:100:: 100::1 "
    "100:0:0:1::1 2001:0:4136:e378::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 3fff::1 "
    "5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1"
).split()
SPELLINGS = (
    "127.0.0.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 017700000001 127.1 127.0.1 0 0x0 LOCALHOST localhost. "
    "foo.localhost 127。0。0。1 ①②⑦.⓪.⓪.① ⓛocalhost [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:0:0:1] "
    "printer.local"
).split()
CONFUSION = (
    "http://good.example@127.0.0.1/",
    "http://127.0.0.1\\@good.example/",
    "http://good.example:80@127.0.0.1:80/",
    "http://127.0.0.1#@good.example/",
    "http://127.0.0.1?@good.example/",
    "ht\ntp://127.0.0.1/",
    "http:127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    "http:///127.0.0.1/",
    "http://good.example%2f@127.0.0.1/",
    "http://127.0.0.1%00.good.example/",
    "http://[::1].good.example/",
    "http://127.0.0.1:80:80/",
)


def strict_guard() -> Guard:
    return Guard(allow_private=False, admits=lambda ip, port: False)


async def try_start(start: str) -> tuple[FakeWeb, Record | None]:
    """Crawl from a URL on a Web that is not admitted; None when it is refused as a start already."""
    async with FakeWeb() as web:
        web.routes = {"http://good.example/": "never"}
        web.admitted = False
        try:
            records = await crawl_all(web, start)
        except SeedError:
            return web, None
    return web, records[0]


def dial(guard: Guard, ip: str) -> socket.socket:
    """What the client does just before it connects."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    return guard.make_socket((family, socket.SOCK_STREAM, 0, "", (ip, 80)))


@case("ss-allow")
async def neighbours_pass() -> None:
    guard = strict_guard()
    assert [ip for ip in NEIGHBOURS if not guard.allows(ip, 80)] == []
    assert [ip for ip in INSIDE if guard.allows(ip, 80)] == []
    for ip in INSIDE:
        with pytest.raises(AddressRefusedError):
            dial(guard, ip)


@case("ss-spell")
async def every_spelling() -> None:
    for spelling in SPELLINGS:
        web, record = await try_start(f"http://{spelling}/")
        assert web.connections == 0
        assert record is None or (isinstance(record, Failed) and record.reason is Reason.ADDRESS), spelling


@case("ss-confuse")
async def one_parser_decides() -> None:
    for url in CONFUSION:
        web, record = await try_start(url)
        assert web.connections == 0
        assert record is None or (isinstance(record, Failed) and record.reason is Reason.ADDRESS), url
        address = urls.address(url)
        assert address is None or "good.example" not in urls.split(address).host


class Fickle(AbstractResolver):
    """Answers with another address each time."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host=ip, port=port, family=socket.AF_INET, proto=0, flags=0)
            for ip in self.answers.pop(0)
        ]

    async def close(self) -> None:
        pass


@case("ss-rebind")
async def name_that_changes_its_mind() -> None:
    fickle = Fickle(["93.184.216.34"], ["127.0.0.1"])
    resolver = GuardedResolver(fickle, strict_guard())
    first = await resolver.resolve("rebind.test", 80)
    assert await resolver.resolve("rebind.test", 80) == first  # one question, one answer for check and connection
    assert len(fickle.answers) == 1
    with pytest.raises(AddressRefusedError):
        dial(strict_guard(), "127.0.0.1")
    async with FakeWeb() as web:
        web.routes = {"http://rebind.test/": "never"}
        web.admitted = False  # as if the name led to the loopback now
        (record,) = await crawl_all(web, "http://rebind.test/")
    assert isinstance(record, Failed)
    assert (record.reason, web.connections) == (Reason.ADDRESS, 0)


@case("ss-multi-a")
async def mixed_answers() -> None:
    resolver = GuardedResolver(Fickle(["10.0.0.1", "93.184.216.34", "127.0.0.1"], ["10.0.0.1"]), strict_guard())
    assert [found["host"] for found in await resolver.resolve("mixed.test", 80)] == ["93.184.216.34"]
    with pytest.raises(AddressRefusedError):
        await resolver.resolve("inside.test", 80)


@case("ss-redirect")
async def redirected_inside() -> None:
    """At the first hop, at the second, and for robots.txt; sitemaps and icons are never asked for."""
    async with FakeWeb() as web:
        web.names["inside.test"] = ["192.168.0.1"]
        web.routes = {
            "http://a.test/1": redirect("http://inside.test/"),
            "http://a.test/2": redirect("http://b.test/hop"),
            "http://b.test/hop": redirect("http://169.254.169.254/"),
            "http://c.test/robots.txt": redirect("http://inside.test/robots.txt"),
            "http://c.test/": "never",
        }
        records = await crawl_all(web, "http://a.test/1", "http://a.test/2", "http://c.test/")
    assert [(type(record), record.reason) for record in records if isinstance(record, Failed)] == [
        (Failed, Reason.ADDRESS)
    ] * 3
    assert "http://c.test/" not in web.pages()


@case("ss-proxy")
async def proxies_are_not_used(name: str = "http_proxy") -> None:
    """A proxy would hide the address that is dialled from the guard."""
    old = {key: os.environ.get(key) for key in (name, name.upper())}
    os.environ |= {name: "http://127.0.0.1:9/", name.upper(): "http://127.0.0.1:9/"}
    try:
        async with FakeWeb() as web:
            web.routes = {"http://a.test/": "here"}
            (record,) = await crawl_all(web, "http://a.test/")
    finally:
        for key, value in old.items():
            os.environ.pop(key) if value is None else os.environ.update({key: value})
    assert isinstance(record, Fetched)


@case("ss-opt-in")
async def private_only_when_asked() -> None:
    async with FakeWeb() as web:
        start = f"http://127.0.0.1:{web.port}/"
        web.routes = {start: "here"}
        web.admitted = False
        (refused,) = await crawl_all(web, start)
        assert isinstance(refused, Failed)
        assert web.connections == 0
        (opened,) = await crawl_all(web, start, settings=replace(QUICK, allow_private=True))
    assert isinstance(opened, Fetched)


@case("ss-msg")
async def reports_hold_no_inner_address() -> None:
    async with FakeWeb() as web:
        web.names["inside.test"] = ["10.11.12.13"]
        (record,) = await crawl_all(web, "http://inside.test/")
    assert isinstance(record, Failed)
    assert "10.11" not in repr(record)


@case("ss-local-scheme")
async def other_schemes() -> None:
    schemes = ("file:///etc/passwd", "ftp://a.test/", "gopher://a.test/", "data:text/html,x", "jar:http://a.test/!/x")
    for url in (*schemes, "http+unix://%2Frun%2Fx.sock/"):
        with pytest.raises(SeedError):
            Crawl([url])
    async with FakeWeb() as web:
        web.routes = {"http://a.test/": links(*schemes, "/ok"), "http://a.test/ok": redirect(schemes[0])}
        page, bad = await crawl_all(web, "http://a.test/")
    assert isinstance(page, Fetched)
    assert page.page is not None
    assert [link.url for link in page.page.links] == ["http://a.test/ok"]
    assert isinstance(bad, Failed)
    assert bad.reason is Reason.REDIRECT_BAD
