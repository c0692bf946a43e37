"""One request under every limit. Redirects are answers here; the crawl follows them hop by hop."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import socket
import ssl
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

import aiohttp
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from crawler import codings, urls
from crawler.addresses import AddressRefusedError, Guard
from crawler.model import Reason
from crawler.resolve import GuardedResolver
from crawler.web import Exchange, Fault

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from crawler.copies import Validators
    from crawler.settings import Settings
    from crawler.web import Recorder, Web

MAX_HEADER_BYTES = 16 * 1024  # of one header line
MAX_HEADERS = 256
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_OS_TEXTS = {
    errno.ECONNRESET: "reset by the server",
    errno.ECONNREFUSED: "refused by the server",
    errno.EHOSTUNREACH: "no route to the server",
    errno.ENETUNREACH: "no route to the network",
    errno.EMFILE: "too many open files on this machine (see ulimit -n)",
}
_HTML_TYPES = ("text/html", "application/xhtml+xml")


class BadPortError(ValueError):
    """A port where no web server stands, but something that an HTTP request could confuse."""


# What an error means, the first that fits; no text: the error's own.
_FAULTS: tuple[tuple[type[Exception], Reason, str], ...] = (
    (codings.CodingError, Reason.ENCODING, ""),
    (BadPortError, Reason.BAD_URL, "its port belongs to another service than the Web"),
    (aiohttp.InvalidURL, Reason.BAD_URL, "not a URL that can be asked for"),
    (aiohttp.ServerDisconnectedError, Reason.CONNECT, "the server closed the connection without an answer"),
    (aiohttp.ClientResponseError, Reason.PROTOCOL, "the server's answer is not valid HTTP"),
    (aiohttp.ClientPayloadError, Reason.PROTOCOL, "the server's answer is not valid HTTP"),
    (ValueError, Reason.PROTOCOL, "the server's answer is not valid HTTP"),
    (TimeoutError, Reason.TIMEOUT, "no answer in time"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered to one request."""

    address: str
    status: int
    headers: CIMultiDictProxy[str]
    body: bytes
    at: datetime
    seconds: float  # from asking to the end of the body
    truncated: str = ""

    @property
    def is_redirect(self) -> bool:
        """Whether it sends us elsewhere."""
        return self.status in _REDIRECTS

    @property
    def content_type(self) -> str:
        """The media type without parameters, lower case."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    @property
    def content_hash(self) -> str:
        """SHA-256 of the decoded body; empty when the body was not read."""
        return "" if self.truncated == "skipped" or self.status == 304 else hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class _Request:
    """What to ask, and how much to take."""

    address: str
    conditions: Mapping[str, str]
    cap: int
    any_type: bool
    deadline: asyncio.Timeout


@dataclass(slots=True)
class _Transfer:
    """A body on its way; what has come stays here when the connection breaks."""

    body: codings.Body
    wire: bytearray
    truncated: str = ""


class Fetcher:
    """An HTTP client that trusts nothing it is told: every size, count and second is bounded."""

    def __init__(self, settings: Settings, web: Web, recorder: Recorder | None = None) -> None:
        self._settings = settings
        self._web = web
        self._recorder = recorder
        self._guard = Guard(allow_private=settings.allow_private, admits=web.admits, admitted_only=web.is_recording)

    async def __aenter__(self) -> Self:
        self._resolver = GuardedResolver(self._web.resolver(), self._guard)
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            socket_factory=self._guard.make_socket,
            ssl=self._web.tls(),
            limit=self._settings.connections,
            limit_per_host=1,
            use_dns_cache=False,  # ours is the cache
            happy_eyeballs_delay=None,  # one connection at a time, also to a server with two addresses
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "User-Agent": self._settings.user_agent,
                "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
                "Accept-Encoding": codings.ACCEPTED,
            },
            timeout=aiohttp.ClientTimeout(total=None),  # ours is the deadline
            auto_decompress=False,
            trust_env=False,  # no proxy and no .netrc: the guard must see the address that is dialled
            max_line_size=MAX_HEADER_BYTES,
            max_field_size=MAX_HEADER_BYTES,
            max_headers=MAX_HEADERS,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._resolver.close()

    async def locate(self, address: str) -> str | Fault:
        """The IP address that a request would go to."""
        parts = urls.split(address)
        if parts.host[0] == "[" or parts.host.replace(".", "").isdigit():
            return parts.host.strip("[]")
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            async with asyncio.timeout(self._settings.max_seconds):
                return (await self._resolver.resolve(parts.host, port))[0]["host"]
        except (OSError, TimeoutError) as error:
            return _fault_of_name(error)

    async def fetch(
        self, address: str, *, validators: Validators | None = None, cap: int | None = None, any_type: bool = False
    ) -> Answer | Fault:
        """Ask once. `any_type`: read the body whatever its type; otherwise only of what may be HTML."""
        remembered = self._web.remembers(address)
        if remembered is not None and remembered.fault is not None:
            return remembered.fault
        started = time.monotonic()
        try:
            async with asyncio.timeout(self._settings.max_seconds) as deadline:
                request = _Request(address, _conditions(validators), cap or self._settings.max_body, any_type, deadline)
                asked = await self._ask(request)
        except (aiohttp.ClientError, OSError, ValueError, codings.CodingError) as error:
            return _fault(error) if not deadline.expired() else _too_slow(self._settings.max_seconds)
        return self._finish(asked, time.monotonic() - started)

    async def _ask(self, request: _Request) -> _Asked:
        if urls.split(request.address).port in urls.BAD_PORTS:
            raise BadPortError
        at = datetime.now(UTC).replace(microsecond=0)
        url = URL(request.address, encoded=True)
        async with self._session.get(url, headers=request.conditions, allow_redirects=False) as response:
            headers = CIMultiDictProxy(CIMultiDict((_clean(k), _clean(v)) for k, v in response.headers.items()))
            transfer = await self._read(request, response, headers)
            return _Asked(request.address, response, headers, transfer, at)

    async def _read(
        self, request: _Request, response: aiohttp.ClientResponse, headers: CIMultiDictProxy[str]
    ) -> _Transfer:
        skipped = response.status in _REDIRECTS or response.status == 304
        unwanted = not request.any_type and not may_be_html(headers.get("Content-Type", ""))
        encoding = [] if skipped or unwanted else headers.getall("Content-Encoding", [])
        body = codings.Body(encoding, cap=request.cap, max_codings=self._settings.max_codings)
        transfer = _Transfer(body, bytearray(), "skipped" if unwanted and not skipped else "")
        if skipped or unwanted:
            return transfer
        try:
            await self._receive(response, transfer, request.cap)
        except asyncio.CancelledError:  # by the deadline, or by somebody who wants us to stop
            if not transfer.body.length or not request.deadline.expired():
                raise
            transfer.truncated = "time"
        except (aiohttp.ClientPayloadError, OSError):
            if not transfer.body.length:
                raise
            transfer.truncated = "disconnect"
        return transfer

    async def _receive(self, response: aiohttp.ClientResponse, transfer: _Transfer, wire_cap: int) -> None:
        async for data in response.content.iter_any():
            transfer.wire += data
            transfer.body.feed(data)
            if transfer.body.full or len(transfer.wire) > wire_cap:
                transfer.truncated = "length"
                response.close()  # the rest is not waited for
                return
        if not transfer.body.whole and transfer.wire:
            transfer.truncated = "disconnect"

    def _finish(self, asked: _Asked, seconds: float) -> Answer:
        memory = self._web.remembers(asked.address)
        at = memory.at if memory else asked.at
        truncated = asked.transfer.truncated or (memory.truncated if memory else "")
        if self._recorder is not None:
            self._recorder.exchange(asked.exchange(at, truncated))
        body = asked.transfer.body.bytes()
        return Answer(asked.address, asked.response.status, asked.headers, body, at, seconds, truncated)


@dataclass(frozen=True, slots=True)
class _Asked:
    """An answer with everything that a recorder wants to know."""

    address: str
    response: aiohttp.ClientResponse
    headers: CIMultiDictProxy[str]
    transfer: _Transfer
    at: datetime

    def exchange(self, at: datetime, truncated: str) -> Exchange:
        version = self.response.version
        return Exchange(
            address=self.address,
            request_headers=tuple(self.response.request_info.headers.items()),
            status=self.response.status,
            reason=_clean(self.response.reason or ""),
            version=f"HTTP/{version.major}.{version.minor}" if version else "HTTP/1.1",
            headers=tuple(self.headers.items()),
            wire=bytes(self.transfer.wire),
            at=at,
            truncated=truncated,
        )


def may_be_html(content_type: str) -> bool:
    """Whether a body of this type is worth reading; a missing type may be anything."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind in _HTML_TYPES or "/" not in kind


