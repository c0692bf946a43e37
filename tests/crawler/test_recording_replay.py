from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from yarl import URL

from crawler.model import Reason
from crawler.recording.archive import Archive
from crawler.recording.replay import Replay
from crawler.recording.writer import WarcRecorder
from crawler.web import Exchange, Fault, Memory
from tests.support import warcs
from tests.support.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from crawler.web import Web

ADDRESS = "http://h.example/"
AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


class Client:
    """The client that the crawler uses, reduced to what these tests look at."""

    def __init__(self, web: Replay, session: aiohttp.ClientSession) -> None:
        self.web = web
        self.session = session

    async def get(self, address: str, **given: Any) -> tuple[aiohttp.ClientResponse, bytes]:
        url = URL(address, encoded=True)
        async with self.session.get(url, allow_redirects=False, **given) as response:
            return response, await response.read()

    async def status(self, address: str) -> int:
        return (await self.get(address))[0].status


@asynccontextmanager
async def browsing(archive: Archive) -> AsyncIterator[Client]:
    with archive:
        async with Replay(archive) as web:
            connector = aiohttp.TCPConnector(resolver=web.resolver(), ssl=web.tls(), limit=64)
            async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
                yield Client(web, session)


def recorded(tmp_path: Path, *records: bytes) -> Archive:
    return Archive.open([warcs.save(tmp_path / "a.warc.gz", *records)])


def pairs(response: aiohttp.ClientResponse) -> list[tuple[bytes, bytes]]:
    return list(response.raw_headers)


async def test_an_answer_comes_back_as_it_was_recorded(tmp_path: Path) -> None:
    """Status, reason and headers in order, with the old Date and Server and none of our own."""
    headers = ("Server: CERN/3.0", "Date: Sunday, 01-Dec-96 19:26:46 GMT", "X-B: 1", "X-B: 2", "Content-Length: 2")
    async with browsing(recorded(tmp_path, warcs.response(ADDRESS, b"hi", *headers, status="999 Go Away"))) as client:
        response, body = await client.get(ADDRESS)
    assert (response.status, response.reason, body) == (999, "Go Away", b"hi")
    assert pairs(response) == [tuple(one.encode().split(b": ", 1)) for one in headers]


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_what_was_written_comes_back_byte_for_byte(tmp_path: Path, scheme: str) -> None:
    """Status, headers and the body still in its Content-Encoding, through writer, archive, server and client."""
    odd = b"caf\xe9".decode("utf-8", "surrogateescape")
    headers = (("Content-Type", "text/html"), ("X-Odd", odd), ("Content-Encoding", "br"), ("Content-Length", "256"))
    exchange = Exchange(
        address=f"{scheme}://h.example/%7Ea/%2Fb?q=%20&r",
        request_headers=(),
        status=203,
        reason="Sort Of",
        version="HTTP/1.1",
        headers=headers,
        wire=bytes(range(256)),
        at=AT,
    )
    with WarcRecorder(tmp_path / "a.warc.gz") as recorder:
        recorder.exchange(exchange)
    async with browsing(Archive.open([tmp_path / "a.warc.gz"])) as client:
        response, body = await client.get(exchange.address)
        assert (response.status, response.reason, body) == (203, "Sort Of", exchange.wire)
        assert tuple(response.headers.items()) == headers
        memory = client.web.remembers(exchange.address)
        assert memory is not None
        assert (memory.at, memory.fault, memory.truncated) == (AT, None, "")


async def test_headers_of_the_old_connection_are_dropped(tmp_path: Path) -> None:
    """And the length is that of what is sent, said once."""
    headers = (
        "Connection: close",
        "Keep-Alive: timeout=5",
        "Transfer-Encoding: chunked",
        "Upgrade: h2c",
        "Proxy-Connection: x",
        "X-Archive-Orig-Transfer-Encoding: chunked",
        "Content-Length: 99",
        "X-Kept: 1",
        "content-length: 98",
    )
    async with browsing(recorded(tmp_path, warcs.response(ADDRESS, b"3\r\nabc\r\n0\r\n\r\n", *headers))) as client:
        response, body = await client.get(ADDRESS)
    assert (body, pairs(response)) == (b"abc", [(b"Content-Length", b"3"), (b"X-Kept", b"1")])


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
async def test_answers_without_a_body_leave_the_connection_usable(tmp_path: Path, status: str) -> None:
    """A body that was recorded with one is not sent: it would be taken for the next answer."""
    record = warcs.record("response", ADDRESS, warcs.http(b"surprise", status=status), content_type="text/html")
    async with browsing(recorded(tmp_path, record, warcs.response("http://h.example/b", b"b"))) as client:
        assert await client.status(ADDRESS) == int(status[:3])
        assert (await client.get("http://h.example/b"))[1] == b"b"


