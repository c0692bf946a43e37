"""Records turned into rows: what of a crawl is kept, and how it is spelled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Alias, Failed, Fetched, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.model import Link, Record

GONE = (404, 410)  # the page is no more; any other failure leaves the copy that we have
REFRESH = "~refresh"  # a mark among the words of rel: this link is a meta refresh, which is followed less far
# Failures of a chain of redirects, not of the address that was asked last.
_OF_CHAINS = frozenset((Reason.REDIRECT_LOOP, Reason.REDIRECT_LIMIT, Reason.REDIRECT_BAD, Reason.REDIRECT_SCOPE))
PAGE_COLUMNS = (
    "html", "status", "content_type", "title", "language", "charset", "hash", "length", "etag", "last_modified",
    "fetched_at", "truncated", "noindex", "nofollow", "links_dropped", "text_cut",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """A URL that gets a row of its own."""

    key: str
    url: str
    address: str

    @property
    def server(self) -> str:
        """The server that it stands on."""
        return urls.server(self.url)


@dataclass(frozen=True, slots=True)
class Lead:
    """One hop from a name to another."""

    source: Name
    target: Name
    kind: str  # redirect or canonical
    status: int

    @property
    def permanent(self) -> bool:
        """Whether the hop joins two names of one page."""
        return self.status in (301, 308)


def storable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 and so SQLite cannot hold.

    >>> storable("a\\ud800") == "a\\ufffd\\ufffd\\ufffd"
    True
    """
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def name(url: str, address: str | None = None) -> Name:
    """The row of a URL: known by its canonical form, fetched by its address."""
    canonical = urls.canonical(url) or url
    return Name(storable(urls.key(canonical)), storable(canonical), storable(address or url))


@lru_cache(maxsize=65536)
def _link_name(url: str, address: str) -> Name:
    return name(url, address)


def page_row(record: Fetched) -> tuple[object, ...]:
    """What a fetched page fills of PAGE_COLUMNS."""
    page = record.page
    return (
        int(page is not None and record.status == 200),
        record.status,
        storable(record.content_type),
        storable(page.title) if page else None,
        storable(page.language) if page else None,
        page.charset if page else None,
        record.content_hash,
        record.length,
        storable(record.etag),
        storable(record.last_modified),
        record.fetched_at.isoformat(),
        record.truncated,
        int(page.noindex) if page else None,
        int(page.nofollow) if page else None,
        page.links_dropped if page else None,
        int(page.text_cut) if page else None,
    )


def is_gone(record: Failed) -> bool:
    """Whether the server says that the page is no more."""
    return record.status in GONE


def failed_name(record: Failed) -> Name:
    """Whose failure it is: of the address that was asked last, or of the name that led in circles or nowhere."""
    if record.redirects and record.reason not in _OF_CHAINS:
        return name(record.address)
    return name(record.url, record.redirects[0].address if record.redirects else record.address)


def leads(record: Record) -> list[Lead]:
    """The hops that a record tells of: each redirect, and rel=canonical at the end."""
    hops = [Lead(name(hop.address), name(hop.target), "redirect", hop.status) for hop in record.redirects]
    if isinstance(record, Alias):
        hops.append(Lead(hops[-1].target if hops else name(record.url), name(record.target), "redirect", 301))
    elif isinstance(record, Fetched) and record.page and record.page.canonical:
        hops.append(Lead(name(record.url), name(record.page.canonical), "canonical", 301))
    return [hop for hop in hops if hop.source.key != hop.target.key]


def keys(record: Record) -> list[str]:
    """The names that a record speaks of: its page, what was asked for, and the hops between."""
    own = failed_name(record).key if isinstance(record, Failed) else storable(urls.key(record.url))
    asked = record.asked if isinstance(record, Fetched) else record.url
    return list(
        dict.fromkeys((own, storable(urls.key(asked)), *(storable(urls.key(hop.address)) for hop in record.redirects)))
    )


def link_rows(links: Iterable[Link]) -> list[tuple[Name, str, int]]:
    """Target, rel and count, a row a target: spellings of one page are added up, and of several rels none is said."""
    found: dict[str, tuple[Name, str, int]] = {}
    for link in links:
        target = _link_name(link.url, link.address)
        rel = _rel(link)
        first, said, count = found.get(target.key, (target, rel, 0))
        found[target.key] = (first, said if said == rel else "", count + link.count)
    return list(found.values())


def _rel(link: Link) -> str:
    words = (*link.rel, REFRESH) if link.kind == "refresh" else link.rel
    return storable(" ".join(words)) if words else ""