def _conditions(validators: Validators | None) -> dict[str, str]:
    if validators is None:
        return {}
    offered = {"If-None-Match": validators.etag, "If-Modified-Since": validators.last_modified}
    return {name: value for name, value in offered.items() if value}


def _clean(text: str) -> str:
    """A header without what no header may hold; bytes outside UTF-8 come as lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r", " ").replace("\n", " ").replace("\x00", "")


def _too_slow(seconds: float) -> Fault:
    return Fault(Reason.TIMEOUT, f"no complete answer within {seconds:g} seconds")


def _fault_of_name(error: OSError | TimeoutError) -> Fault:
    if isinstance(error, AddressRefusedError):
        return Fault(Reason.ADDRESS, AddressRefusedError.TEXT)
    if isinstance(error, TimeoutError):
        return Fault(Reason.TIMEOUT, "the name server did not answer in time")
    if error.errno == socket.EAI_AGAIN:
        return Fault(Reason.NO_DNS, "the name server cannot be reached")
    return Fault(Reason.DNS, "there is no server of that name")


def _fault(error: Exception) -> Fault:
    """Say in one phrase what went wrong, in our words: the client's hold addresses."""
    cause = getattr(error, "os_error", None) or error
    if AddressRefusedError.TEXT in str(cause):
        return Fault(Reason.ADDRESS, AddressRefusedError.TEXT)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return _fault_of_name(error.os_error)
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return Fault(Reason.TLS, f"TLS failed: {_tls_text(error)}")
    if isinstance(error, aiohttp.ClientConnectorError):
        return Fault(Reason.CONNECT, f"could not connect: {_os_text(cause)}")
    for kind, reason, text in _FAULTS:
        if isinstance(error, kind):
            return Fault(reason, text or str(error))
    return Fault(Reason.CONNECT, f"the connection broke: {_os_text(cause)}")


def _tls_text(error: Exception) -> str:
    inner = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    return str(getattr(inner, "verify_message", "") or getattr(inner, "reason", "") or "handshake failed")


def _os_text(error: object) -> str:
    number = getattr(error, "errno", None)
    return _OS_TEXTS.get(number or 0, "the server cannot be reached")