async def test_cookies_and_redirects_pass(tmp_path: Path) -> None:
    """They are headers like others."""
    record = warcs.response(ADDRESS, b"", "Location: /b", "Set-Cookie: a=1", "Set-Cookie: b=2", status="301 Moved")
    async with browsing(recorded(tmp_path, record)) as client:
        response, _ = await client.get(ADDRESS)
    assert (response.status, response.headers["Location"]) == (301, "/b")
    assert response.headers.getall("Set-Cookie") == ["a=1", "b=2"]


async def test_paths_are_not_decoded(tmp_path: Path) -> None:
    """`%2F` in a path is not a slash."""
    paths = ["a%2Fb", "a/b", "a%252Fb", "a", "a?q=%26", "a?q=&", "%E3%81%82"]
    archive = recorded(tmp_path, *(warcs.response(ADDRESS + path, path.encode()) for path in paths))
    async with browsing(archive) as client:
        assert [(await client.get(ADDRESS + path))[1] for path in paths] == [path.encode() for path in paths]


async def test_a_revisit_is_served_with_the_earlier_body(tmp_path: Path) -> None:
    """Through the whole chain."""
    first = warcs.response("http://x.example/", b"body", warc_payload_digest="sha1:X")
    again = warcs.record("revisit", ADDRESS, warcs.http(b"", "A: 2"), warc_payload_digest="sha1:X")
    async with browsing(recorded(tmp_path, first, again)) as client:
        response, body = await client.get(ADDRESS)
    assert (response.headers["A"], body) == ("2", b"body")


async def test_a_host_without_robots_txt_says_so(tmp_path: Path) -> None:
    """404, as anything else that was not recorded."""
    async with browsing(recorded(tmp_path, warcs.response(ADDRESS))) as client:
        assert await client.status("http://h.example/robots.txt") == 404
        assert await client.status("https://h.example/other") == 404


async def test_an_empty_query_is_found(tmp_path: Path) -> None:
    """The client leaves out a question mark that nothing follows."""
    async with browsing(recorded(tmp_path, warcs.response("http://h.example/a?", b"it"))) as client:
        assert (await client.get("http://h.example/a?"))[1] == b"it"


async def test_another_spelling_of_a_page_is_found(tmp_path: Path) -> None:
    """By `www.`, by scheme and by default document."""
    async with browsing(recorded(tmp_path, warcs.response("http://h.example/a/index.html", b"it"))) as client:
        for address in ("http://www.h.example/a/", "https://h.example/a/index.html", "https://www.h.example/a/"):
            assert (await client.get(address))[1] == b"it"


async def test_a_host_that_was_not_recorded_has_no_address(tmp_path: Path) -> None:
    """It fails as a name that does not exist, and says so."""
    async with browsing(recorded(tmp_path, warcs.response(ADDRESS))) as client:
        with pytest.raises(aiohttp.ClientConnectorDNSError, match=r"other\.example is not in the recording") as caught:
            await client.get("http://other.example/")
    assert caught.value.os_error.errno == socket.EAI_NONAME


async def test_other_ports_speak_what_they_were_recorded_to_speak(tmp_path: Path) -> None:
    """The resolver sees host and port, not scheme."""
    addresses = ["http://h.example:8080/", "https://h.example:8443/", "https://h.example/", ADDRESS]
    async with browsing(recorded(tmp_path, *(warcs.response(one, one.encode()) for one in addresses))) as client:
        for address in addresses:
            assert (await client.get(address))[1] == address.encode()
        assert await client.status("http://h.example:9090/") == 404


async def test_the_wrong_scheme_on_a_port_fails_at_once(tmp_path: Path) -> None:
    """As a real server does; nobody waits for a time limit."""
    addresses = ["http://h.example:8080/", "https://h.example:8443/"]
    async with browsing(recorded(tmp_path, *map(warcs.response, addresses))) as client, asyncio.timeout(5):
        for address in ("https://h.example:8080/", "http://h.example:8443/"):
            with pytest.raises(aiohttp.ClientError):
                await client.get(address)


async def test_names_with_an_underscore_work_over_tls(tmp_path: Path) -> None:
    """No certificate can hold such a name, but the Web does."""
    async with browsing(recorded(tmp_path, warcs.response("https://under_score.example/", b"it"))) as client:
        assert (await client.get("https://under_score.example/"))[1] == b"it"


async def test_only_the_throw_away_authority_is_trusted(tmp_path: Path) -> None:
    """The certificate of one replay means nothing to another."""
    with recorded(tmp_path, warcs.response("https://h.example/")) as archive:
        async with Replay(archive) as one, Replay(archive) as other:
            connector = aiohttp.TCPConnector(resolver=one.resolver(), ssl=other.tls())
            async with aiohttp.ClientSession(connector=connector) as session:
                with pytest.raises(aiohttp.ClientConnectorCertificateError):
                    await session.get("https://h.example/")


