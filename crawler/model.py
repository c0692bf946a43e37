"""The records that a crawl gives. A leaf: it imports nothing of ours.

A page that could not be had is a record like any other (`Failed`), not an exception.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


class Reason(StrEnum):
    """Why a page is not there."""

    BAD_URL = "bad-url"
    DNS = "dns"  # there is no such name
    NO_DNS = "dns-unreachable"  # nobody could say whether there is
    ADDRESS = "address-refused"
    CONNECT = "connect"
    TLS = "tls"
    TIMEOUT = "timeout"
    PROTOCOL = "protocol"
    ENCODING = "content-encoding"
    STATUS = "status"
    ROBOTS = "blocked-by-robots"  # robots.txt disallows it
    NO_ROBOTS = "robots-unreachable"  # robots.txt could not be had, so nothing may be fetched
    PARKED = "server-parked"
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_LIMIT = "too-many-redirects"
    REDIRECT_BAD = "bad-redirect"
    REDIRECT_SCOPE = "redirect-out-of-scope"


# What may be over when it is asked for again soon; all other failures are somebody's answer.
PASSING = frozenset((Reason.CONNECT, Reason.TIMEOUT, Reason.NO_DNS, Reason.PARKED, Reason.NO_ROBOTS))


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a page; several with the same target and rel are one, counted."""

    url: str  # canonical: the identity of the target
    address: str  # what to fetch: the first spelling seen
    rel: tuple[str, ...] = ()  # lower case, sorted
    text: str = ""  # anchor text, at most 200 characters
    kind: str = "a"  # a, area, frame, iframe, link, refresh
    count: int = 1
    in_scope: bool = False

    def scoped(self, *, inside: bool = True) -> Link:
        """The same link, in scope or not."""
        if self.in_scope == inside:
            return self
        return Link(self.url, self.address, self.rel, self.text, self.kind, self.count, in_scope=inside)


@dataclass(frozen=True, slots=True)
class Page:
    """What an HTML page says."""

    title: str = ""
    language: str = ""  # as declared; empty when not
    charset: str = ""  # WHATWG name of the encoding that was used
    links: tuple[Link, ...] = ()
    links_dropped: int = 0  # beyond the cap on links a page, or with a URL that is too long
    canonical: str = ""  # canonical form of <link rel=canonical>, only when it lies on the same server
    noindex: bool = False
    nofollow: bool = False
    text_cut: bool = False  # only the first part of the text was read

    def with_links(self, links: tuple[Link, ...]) -> Page:
        """The same page with other links."""
        return replace(self, links=links)


@dataclass(frozen=True, slots=True)
class Redirect:
    """One hop: `address` answered `status` and sent us on to `target`, both as fetched."""

    address: str
    status: int
    target: str

    @property
    def permanent(self) -> bool:
        """Whether the hop joins two names of one page."""
        return self.status in (301, 308)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page that a server gave us."""

    url: str  # canonical form of the page's own address; its rel=canonical stays in page.canonical
    asked: str  # canonical form of what was asked for; differs after redirects
    address: str  # what was really fetched, after redirects
    hops: int  # links from a start URL; redirects do not count
    status: int
    fetched_at: datetime  # UTC, whole seconds
    redirects: tuple[Redirect, ...] = ()
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    content_hash: str = ""  # SHA-256 of the decoded body, hexadecimal
    length: int = 0  # decoded bytes
    truncated: str = ""  # why the body is not whole: "length", "time", "disconnect", or "skipped" when it is not HTML
    unchanged: bool = False  # 304: the copy that the caller has is still good
    page: Page | None = None  # None when the body is not HTML, or unchanged and not at hand
    copy: bool = False  # the caller's own copy: there is nothing to keep, but for redirects that were new

    @property
    def is_page(self) -> bool:
        """Whether this is an HTML page with status 200, which is what budgets count."""
        return self.page is not None and (self.unchanged or self.status == 200)


@dataclass(frozen=True, slots=True)
class Failed:
    """A page that could not be had, and why."""

    url: str
    address: str
    hops: int
    reason: Reason
    detail: str  # one sentence part for people: "HTTP 404", "certificate has expired"
    failed_at: datetime
    status: int | None = None
    redirects: tuple[Redirect, ...] = ()
    copy: bool = False  # as in Fetched

    @property
    def passing(self) -> bool:
        """Whether the failure may be over when the page is asked for again soon."""
        return self.reason in PASSING


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that led to a page which this crawl has under another name: nothing was fetched twice."""

    url: str
    target: str
    hops: int
    redirects: tuple[Redirect, ...]
    copy: bool = False  # as in Fetched


Record: TypeAlias = Fetched | Failed | Alias


@dataclass(frozen=True, slots=True)
class Budget:
    """What a crawl may spend. Pages are HTML pages with status 200; None is no limit."""

    max_pages: int | None = None  # that are asked for; copies of the caller's are free
    # Copies included. A group is a server unless the caller names it otherwise, and may have a cap of its own.
    max_pages_per_group: int | Callable[[str], int] | None = None
    max_requests: int | None = None  # page requests of any outcome; None: ten times max_pages plus 1,000
    max_hops: int = 20
    max_seconds: float | None = None

    @property
    def requests(self) -> int | None:
        """The limit on page requests: a site of dead links must end too."""
        if self.max_requests is not None or self.max_pages is None:
            return self.max_requests
        return 10 * self.max_pages + 1000


@dataclass(frozen=True, slots=True)
class Cut:
    """What a budget left undone."""

    # The budget's name: max-pages, max-requests, pages-per-site, max-hops, minutes; or stopped (by a person), network
    # (nobody answers any more), offline (nobody may be asked).
    what: str
    detail: str


@dataclass(slots=True)
class Stats:
    """Counts of a running crawl, for progress displays and summaries."""

    fetched: int = 0  # pages that answered: Fetched records that are not unchanged and no copies
    html: int = 0  # of these, HTML pages with status 200
    unchanged: int = 0
    copies: int = 0  # pages that the caller had
    failed: int = 0  # Failed records
    refused_by_robots: int = 0  # of these, refused by robots.txt
    aliases: int = 0
    requests: int = 0  # every request, robots.txt included
    bytes: int = 0  # decoded
    queued: int = 0
    servers: int = 0  # that were asked for something
    active: int = 0
    seconds: float = 0.0
    reasons: dict[str, int] = field(default_factory=dict)  # Failed records by reason

    def count(self, record: Record, *, free: bool = False) -> None:
        """Add a record; what is free is a copy that cost nothing in this run."""
        match record:
            case Fetched() if free:
                self.copies += 1
            case Fetched(unchanged=True):
                self.unchanged += 1
            case Fetched():
                self.fetched += 1
                self.html += record.page is not None and record.status == 200
                self.bytes += record.length
            case Failed():
                self.failed += 1
                self.refused_by_robots += record.reason in (Reason.ROBOTS, Reason.NO_ROBOTS)
                self.reasons[record.reason] = self.reasons.get(record.reason, 0) + 1
            case Alias():
                self.aliases += 1
