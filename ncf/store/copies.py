"""What the store already has, offered to a crawl in place of requests (crawler.copies.Copies)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from crawler import urls
from crawler.copies import Copy, Validators
from crawler.model import PASSING, Failed, Fetched, Link, Page, Reason, Redirect
from ncf.store import rows

if TYPE_CHECKING:
    from ncf.store.store import Store

FOREVER = float("inf")
DAY = 86_400.0
REST = 600.0  # seconds for which a host that did not answer is left alone, when the run that asked came to its end
# A server that was in trouble, or forbade a page, is asked again sooner than a page that it gave us.
_SOON = frozenset((Reason.ROBOTS, Reason.TLS, Reason.PROTOCOL, Reason.ENCODING, Reason.ADDRESS, Reason.DNS))

_ON_SERVER = """SELECT p.key, p.checked_at, p.run, p.reason, p.status, r.finished IS NOT NULL FROM pages p
    JOIN servers v ON v.id = p.server LEFT JOIN runs r ON r.id = p.run
    WHERE v.name = :server AND p.web = :web AND p.checked_at IS NOT NULL"""
_PAGE = """SELECT id, url, address, html, status, content_type, title, language, charset, hash, length, etag,
    last_modified, fetched_at, truncated, noindex, nofollow, links_dropped, text_cut, reason, detail, failed_at
    FROM pages WHERE key = :key"""
_LINKS = """SELECT t.url, t.address, r.text, l.count FROM links l JOIN pages t ON t.id = l.target
    JOIN rels r ON r.id = l.rel WHERE l.source = :page"""
_LEAD = """SELECT a.kind, a.status, t.url, t.address FROM aliases a JOIN pages t ON t.id = a.target
    WHERE a.source = :page"""
_VALIDATORS = "SELECT etag, last_modified FROM pages WHERE key = :key AND html = 1 AND web = :web"


@dataclass(frozen=True, slots=True)
class Terms:
    """Which copies are good enough."""

    run: int | None = None  # the run that goes on: what it asked for itself counts against its budget
    web: int = 0
    fresh: float = 30 * DAY  # seconds that a page stays good; FOREVER when nothing may be asked for
    anew: bool = False  # nothing is good enough: what is being recorded must be asked for whole
    is_recording: bool = False  # a recording never changes its mind about what it does not hold


class StoredCopies:
    """Looks at a server's rows once, when the crawl first comes to it: what is asked for after that is no copy."""

    def __init__(self, store: Store, terms: Terms) -> None:
        self._store = store
        self._terms = terms
        self._now = time.time()
        self._good: dict[str, dict[str, bool]] = {}  # by server and key: whether this very run asked for it

    def holds(self, url: str) -> bool:
        """See Copies."""
        return rows.storable(urls.key(url)) in self._of_server(url)

    def had(self, url: str) -> bool:
        """Whether an earlier run left a copy."""
        return self._of_server(url).get(rows.storable(urls.key(url))) is False

    def recall(self, url: str) -> Copy | None:
        """See Copies."""
        mine = self._of_server(url).get(rows.storable(urls.key(url)))
        if mine is None:
            return None
        row = self._row(url)
        told = self._told(row) if row else None
        return Copy(told, mine) if told else None

    def validators(self, url: str) -> Validators | None:
        """See Copies."""
        if self._terms.anew:
            return None
        found = self._store.select(_VALIDATORS, {"key": _key(url), "web": self._terms.web}).fetchone()
        return Validators(found[0] or "", found[1] or "") if found and (found[0] or found[1]) else None

    def page(self, url: str) -> Page | None:
        """See Copies."""
        row = self._row(url)
        return self._page(row) if row and row["html"] else None

    def _of_server(self, url: str) -> dict[str, bool]:
        server = urls.server(url)
        found = self._good.get(server)
        if found is None:
            given = {"server": rows.storable(server), "web": self._terms.web}
            found = self._good[server] = {
                key: run is not None and run == self._terms.run
                for key, at, run, reason, status, ended in self._store.select(_ON_SERVER, given)
                if self._is_good((at, bool(ended)), run, reason, status)
            }
        return found

    def _is_good(self, asked: tuple[int, bool], run: int | None, reason: str | None, status: int | None) -> bool:
        """`asked`: when, and whether by a run that came to its end, so that the network was there."""
        terms, (at, ended) = self._terms, asked
        if terms.anew:
            return False
        if terms.fresh == FOREVER or (terms.is_recording and terms.fresh):
            return True
        mine = run is not None and run == terms.run
        age = self._now - at
        if not reason:
            return mine or age < terms.fresh
        if reason == Reason.STATUS:
            lasting = status is not None and status < 500 and status != 429
            return mine or age < (terms.fresh if lasting else min(terms.fresh, DAY))
        if reason in _SOON:
            return mine or age < min(terms.fresh, DAY)
        if reason in PASSING:  # no connection, too slow, parked: it may be over soon
            return ended and age < min(terms.fresh, REST)
        return mine or age < terms.fresh

    def _row(self, url: str) -> dict[str, Any] | None:
        cursor = self._store.select(_PAGE, {"key": _key(url)})
        row = cursor.fetchone()
        return dict(zip((column[0] for column in cursor.description), row, strict=True)) if row else None

    def _told(self, row: dict[str, Any]) -> Fetched | Failed | Redirect | None:
        lead = self._store.select(_LEAD, {"page": row["id"]}).fetchone()
        if lead and lead[0] == "redirect":
            return Redirect(row["address"], lead[1], lead[3])
        if row["reason"]:
            at = datetime.fromisoformat(row["failed_at"])
            return Failed(row["url"], row["address"], 0, Reason(row["reason"]), row["detail"], at, row["status"])
        if row["status"] is None or row["fetched_at"] is None:
            return None
        return Fetched(
            url=row["url"],
            asked=row["url"],
            address=row["address"],
            hops=0,
            status=row["status"],
            fetched_at=datetime.fromisoformat(row["fetched_at"]).astimezone(UTC),
            content_type=row["content_type"] or "",
            etag=row["etag"] or "",
            last_modified=row["last_modified"] or "",
            content_hash=row["hash"] or "",
            length=row["length"] or 0,
            truncated=row["truncated"] or "",
            page=self._page(row, lead) if row["charset"] is not None else None,
        )

    def _page(self, row: dict[str, Any], lead: tuple[Any, ...] | None = None) -> Page:
        lead = lead or self._store.select(_LEAD, {"page": row["id"]}).fetchone()
        return Page(
            title=row["title"] or "",
            language=row["language"] or "",
            charset=row["charset"] or "",
            links=tuple(_link(*one) for one in self._store.select(_LINKS, {"page": row["id"]})),
            links_dropped=row["links_dropped"] or 0,
            canonical=lead[2] if lead and lead[0] == "canonical" else "",
            noindex=bool(row["noindex"]),
            nofollow=bool(row["nofollow"]),
            text_cut=bool(row["text_cut"]),
        )


def _link(url: str, address: str, rel: str, count: int) -> Link:
    if not rel:
        return Link(url, address, count=count)
    words = tuple(word for word in rel.split(" ") if word != rows.REFRESH)
    return Link(url, address, words, kind="refresh" if rows.REFRESH in rel else "a", count=count)


def _key(url: str) -> str:
    return rows.storable(urls.key(url))
