"""The store: one SQLite file that holds what was crawled. The only place that speaks SQL."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from crawler import urls
from crawler.notebook import RobotsAnswer
from ncf.store import connection, rows
from ncf.store.keeping import Keeper
from ncf.store.lease import Lease

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from crawler.model import Record

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

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db
        self._keeper = Keeper(db)
        self._lease = Lease(path)

    @classmethod
    def open(cls, path: Path | None = None) -> Self:
        """Open or make a store."""
        path = path or connection.default_path()
        return cls(path, connection.connect(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was acknowledged is in it."""
        self._db.close()
        self._lease.release()

    def lease(self) -> None:
        """Become the one run that writes, until the store is closed; raises StoreError when another one does."""
        self._lease.take()

    # What a crawl gives

    def keep(self, record: Record) -> None:
        """Keep a record: a page, its links and the names that led to it, all or nothing."""
        self.keep_all((record,))

    def keep_all(self, records: Iterable[Record], *, run: int | None = None, web: int = 0) -> None:
        """Keep records, all or none of them: much faster than one by one, where nothing is lost by doing it again."""
        with self.writing():
            self._keeper.keep(records, run, web)

    def keep_names(self, addresses: Iterable[str]) -> list[int]:
        """The numbers of pages that are known by their addresses only; for the modules of this package."""
        return self._keeper.names([rows.name(address) for address in addresses])

    def id_of(self, key: str) -> int | None:
        """The number of a page, by its key, when it has a row."""
        with connection.telling(self.path):
            return self._keeper.id_of(rows.storable(key))

    def forget_numbers(self) -> None:
        """Rows were deleted; for the modules of this package."""
        self._keeper.forget()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction; one inside another is part of it."""
        with connection.telling(self.path):
            if self._db.in_transaction:
                yield self._db
                return
            # IMMEDIATE: a transaction that first reads and then writes fails at once when another has written.
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._keeper.forget()
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
