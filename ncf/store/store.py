"""The store: one SQLite file that holds what was crawled. The only place that speaks SQL."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from crawler import urls
from crawler.model import Failed, Fetched
from crawler.notebook import RobotsAnswer, Validators
from ncf.store import connection, rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from crawler.model import Record
    from ncf.store.rows import Name

_ADD_SERVER = "INSERT OR IGNORE INTO servers (name) VALUES (?)"
_ADD_NAME = """INSERT OR IGNORE INTO pages (key, url, address, server)
    SELECT ?, ?, ?, id FROM servers WHERE name = ?"""
_PAGE_ID = "SELECT id FROM pages WHERE key = ?"
_ADD_LINK = "INSERT INTO links (source, target, rel, count) SELECT ?, id, ?, ? FROM pages WHERE key = ?"
_DROP_LINKS = "DELETE FROM links WHERE source = ?"
_ADD_ALIAS = """INSERT OR REPLACE INTO aliases (source, target, kind, permanent)
    SELECT s.id, t.id, ?, ? FROM pages s, pages t WHERE s.key = ? AND t.key = ?"""
_DROP_ALIAS = "DELETE FROM aliases WHERE source = ?"
_STILL_GOOD = "UPDATE pages SET fetched_at = ?, reason = NULL, detail = NULL, failed_at = NULL WHERE id = ?"
_SET_TURN = """INSERT INTO servers (name, next_turn) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET next_turn = excluded.next_turn"""
_ON_SERVERS = "server IN (SELECT id FROM servers WHERE name IN (SELECT value FROM json_each(?)))"
# rel=canonical is believed when the page that it names is there.
_BELIEVED = """aliases a JOIN pages t ON t.id = a.target AND (a.kind = 'redirect' OR t.html = 1)"""
_FETCHED = f"""SELECT p.url, p.address, p.title FROM pages p WHERE p.html = 1 AND p.{_ON_SERVERS}
    AND NOT EXISTS (SELECT 1 FROM {_BELIEVED} WHERE a.source = p.id) ORDER BY p.key"""  # noqa: S608  no data in the text
_LINKS = f"""SELECT s.url, t.url, sum(l.count) FROM pages s JOIN links l ON l.source = s.id
    JOIN pages t ON t.id = l.target WHERE s.{_ON_SERVERS} GROUP BY l.source, l.target"""  # noqa: S608  the same
_ALIASES = f"SELECT s.url, t.url, a.permanent FROM {_BELIEVED} JOIN pages s ON s.id = a.source"  # noqa: S608  the same
_COUNTS = "SELECT (SELECT count(*) FROM pages WHERE html = 1), (SELECT count(*) FROM links)"


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A fetched HTML page, as far as sites need it."""

    url: str
    address: str
    title: str


