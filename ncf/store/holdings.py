"""What a store holds, counted; what its runs came to; and which copies a recording must not replace.

Everything is counted in one scan of the pages and one of the links' smallest index: a store of a million pages and ten
million links takes about a second where the file is in memory, and as long as reading it where it is not.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ncf.store.store import Store

_PAGES = """SELECT count(*), coalesce(sum(html), 0), coalesce(sum(reason IS NOT NULL), 0),
    coalesce(sum(checked_at IS NULL), 0), coalesce(sum(html = 1 AND web != 0), 0),
    min(iif(html = 1, fetched_at, NULL)), max(iif(html = 1, fetched_at, NULL)) FROM pages"""
_COUNTS = """SELECT (SELECT count(*) FROM links), (SELECT count(*) FROM servers), (SELECT count(*) FROM robots),
    (SELECT count(*) FROM aliases WHERE kind = 'redirect'), (SELECT count(*) FROM verdicts),
    (SELECT count(*) FROM rules), (SELECT count(*) FROM runs), (SELECT count(*) FROM runs WHERE finished IS NULL)"""
_CLAIMS = "SELECT provider, count(*) FROM inlinks GROUP BY provider ORDER BY provider"
# Rounds that were not finished, of runs that were not: the pages that they begin from and nobody asked for yet.
_WAITING = """SELECT count(DISTINCT f.page) FROM runs r JOIN rounds n ON n.run = r.id AND n.complete = 0
    JOIN frontier f ON f.run = n.run AND f.round = n.number JOIN pages p ON p.id = f.page
    WHERE r.finished IS NULL AND p.checked_at IS NULL"""
_FILE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_VERSIONS = "SELECT user_version, sqlite_version() FROM pragma_user_version"
# One number a table, of its pages in the file; some builds of SQLite cannot say.
_LINK_BYTES = "SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN ('links', 'links_by_target')"
_OUTCOMES = """SELECT id, json_array_length(result, '$.communities'),
    (SELECT sum(json_extract(value, '$.pages')) FROM json_each(result, '$.sites')),
    json_array_length(result, '$.sites') FROM runs
    WHERE id IN (SELECT value FROM json_each(:runs)) AND json_valid(result)"""
# When the copy at hand is from. A failure is no copy, but it may have left an older one in place.
# What a replayed recording answered is no copy of the live Web, but no failure takes its place either.
_HELD = """SELECT key, iif(web = 0, checked_at, iif(html = 1, unixepoch(), 0)), iif(web != 0, NULL,
    iif(reason IS NULL, checked_at, iif(html = 1, unixepoch(fetched_at), NULL)))
    FROM pages WHERE key IN (SELECT value FROM json_each(:keys)) AND checked_at IS NOT NULL"""
_DATE = "UPDATE main.pages SET checked_at = ? WHERE key = ?"
_OLDER = "SELECT name FROM providers WHERE name != :name AND substr(name, 1, length(:head)) = :head"


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a store holds."""

    path: str
    bytes: int
    format: int
    sqlite: str
    known: int  # URLs of every kind
    html: int
    failed: int  # when they were last asked for; some have an older copy
    unasked: int  # only linked to, or named in a claim
    recorded: int  # of the HTML pages, those that a replayed recording answered
    oldest: str | None
    newest: str | None
    links: int
    link_bytes: int | None  # in the file, index included
    servers: int
    robots: int
    redirects: int
    judged: int  # servers that the filters learned something of
    rules: int  # that they learned
    runs: int
    unfinished: int
    waiting: int
    claims: Mapping[str, int] = field(default_factory=dict)  # by provider

    @property
    def bytes_a_link(self) -> float | None:
        """What a link takes in the file."""
        return round(self.link_bytes / self.links, 1) if self.link_bytes is not None and self.links else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has found, as far as its result was kept."""

    communities: int
    pages: int
    sites: int


@dataclass(frozen=True, slots=True)
class Held:
    """What the store has under a name."""

    checked: int  # when it was last asked for
    copy: int | None  # when the copy is from; None: there is none


def holdings(store: Store) -> Holdings:
    """Count everything."""
    known, html, failed, unasked, recorded, oldest, newest = store.select(_PAGES).fetchone()
    links, servers, robots, redirects, judged, rules, runs, unfinished = store.select(_COUNTS).fetchone()
    version, sqlite = store.select(_VERSIONS).fetchone()
    return Holdings(
        path=str(store.path),
        bytes=store.select(_FILE).fetchone()[0],
        format=version,
        sqlite=sqlite,
        known=known,
        html=html,
        failed=failed,
        unasked=unasked,
        recorded=recorded,
        oldest=oldest,
        newest=newest,
        links=links,
        link_bytes=_link_bytes(store),
        servers=servers,
        robots=robots,
        redirects=redirects,
        judged=judged,
        rules=rules,
        runs=runs,
        unfinished=unfinished,
        waiting=store.select(_WAITING).fetchone()[0],
        claims=dict(store.select(_CLAIMS).fetchall()),
    )


def _link_bytes(store: Store) -> int | None:
    from ncf.errors import StoreError

    try:
        found = store.select(_LINK_BYTES).fetchone()[0]
    except (StoreError, sqlite3.Error):
        return None
    return int(found or 0)


def outcomes(store: Store, runs: Iterable[int]) -> dict[int, Outcome]:
    """What runs came to, by number; those without a result are left out."""
    found = store.select(_OUTCOMES, {"runs": json.dumps(list(runs))})
    return {
        number: Outcome(communities or 0, pages or 0, sites or 0)
        for number, communities, pages, sites in found
        if communities is not None
    }


def held(store: Store, keys: Iterable[str]) -> dict[str, Held]:
    """What the store has of the live Web under these names."""
    found = store.select(_HELD, {"keys": json.dumps(list(keys))})
    return {key: Held(checked, copy) for key, checked, copy in found}


def date(store: Store, dates: Iterable[tuple[str, int]]) -> None:
    """Say when names were really asked for: keeping a record notes the present, and what was recorded is older."""
    with store.writing() as db:
        db.executemany(_DATE, [(at, key) for key, at in dates])


def providers_like(store: Store, name: str, head: str) -> list[str]:
    """The other providers of claims whose names begin so."""
    return [found for (found,) in store.select(_OLDER, {"name": name, "head": head})]
