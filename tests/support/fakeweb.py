"""A Web of our own on one loopback port: names lead here, and every page, fault and pause is written in the test.

The crawler under test is the real one. Only where names lead is ours (crawler.web.Web), so nothing is patched and no
test dials another address than loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Self, TypeAlias

import trustme
from aiohttp.abc import AbstractResolver, ResolveResult

from crawler.bounds import Bounds, everywhere
from crawler.crawl import Crawl
from crawler.settings import Settings

if TYPE_CHECKING:
    from crawler.copies import Copies
    from crawler.model import Budget, Record
    from crawler.notebook import Notebook
    from crawler.web import Memory, Recorder


@dataclass(frozen=True, slots=True)
class Hit:
    """One request that reached the server."""

    at: float  # monotonic seconds
    method: str
    url: str
    headers: dict[str, str]  # names in lower case

    @property
    def path(self) -> str:
        return "/" + self.url.split("/", 3)[3]


@dataclass(slots=True)
class Reply:
    """What to answer: a status, headers and a body."""

    body: bytes | str = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0  # seconds before the answer

    def wire(self) -> bytes:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        headers = {"Content-Type": "text/html", "Content-Length": str(len(body))} | self.headers
        lines = [f"HTTP/1.1 {self.status} X", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


@dataclass(frozen=True, slots=True)
class Script:
    """An answer that is played: it writes what it likes, when it likes; then the connection closes."""

    play: Callable[[asyncio.StreamWriter], Awaitable[None]]


# A reply, a page's HTML, raw bytes (then the connection closes), a script, or a function that makes one of these.
Answer: TypeAlias = Reply | str | bytes | Script
Route: TypeAlias = Answer | Callable[[Hit], Answer]


def redirect(target: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": target})


def links(*targets: str) -> str:
    return "".join(f'<a href="{target}">{target}</a>' for target in targets)


class FakeWeb:
    """Routes by URL; a host with a route exists, any other fails in DNS; a missing path is a 404."""

    is_recording = False

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.names: dict[str, list[str]] = {}  # names that lead to other addresses than the server's
        self.hits: list[Hit] = []
        self.lookups: list[str] = []
        self.connections = 0
        self.most_at_once: dict[str, int] = defaultdict(int)
        self.bytes_taken = 0
        self.admitted = True  # whether the guard lets the crawler dial the server
        self.dead: set[str] = set()  # hosts that refuse every connection
        self.down = False  # nobody answers any more, the name server neither
        self._open: dict[str, int] = defaultdict(int)
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        authority = trustme.CA()
        self._trusted = ssl.create_default_context()
        authority.configure_trust(self._trusted)
        self._trusted.check_hostname = False
        served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("fake.test").configure_cert(served)
        self._plain = await asyncio.start_server(self._serve_plain, "127.0.0.1", 0)
        self._secure = await asyncio.start_server(self._serve_secure, "127.0.0.1", 0, ssl=served)
        self.port = int(self._plain.sockets[0].getsockname()[1])
        self.secure_port = int(self._secure.sockets[0].getsockname()[1])
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            self.closed_port = int(nobody.getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in (self._plain, self._secure):
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # What the crawler asks of a Web

    def resolver(self) -> AbstractResolver:
        return _Resolver(self)

    def tls(self) -> ssl.SSLContext | bool:
        return self._trusted

    def admits(self, ip: str, port: int) -> bool:
        return self.admitted and ip == "127.0.0.1" and port in (self.port, self.secure_port, self.closed_port)

    def remembers(self, address: str) -> Memory | None:
        return None

    def go_down(self) -> None:
        """The cable is pulled: connections break, and nothing can be reached again."""
        self.down = True
        for server in (self._plain, self._secure):
            server.close()
        for task in self._tasks:
            task.cancel()

    # What tests ask

    def knows(self, host: str) -> bool:
        return any(url.split("/")[2].partition(":")[0] == host for url in self.routes)

    def count(self, url: str) -> int:
        return sum(hit.url == url for hit in self.hits)

    def pages(self) -> list[str]:
        return [hit.url for hit in self.hits if not hit.url.endswith("/robots.txt")]

    def gaps(self) -> list[float]:
        times = [hit.at for hit in self.hits]
        return [later - earlier for earlier, later in pairwise(times)]

    # The server

    async def _serve_plain(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._connection("http", reader, writer)

    async def _serve_secure(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._connection("https", reader, writer)

    async def _connection(self, scheme: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        host = ""
        try:
            while (hit := await self._read(scheme, reader)) is not None:
                if not host:
                    host = hit.headers.get("host", "")
                    self._open[host] += 1
                    self.most_at_once[host] = max(self.most_at_once[host], self._open[host])
                if not await self._answer(hit, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open[host] -= 1
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _read(self, scheme: str, reader: asyncio.StreamReader) -> Hit | None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest if line)}
        method, path, _ = first.split(" ", 2)
        hit = Hit(time.monotonic(), method, f"{scheme}://{headers.get('host', '')}{path}", headers)
        self.hits.append(hit)
        return hit

    async def _answer(self, hit: Hit, writer: asyncio.StreamWriter) -> bool:
        """Answer; False when the connection is to be closed."""
        route = self.routes.get(hit.url, Reply(status=404))
        answer = route(hit) if callable(route) else route
        if isinstance(answer, Script):
            await answer.play(writer)
            return False
        if isinstance(answer, str):
            answer = Reply(answer)
        if isinstance(answer, Reply):
            await asyncio.sleep(answer.wait)
        writer.write(answer.wire() if isinstance(answer, Reply) else answer)
        await writer.drain()
        return isinstance(answer, Reply)

    async def pour(self, writer: asyncio.StreamWriter, data: bytes, limit: int) -> None:
        """Send the same bytes again and again until the other side stops, at most `limit` bytes."""
        sent = 0
        while sent < limit:
            writer.write(data)
            await writer.drain()
            sent += len(data)
            self.bytes_taken = sent


class _Resolver(AbstractResolver):
    def __init__(self, web: FakeWeb) -> None:
        self._web = web

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self._web.lookups.append(host)
        if self._web.down:
            raise OSError(socket.EAI_AGAIN, "no name server")
        if host in self._web.dead:
            return [self._result(host, "127.0.0.1", self._web.closed_port)]
        if host in self._web.names:
            return [self._result(host, ip, port) for ip in self._web.names[host]]
        if not self._web.knows(host):
            raise OSError(socket.EAI_NONAME, "no such name")
        secure = port == 443 or any(url.startswith(f"https://{host}:{port}/") for url in self._web.routes)
        return [self._result(host, "127.0.0.1", self._web.secure_port if secure else self._web.port)]

    def _result(self, host: str, ip: str, port: int) -> ResolveResult:
        family = socket.AF_INET6 if ":" in ip else socket.AF_INET
        return ResolveResult(hostname=host, host=ip, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)

    async def close(self) -> None:
        pass


# Quick manners: no waiting, where a test is not about waiting.
QUICK = Settings(delay=0.0, backoff=0.0, connections_per_address=0, requests_per_address=0.0, max_seconds=5.0)


async def crawl_all(
    web: FakeWeb,
    *starts: str,
    settings: Settings = QUICK,
    budget: Budget | None = None,
    scope: Callable[[str], bool] | Bounds = everywhere,
    notebook: Notebook | None = None,
    recorder: Recorder | None = None,
    copies: Copies | None = None,
) -> list[Record]:
    """Crawl a fake Web to its end and give every record."""
    crawl = Crawl(
        starts,
        scope=scope,
        budget=budget,
        settings=settings,
        web=web,
        notebook=notebook,
        recorder=recorder,
        copies=copies,
    )
    return [record async for record in crawl.records()]
