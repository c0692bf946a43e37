"""The seam between the crawler and whatever stands for the Web: the live one, or a recording of one.

The client is the same on both sides of the seam. A `Web` only says where names lead, whom to trust and what a recording
remembers; a `Recorder` is told of everything that went over the wire.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ssl
    from datetime import datetime

    from aiohttp.abc import AbstractResolver

    from crawler.model import Reason


@dataclass(frozen=True, slots=True)
class Fault:
    """A request that got no usable answer."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as they went over the wire."""

    address: str
    request_headers: tuple[tuple[str, str], ...]
    status: int
    reason: str  # the reason phrase
    version: str  # "HTTP/1.1"
    headers: tuple[tuple[str, str], ...]  # as received
    wire: bytes  # the body without chunking, still in its Content-Encoding; empty for redirects, whose body is not read
    at: datetime  # UTC, whole seconds
    truncated: str = ""  # as in Fetched.truncated
    ip: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """What a recording remembers of one address, beyond what HTTP can carry."""

    at: datetime
    fault: Fault | None = None
    truncated: str = ""
    order: int = 0  # ascending in the order of a recorded crawl; 0: the recording does not say


class Web(Protocol):
    """Where names lead and whom to trust."""

    is_recording: bool

    def resolver(self) -> AbstractResolver:
        """Host and port to addresses; raises OSError(errno, text) for a name that does not exist."""
        ...

    def tls(self) -> ssl.SSLContext | bool:
        """The certificates to trust."""
        ...

    def admits(self, ip: str, port: int) -> bool:
        """Whether this address may be dialled although it is private."""
        ...

    def remembers(self, address: str) -> Memory | None:
        """What the recording holds of an address; None on the live Web and for what was not recorded."""
        ...


class Recorder(Protocol):
    """Is told of everything that went over the wire."""

    def exchange(self, exchange: Exchange) -> None:
        """A request was answered."""
        ...

    def fault(self, address: str, fault: Fault, at: datetime) -> None:
        """A request was not answered, or was not made because its server is parked."""
        ...
