"""Which record answers for which address. Only places are kept, no bodies."""

from __future__ import annotations

import ipaddress
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Reason
from crawler.recording import message
from crawler.web import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.recording.records import Frame

REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ANSWERS = frozenset(("response", "resource", "revisit", "metadata"))
_TRUNCATIONS = frozenset(("length", "time", "disconnect"))
# WARC 1.1 allows dates of less precision and of more; ARC writes them without separators.
_DATE = re.compile(r"(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?)?)?)?")


class Kind(StrEnum):
    """What a recorded answer is made of."""

    RESPONSE = "response"  # an HTTP message
    RESOURCE = "resource"  # a body without HTTP
    REVISIT = "revisit"  # HTTP headers here, the body in an earlier record
    FAULT = "fault"  # no answer came, and why


class Skipped(StrEnum):
    """Why a record is not in the index."""

    CUT = "cut"  # the file ends within it
    MALFORMED = "malformed"
    NOT_HTTP = "not-http"  # dns:, ftp: and others
    UNRESOLVED = "unresolved-revisit"  # the earlier answer is not in the recording
    NOT_WARC = "not-warc"  # a whole file in a folder


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where the answer to one address lies."""

    address: str
    file: int  # which of the archive's files
    offset: int
    at: datetime
    kind: Kind
    status: int = 0  # 0: a fault, or a revisit without HTTP headers
    truncated: str = ""
    digest: str = ""
    payload: Recorded | None = None  # of a revisit
    order: int = 0  # place in a crawl of ours; 0: not said


@dataclass(frozen=True, slots=True)
class Revisit:
    """A record that says "as before", not yet joined to what was before."""

    found: Recorded
    not_modified: bool
    refers_to: str  # an address, or empty
    refers_at: datetime | None

    @property
    def at(self) -> datetime:
        """When it was recorded."""
        return self.found.at


def entry(frame: Frame, file: int) -> Recorded | Revisit | Skipped | None:
    """What a record adds to the index; None for requests and other records that answer nothing."""
    headers = frame.headers
    kind = headers.get("warc-type", "")
    if kind not in _ANSWERS:
        return None
    uri = headers.get("warc-target-uri", "").strip("<>")
    if not uri.lower().startswith(("http:", "https:")):
        return Skipped.NOT_HTTP if ":" in uri else Skipped.MALFORMED
    address, at = urls.address(uri), _date(headers.get("warc-date", ""))
    if address is None or at is None:
        return Skipped.MALFORMED
    order = int(headers["ncf-order"]) if headers.get("ncf-order", "").isdecimal() else 0
    if kind == "metadata":
        is_fault = parse_fault(frame.peek) is not None
        return Recorded(address, file, frame.offset, at, Kind.FAULT, order=order) if is_fault else None
    truncated, digest = _truncation(headers), headers.get("warc-payload-digest", "")
    place = Recorded(address, file, frame.offset, at, Kind(kind), truncated=truncated, digest=digest, order=order)
    return _revisit(place, frame) if kind == "revisit" else _answer(place, frame)


def _answer(place: Recorded, frame: Frame) -> Recorded | Skipped:
    if place.kind is Kind.RESPONSE:
        status = message.status_of(frame.peek)
        if status is not None:
            return replace(place, status=status)
        if not frame.peek or "http" in frame.headers.get("content-type", "application/http"):
            return Skipped.MALFORMED
    return replace(place, kind=Kind.RESOURCE, status=200)


def _revisit(place: Recorded, frame: Frame) -> Revisit:
    headers = frame.headers
    status = message.status_of(frame.peek) or 0
    not_modified = headers.get("warc-profile", "").endswith("/server-not-modified") or status == 304
    refers_to = urls.address(headers.get("warc-refers-to-target-uri", "").strip("<>")) or ""
    return Revisit(
        replace(place, status=status), not_modified, refers_to, _date(headers.get("warc-refers-to-date", ""))
    )


def parse_fault(text: bytes) -> Fault | None:
    """The fault that our recorder wrote; None when it is something else."""
    if b'"fault"' not in text:
        return None
    try:
        read = json.loads(text)
        return Fault(Reason(read["fault"]), str(read["detail"]))  # an unknown reason is a ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _truncation(headers: dict[str, str]) -> str:
    """Why the body is not whole; an archive that does not say why has stopped by its own rules."""
    said = headers.get("warc-truncated", "").lower()
    return said if said in _TRUNCATIONS or not said else "length"


def _date(text: str) -> datetime | None:
    found = _DATE.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups())
    try:
        return datetime(year or 1, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
    except ValueError:
        return None


class _Earlier:
    """The answers that a revisit can mean."""

    def __init__(self, answers: Iterable[Recorded]) -> None:
        self._by_digest: dict[str, Recorded] = {}
        self._by_address: dict[str, list[Recorded]] = {}
        for answer in answers:
            self._by_address.setdefault(answer.address, []).append(answer)
            if answer.digest:
                self._by_digest.setdefault(answer.digest, answer)

    def resolve(self, revisit: Revisit) -> Recorded | None:
        """The answer that a revisit stands for; None when it is not in the recording."""
        found = revisit.found
        payload = self._named(revisit) or self._by_digest.get(found.digest) or self._before(revisit)
        if payload is None:
            return None
        if revisit.not_modified or not found.status:
            return replace(payload, address=found.address, at=found.at, order=found.order)
        return replace(found, payload=payload, truncated=found.truncated or payload.truncated)

    def _named(self, revisit: Revisit) -> Recorded | None:
        same = self._by_address.get(revisit.refers_to, [])
        return next((answer for answer in same if answer.at == revisit.refers_at), None)

    def _before(self, revisit: Revisit) -> Recorded | None:
        same = self._by_address.get(revisit.refers_to or revisit.found.address, [])
        fitting = [a for a in same if a.at <= revisit.at and (a.status // 100 == 2 or not revisit.not_modified)]
        return max(fitting, key=lambda answer: answer.at, default=None)


class Index:
    """Address to record. The exact address first, then other spellings of the same page."""

    def __init__(self, found: Iterable[Recorded | Revisit]) -> None:
        self.unresolved = 0
        self.ip_hosts: Counter[str] = Counter()  # hosts that are IP addresses, with how many addresses each has
        self.hosts: set[str] = set()
        self._servers: set[str] = set()  # hosts without www. and port
        self._schemes: dict[tuple[str, int], str] = {}
        self._canonical: dict[str, Recorded] = {}
        self._keys: dict[str, Recorded] = {}
        # The later capture wins, and the later in order when two are of one second: the sort is stable.
        self.exact = {one.address: one for one in sorted(self._resolved(list(found)), key=lambda one: one.at)}
        for one in self.exact.values():
            if one.kind is not Kind.FAULT:
                self._add_names(one)

    def _resolved(self, found: list[Recorded | Revisit]) -> Iterator[Recorded]:
        has_revisits = any(isinstance(one, Revisit) for one in found)
        answers = (one for one in found if isinstance(one, Recorded) and one.kind is not Kind.FAULT)
        earlier = _Earlier(answers if has_revisits else ())
        for one in found:
            known = earlier.resolve(one) if isinstance(one, Revisit) else one
            if known is None:
                self.unresolved += 1
            else:
                yield known

    def _add_names(self, one: Recorded) -> None:
        canonical = urls.canonical(one.address) or one.address
        if canonical != one.address:
            _offer(self._canonical, canonical, one)
        _offer(self._keys, urls.key(one.address), one)
        parts = urls.split(one.address)
        if is_ip(parts.host):
            self.ip_hosts[parts.host] += 1
            return
        self.hosts.add(parts.host)
        self._servers.add(bare(parts.host))
        if parts.port is not None:
            self._schemes[bare(parts.host), parts.port] = parts.scheme

    def candidates(self, address: str) -> Iterator[Recorded]:
        """Answers of other spellings of a page, the nearest first; a fault answers for its own spelling only."""
        canonical = urls.canonical(address)
        if canonical is None:
            return
        near = (
            self.exact.get(canonical),
            self._canonical.get(canonical),
            self._other_scheme(address),
            self._keys.get(urls.key(address)),
        )
        yield from (one for one in near if one is not None and one.kind is not Kind.FAULT)

    def _other_scheme(self, address: str) -> Recorded | None:
        """The page of the same spelling by the other scheme: `/` and `/index.html` do differ on some servers."""
        scheme, _, rest = address.partition(":")
        found = self.exact.get(("http:" if scheme == "https" else "https:") + rest)
        return found if found is not None and found.status // 100 == 2 else None

    def knows(self, host: str) -> bool:
        """Whether a host, or its other form with or without `www.`, has an answer."""
        return bare(host) in self._servers

    def scheme(self, host: str, port: int) -> str:
        """The scheme that a server speaks on a port."""
        return {80: "http", 443: "https"}.get(port) or self._schemes.get((bare(host), port), "http")


def _offer(table: dict[str, Recorded], name: str, one: Recorded) -> None:
    held = table.get(name)
    if held is None or _rank(one) >= _rank(held):
        table[name] = one


def _rank(one: Recorded) -> tuple[int, datetime]:
    """A page stands for its other spellings before an error does, and that before a redirect, often to the page."""
    return (2 if one.status // 100 == 2 else 0 if one.status in REDIRECTS else 1), one.at


def bare(host: str) -> str:
    """A host without `www.`, as in a page's key."""
    return urls.server(f"http://{host.lower().rstrip('.')}/")


def is_ip(host: str) -> bool:
    """Whether a host is an IP address: a client dials it and asks no resolver."""
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
