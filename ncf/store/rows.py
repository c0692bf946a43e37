"""Records turned into rows: what of a crawl is kept, and how it is spelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Alias, Failed, Fetched

if TYPE_CHECKING:
    from crawler.model import Link, Record

GONE = (404, 410)  # the page is no more; any other failure leaves the copy that we have


@dataclass(frozen=True, slots=True)
class Name:
    """A URL that gets a row of its own."""

    key: str
    url: str
    address: str
    server: str


@dataclass(frozen=True, slots=True)
class Lead:
    """One hop from a name to another."""

    source: Name
    target: Name
    kind: str  # redirect or canonical
    permanent: bool


def storable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 and so SQLite cannot hold.

    >>> storable("a\\ud800") == "a\\ufffd\\ufffd\\ufffd"
    True
    """
    return text if text.isascii() else text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def name(url: str, address: str | None = None) -> Name:
    """The row of a URL: known by its canonical form, fetched by its address."""
    canonical = urls.canonical(url) or url
    fields = (urls.key(canonical), canonical, address or url, urls.server(canonical))
    return Name(*map(storable, fields))


def page_row(record: Fetched) -> dict[str, object]:
    """The columns that a fetched page fills."""
    page = record.page
    return {
        "html": int(page is not None and record.status == 200),
        "status": record.status,
        "content_type": storable(record.content_type),
        "title": storable(page.title) if page else None,
        "language": storable(page.language) if page else None,
        "charset": page.charset if page else None,
        "hash": record.content_hash,
        "length": record.length,
        "etag": storable(record.etag),
        "last_modified": storable(record.last_modified),
        "fetched_at": record.fetched_at.isoformat(),
        "truncated": record.truncated,
        "noindex": int(page.noindex) if page else None,
        "nofollow": int(page.nofollow) if page else None,
        "links_dropped": page.links_dropped if page else None,
        "text_cut": int(page.text_cut) if page else None,
        "reason": None,
        "detail": None,
        "failed_at": None,
    }


def failure_row(record: Failed) -> dict[str, object]:
    """The columns that a failure fills; a page that is gone loses its content."""
    row: dict[str, object] = {
        "reason": str(record.reason),
        "detail": storable(record.detail),
        "failed_at": record.failed_at.isoformat(),
    }
    return row | {"status": record.status, "html": 0} if is_gone(record) else row


def is_gone(record: Failed) -> bool:
    """Whether the server says that the page is no more."""
    return record.status in GONE


def leads(record: Record) -> list[Lead]:
    """The hops that a record tells of: each redirect, and rel=canonical at the end."""
    hops = [Lead(name(hop.address), name(hop.target), "redirect", hop.permanent) for hop in record.redirects]
    if isinstance(record, Alias):
        hops.append(
            Lead(hops[-1].target if hops else name(record.url), name(record.target), "redirect", permanent=True)
        )
    elif isinstance(record, Fetched) and record.page and record.page.canonical:
        hops.append(Lead(name(record.url), name(record.page.canonical), "canonical", permanent=True))
    return [hop for hop in hops if hop.source.key != hop.target.key]


def link_rows(links: tuple[Link, ...]) -> list[tuple[Name, str, int]]:
    """Target, rel and count of each link; spellings of one page are added up."""
    counts: dict[tuple[str, str], tuple[Name, int]] = {}
    for link in links:
        target, rel = name(link.url, link.address), storable(" ".join(link.rel))
        first, count = counts.get((target.key, rel), (target, 0))
        counts[target.key, rel] = first, count + link.count
    return [(target, rel, count) for (_, rel), (target, count) in counts.items()]
