"""A recording as the Web: the real client, led to servers on this machine that answer what was recorded.

Nothing is patched. The resolver leads every recorded host to one of two loopback servers, plain or TLS, and knows no
other host; the servers find the answer by scheme, Host header and path.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from typing import TYPE_CHECKING, Self

import trustme
from aiohttp.abc import AbstractResolver, ResolveResult

from crawler.errors import RecordingError
from crawler.recording.index import Kind
from crawler.recording.writer import ORIGINAL
from crawler.web import Memory

if TYPE_CHECKING:
    from types import TracebackType

    from crawler.recording import message
    from crawler.recording.archive import Archive

_LOOPBACK = "127.0.0.1"
_MAX_HEAD = 64 * 1024  # of a request
_TLS_HELLO = b"\x16"
_REQUEST_LINE = re.compile(rb"([A-Z]+) (/[^ \r\n]*) HTTP/1\.[01]\r\n")
_HOST = re.compile(rb"\r\nHost:[ \t]*([^\r\n]*?)[ \t]*\r\n", re.IGNORECASE)
_LAST = re.compile(rb"\r\nConnection:[ \t]*close[ \t]*\r\n", re.IGNORECASE)
# True of one connection only (RFC 9110 section 7.6.1), and that one is gone.
_HOP_BY_HOP = frozenset(("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"))
_UNSENT = ("proxy-", f"{ORIGINAL}transfer-encoding".lower())
_WITHOUT_BODY = frozenset((204, 304))


class Replay:
    """A crawler.web.Web made of an archive; its servers run within `async with`."""

    is_recording = True

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._authority = trustme.CA()
        self._connections: set[asyncio.Transport] = set()
        self._servers: list[asyncio.Server] = []
        self._ports: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        try:
            await self._serve("http", None)
            await self._serve("https", self._certificate())
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def _serve(self, scheme: str, tls: ssl.SSLContext | None) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: _Connection(self._archive, scheme, self._connections), _LOOPBACK, 0, ssl=tls, backlog=1024
        )
        self._servers.append(server)
        self._ports[scheme] = server.sockets[0].getsockname()[1]

    def _certificate(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert("replay.invalid").configure_cert(context)
        return context

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        for transport in tuple(self._connections):
            transport.abort()
        for server in self._servers:
            await server.wait_closed()
        await asyncio.sleep(0)  # a closed transport lets its socket go in the next turn of the loop
        self._servers.clear()
        self._ports.clear()

    def resolver(self) -> AbstractResolver:
        """Recorded hosts to our servers; every other name does not exist."""
        return _Resolver(self._archive, self._ports)

    def tls(self) -> ssl.SSLContext:
        """Trust in our throw-away authority, and in no other.

        The name in the certificate is not compared: there is one certificate for all hosts, since names with an
        underscore, which the Web has, cannot be put into any. Nothing is lost: only this process has the authority's
        key, and the resolver leads to no other server.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        self._authority.configure_trust(context)
        return context

    def admits(self, ip: str, port: int) -> bool:
        """Whether this is one of our servers."""
        return ip == _LOOPBACK and port in self._ports.values()

    def remembers(self, address: str) -> Memory | None:
        """When an address was recorded, what was cut off, and why there is no answer if there is none."""
        found = self._archive.lookup(address)
        return Memory(found.at, self._archive.fault(found), found.truncated, found.order) if found else None


class _Resolver(AbstractResolver):
    def __init__(self, archive: Archive, ports: dict[str, int]) -> None:
        self._archive = archive
        self._ports = ports

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The server that answers for a host and port; OSError for a host that was not recorded."""
        if not self._archive.knows(host):
            raise OSError(socket.EAI_NONAME, f"{host} is not in the recording")
        target = self._ports[self._archive.scheme(host, port)]
        return [
            ResolveResult(
                hostname=host,
                host=_LOOPBACK,
                port=target,
                family=socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""


class _Connection(asyncio.Protocol):
    """One connection of a client that asks with GET, one question after the other.

    Not aiohttp's server: it adds headers of its own and refuses statuses and headers that real servers send.
    """

    def __init__(self, archive: Archive, scheme: str, connections: set[asyncio.Transport]) -> None:
        self._archive = archive
        self._scheme = scheme
        self._connections = connections
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101  # of a stream server it always is
        self._transport = transport
        self._connections.add(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """The client has gone."""
        self._connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        """Answer every question that is complete."""
        self._received += data
        if self._received[:1] == _TLS_HELLO:  # https on a port that was recorded as http: do not let it wait
            self._transport.abort()
            return
        while (end := self._received.find(b"\r\n\r\n") + 4) >= 4:
            head, self._received = self._received[:end], self._received[end:]
            self._transport.writelines(self._answer(head))
            if _LAST.search(head):
                self._transport.close()
                return
        if len(self._received) > _MAX_HEAD:
            self._transport.abort()

    def _answer(self, head: bytes) -> list[bytes]:
        line, host = _REQUEST_LINE.match(head), _HOST.search(head)
        if line is None or host is None:
            return _own_answer(400, "Bad Request", "not a request that a recording can answer")
        if line[1] != b"GET":
            return _own_answer(405, "Method Not Allowed", "a recording answers GET only")
        return self._recorded(f"{self._scheme}://{_text(host[1])}{_text(line[2])}")

    def _recorded(self, address: str) -> list[bytes]:
        try:
            found = self._archive.lookup(address)
            if found is None:
                return _own_answer(404, "Not Found", "not in the recording")
            if found.kind is Kind.FAULT:
                return _own_answer(502, "Bad Gateway", "recorded as failed")
            answer = self._archive.read(found)
            return _message(answer.status, answer.reason, answer.headers, answer.body)
        except RecordingError as error:
            return _own_answer(500, "Internal Server Error", str(error))


def _own_answer(status: int, reason: str, text: str) -> list[bytes]:
    return _message(status, reason, (("Content-Type", "text/plain; charset=utf-8"),), text.encode("utf-8", "replace"))


def _message(status: int, reason: str, headers: message.Headers, body: bytes) -> list[bytes]:
    """An answer as it goes over the wire: the given headers in their order, the length as it is now."""
    if status in _WITHOUT_BODY:
        body = b""
    lines = [f"HTTP/1.1 {status} {reason}", *_lines(headers, len(body)), "", ""]
    return ["\r\n".join(lines).encode("utf-8", "surrogateescape"), body]


def _lines(headers: message.Headers, length: int) -> list[str]:
    """The headers that still hold, with exactly one Content-Length."""
    lines = []
    measure = f": {length}"
    for name, value in headers:
        lower = name.lower()
        if lower == "content-length":
            if measure:
                lines.append(name + measure)
            measure = ""
        elif lower not in _HOP_BY_HOP and not lower.startswith(_UNSENT):
            lines.append(f"{name}: {value}")
    return [*lines, "Content-Length" + measure] if measure else lines


def _text(data: bytes) -> str:
    return data.decode("latin-1")