class Store:
    """One file; one connection writes it. Also the crawl's notebook."""

    def __init__(self, path: Path, db: sqlite3.Connection, *, offers_copies: bool = False) -> None:
        self.path = path
        self._db = db
        self._offers_copies = offers_copies

    @classmethod
    def open(cls, path: Path | None = None, *, offers_copies: bool = False) -> Self:
        """Open or make a store; `offers_copies` lets a crawl ask whether stored pages have changed."""
        path = path or connection.default_path()
        return cls(path, connection.connect(path), offers_copies=offers_copies)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was acknowledged is in it."""
        self._db.close()

    # What a crawl gives

    def keep(self, record: Record) -> None:
        """Keep a record: a page, its links and the names that led to it, all or nothing."""
        self.keep_all((record,))

    def keep_all(self, records: Iterable[Record]) -> None:
        """Keep records, all or none of them: much faster than one by one, where nothing is lost by doing it again."""
        with self._transaction():
            for record in records:
                if isinstance(record, Fetched):
                    self._keep_page(record)
                elif isinstance(record, Failed):
                    self._keep_failure(record)
                self._keep_leads(record)

    def _keep_page(self, record: Fetched) -> None:
        page = self._fill(rows.name(record.url, record.address), {} if record.unchanged else rows.page_row(record))
        self._db.execute(_DROP_ALIAS, (page,))
        if record.unchanged:
            self._db.execute(_STILL_GOOD, (record.fetched_at.isoformat(), page))
            return
        self._db.execute(_DROP_LINKS, (page,))
        links = rows.link_rows(record.page.links if record.page else ())
        self._add_names(target for target, _, _ in links)
        self._db.executemany(_ADD_LINK, [(page, rel, count, target.key) for target, rel, count in links])

    def _keep_failure(self, record: Failed) -> None:
        page = self._fill(rows.name(record.url, record.address), rows.failure_row(record))
        if rows.is_gone(record):
            self._db.execute(_DROP_LINKS, (page,))

    def _keep_leads(self, record: Record) -> None:
        leads = rows.leads(record)
        self._add_names(name for lead in leads for name in (lead.source, lead.target))
        self._db.executemany(
            _ADD_ALIAS, [(lead.kind, lead.permanent, lead.source.key, lead.target.key) for lead in leads]
        )

    def _fill(self, name: Name, row: Mapping[str, object]) -> int:
        self._add_names([name])
        columns = {"url": name.url, "address": name.address, **row}
        text = f"UPDATE pages SET {', '.join(f'{column} = ?' for column in columns)} WHERE key = ?"  # noqa: S608  ours
        self._db.execute(text, (*columns.values(), name.key))
        return int(self._db.execute(_PAGE_ID, (name.key,)).fetchone()[0])

    def _add_names(self, names: Iterable[Name]) -> None:
        given = list(names)
        self._db.executemany(_ADD_SERVER, [(server,) for server in {name.server for name in given}])
        self._db.executemany(_ADD_NAME, [(name.key, name.url, name.address, name.server) for name in given])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with connection.telling(self.path):
            # IMMEDIATE: a transaction that first reads and then writes fails at once when another has written.
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    # What sites are made of

    def fetched(self, servers: Iterable[str]) -> Iterator[StoredPage]:
        """The HTML pages that these servers gave us, by name."""
        for url, address, title in self._rows(_FETCHED, json.dumps(sorted(servers))):
            yield StoredPage(url, address, title or "")

    def links(self, servers: Iterable[str]) -> Iterator[tuple[str, str, int]]:
        """Source, target and count of the links of these servers' pages."""
        for source, target, count in self._rows(_LINKS, json.dumps(sorted(servers))):
            yield source, target, int(count)

    def aliases(self) -> Iterator[tuple[str, str, bool]]:
        """Where names lead, hop by hop, and whether for good."""
        yield from ((source, target, bool(permanent)) for source, target, permanent in self._rows(_ALIASES))

    def address(self, url: str) -> str:
        """What to fetch for a canonical URL: the address that was seen."""
        for (found,) in self._rows("SELECT address FROM pages WHERE key = ?", rows.storable(urls.key(url))):
            return str(found)
        return url

    def counts(self) -> tuple[int, int]:
        """How many HTML pages and how many links are kept."""
        pages, links = next(self._rows(_COUNTS))
        return int(pages), int(links)

    def _rows(self, text: str, *values: object) -> Iterator[tuple[str, ...]]:
        with connection.telling(self.path):
            yield from self._db.execute(text, values)

    def select(self, text: str, values: Mapping[str, object] | None = None) -> sqlite3.Cursor:
        """Ask the file; for the modules of this package that read what sites and servers are made of."""
        with connection.telling(self.path):
            return self._db.execute(text, values or {})

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction; for the modules of this package that keep what was learned."""
        with self._transaction():
            yield self._db

    # Runs

    def start_run(self, command: str, settings: Mapping[str, object]) -> int:
        """Note that a run begins, and how it was asked for; gives its number."""
        text = "INSERT INTO runs (command, settings, started) VALUES (?, ?, ?)"
        with self._transaction():
            return int(self._db.execute(text, (command, json.dumps(settings), _now())).lastrowid or 0)

    def finish_run(self, run: int, result: str) -> None:
        """Note that a run is done, and what came out of it."""
        with self._transaction():
            self._db.execute("UPDATE runs SET finished = ?, result = ? WHERE id = ?", (_now(), result, run))

    # Notebook

    def next_turn(self, server: str) -> float:
        """See Notebook."""
        found = next(self._rows("SELECT next_turn FROM servers WHERE name = ?", rows.storable(server)), (0.0,))
        return float(found[0])

    def set_next_turn(self, server: str, at: float) -> None:
        """See Notebook; committed when it returns."""
        with connection.telling(self.path):
            self._db.execute(_SET_TURN, (rows.storable(server), at))

    def robots(self, authority: str) -> RobotsAnswer | None:
        """See Notebook."""
        text = "SELECT at, status, body FROM robots WHERE authority = ?"
        with connection.telling(self.path):
            found = self._db.execute(text, (rows.storable(authority),)).fetchone()
        return RobotsAnswer(datetime.fromtimestamp(found[0], UTC), found[1], found[2]) if found else None

    def keep_robots(self, authority: str, answer: RobotsAnswer) -> None:
        """See Notebook."""
        text = "INSERT OR REPLACE INTO robots (authority, at, status, body) VALUES (?, ?, ?, ?)"
        with connection.telling(self.path):
            self._db.execute(text, (rows.storable(authority), answer.at.timestamp(), answer.status, answer.body))

    def validators(self, url: str) -> Validators | None:
        """See Notebook; only when this store was opened to offer its copies."""
        if not self._offers_copies:
            return None
        text = "SELECT etag, last_modified FROM pages WHERE key = ? AND html = 1"
        found = next(self._rows(text, rows.storable(urls.key(url))), None)
        return Validators(found[0] or "", found[1] or "") if found else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