async def test_only_the_servers_own_ports_are_admitted(tmp_path: Path) -> None:
    """No other address, no other port, and none once it is over."""
    with recorded(tmp_path, warcs.response(ADDRESS)) as archive:
        async with Replay(archive) as web:
            ports = [(await web.resolver().resolve("h.example", port))[0]["port"] for port in (80, 443)]
            assert all(web.admits("127.0.0.1", port) for port in ports)
            assert not any(web.admits(ip, ports[0]) for ip in ("127.0.0.2", "::1", "192.0.2.1"))
            assert not web.admits("127.0.0.1", 80)
        assert not any(web.admits("127.0.0.1", port) for port in ports)


async def test_the_port_itself_is_no_way_in(tmp_path: Path) -> None:
    """A link to the replay server's own address answers 404."""
    async with browsing(recorded(tmp_path, warcs.response(ADDRESS))) as client:
        port = (await client.web.resolver().resolve("h.example", 80))[0]["port"]
        assert await client.status(f"http://127.0.0.1:{port}/") == 404
        assert (await client.get(f"http://127.0.0.1:{port}/", headers={"Host": "other.example"}))[0].status == 404


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: h.example\r\n\r\n", b"405"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://h.example/ HTTP/1.1\r\nHost: h.example\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: h.example\r\nConnection: close\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\nHost: h.example:x\r\n\r\n", b"404"),
        (b"x" * 70_000, b""),
    ],
)
async def test_strange_requests_are_answered_or_cut(tmp_path: Path, sent: bytes, status: bytes) -> None:
    """The server never waits and never breaks."""
    with recorded(tmp_path, warcs.response(ADDRESS)) as archive:
        async with Replay(archive) as web, asyncio.timeout(5):
            port = (await web.resolver().resolve("h.example", 80))[0]["port"]
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            try:
                assert (await reader.read(12))[9:] == status
            except ConnectionResetError:
                assert not status
            writer.close()


async def test_a_fault_is_remembered(tmp_path: Path) -> None:
    """The client asks before it fetches; whoever fetches all the same is told that it failed."""
    fault = Fault(Reason.TIMEOUT, "no answer in time")
    with WarcRecorder(tmp_path / "a.warc") as recorder:
        recorder.fault("http://h.example/slow", fault, AT)
    archive = Archive.open([tmp_path / "a.warc", warcs.save(tmp_path / "b.warc", warcs.response(ADDRESS))])
    async with browsing(archive) as client:
        memory = client.web.remembers("http://h.example/slow")
        assert memory is not None
        assert (memory.at, memory.fault) == (AT, fault)
        assert await client.status("http://h.example/slow") == 502


async def test_truncation_is_remembered(tmp_path: Path) -> None:
    """HTTP cannot carry it: what there is, is sent as a whole."""
    record = warcs.response(ADDRESS, b"half", "Content-Length: 8", warc_truncated="disconnect")
    async with browsing(recorded(tmp_path, record)) as client:
        assert (await client.get(ADDRESS))[1] == b"half"
        assert client.web.remembers(ADDRESS) == Memory(datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC), None, "disconnect")
        assert client.web.remembers("http://h.example/other") is None


async def test_a_recording_that_goes_away_is_an_answer_too(tmp_path: Path) -> None:
    """The client is not left waiting."""
    async with browsing(recorded(tmp_path, warcs.response(ADDRESS))) as client:
        (tmp_path / "a.warc.gz").unlink()
        assert await client.status(ADDRESS) == 500


async def test_replay_is_a_web(tmp_path: Path) -> None:
    """It fits the seam."""
    with recorded(tmp_path, warcs.response(ADDRESS)) as archive:
        web: Web = Replay(archive)
        assert web.is_recording


async def fetch_all(archive: Archive, *, secure: bool = False) -> tuple[int, list[str]]:
    """How many answers came back as they are in the archive, and which did not."""
    wrong: list[str] = []
    entries = list(archive.entries())
    waiting = iter(entries)
    async with browsing(archive) as client:

        async def work() -> None:
            for one in waiting:
                # A port speaks one scheme.
                swap = secure and one.address.count(":") == 1
                address = one.address.replace("http://", "https://", 1) if swap else one.address
                response, body = await client.get(address)
                want = archive.read(one)
                if (response.status, len(body)) != (want.status, len(want.body)):
                    wrong.append(address)

        await asyncio.gather(*(work() for _ in range(64)))
    return len(entries) - len(wrong), wrong


@needs_shared
@pytest.mark.parametrize("secure", [False, True])
async def test_all_of_webkb_comes_back(secure: bool) -> None:
    """Every page once, by http as it was and by https as another spelling."""
    assert await fetch_all(Archive.open([SHARED / "data" / "webkb"]), secure=secure) == (2872, [])


@needs_shared
async def test_all_of_a_real_crawl_comes_back() -> None:
    """Pages, images, redirects and errors of 2008."""
    archive = Archive.open([SHARED / "data" / "warc" / "archive-it-sample.warc.gz"])
    assert await fetch_all(archive) == (261, [])
