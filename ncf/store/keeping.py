"""Records on their way into the tables: the hot path, plain SQL and integer ids."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Failed, Fetched
from ncf.store import rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from crawler.model import Record
    from ncf.store.rows import Lead, Name

    Stamp: TypeAlias = tuple[int, int | None, int]  # when it was asked for, by which run, and which Web answered

_KNOWN = 100_000  # names whose numbers are remembered
_ADD_SERVER = "INSERT INTO main.servers (name) VALUES (?) ON CONFLICT (name) DO NOTHING"
_SERVER_IDS = "SELECT name, id FROM main.servers WHERE name IN (SELECT value FROM json_each(?))"
_WWW = "UPDATE main.servers SET www = 1 WHERE name = ? AND www = 0"
# Of the ways to write an unseen page the first in the alphabet is kept: whoever links first may differ from run to run.
_ADD_NAME = """INSERT INTO main.pages (key, url, address, server) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET url = excluded.url, address = excluded.address
    WHERE excluded.address < address AND checked_at IS NULL"""
_IDS = "SELECT key, id, address FROM main.pages WHERE key IN (SELECT value FROM json_each(?))"
_FILL = f"""UPDATE main.pages SET url = ?, address = ?, {", ".join(f"{column} = ?" for column in rows.PAGE_COLUMNS)},
    reason = NULL, detail = NULL, failed_at = NULL, checked_at = ?, run = ?, web = ? WHERE id = ?"""  # noqa: S608  names of columns, ours
_STILL_GOOD = """UPDATE main.pages SET fetched_at = ?, reason = NULL, detail = NULL, failed_at = NULL,
    checked_at = ?, run = ?, web = ? WHERE id = ?"""
_FAIL = """UPDATE main.pages SET address = ?, reason = ?, detail = ?, failed_at = ?,
    status = CASE WHEN ? THEN ? ELSE status END, html = CASE WHEN ? THEN 0 ELSE html END,
    checked_at = ?, run = ?, web = ? WHERE id = ?"""
_CHECKED = "UPDATE main.pages SET checked_at = ?, run = ?, web = ? WHERE id = ?"
_ADD_LINK = "INSERT INTO main.links (source, target, rel, count) VALUES (?, ?, ?, ?)"
_DROP_LINKS = "DELETE FROM main.links WHERE source = ?"
_ADD_LEAD = "INSERT OR REPLACE INTO main.aliases (source, target, kind, permanent, status) VALUES (?, ?, ?, ?, ?)"
_HAS_LEAD = "SELECT 1 FROM main.aliases WHERE source = ? AND target = ?"
_DROP_LEAD = "DELETE FROM main.aliases WHERE source = ?"
_ADD_REL = "INSERT OR IGNORE INTO main.rels (text) VALUES (?)"
_REL = "SELECT id FROM main.rels WHERE text = ?"


class Keeper:
    """Puts records into the tables, within the caller's transaction; remembers the numbers of names it met."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._ids: dict[str, tuple[int, str]] = {}  # by key: number and address
        self._servers: dict[str, int] = {}
        self._www: set[str] = set()
        self._rels: dict[str, int] = {"": 0}

    def forget(self) -> None:
        """The numbers are not to be trusted any more: a transaction was taken back, or rows were deleted."""
        self._ids.clear()
        self._servers.clear()
        self._www.clear()
        self._rels = {"": 0}

    def keep(self, records: Iterable[Record], run: int | None, web: int) -> None:
        """Keep records: pages, their links, and the names that led to them."""
        # When we asked, by our own clock: what a recording answers has a date of its own.
        stamp = (int(time.time()), run, web)
        for record in records:
            if record.copy:
                self._keep_new_leads(record, stamp)
                continue
            links = rows.link_rows(record.page.links) if isinstance(record, Fetched) and record.page else []
            leads = rows.leads(record)
            self._learn(record, links, leads)
            if isinstance(record, Fetched):
                self._keep_page(record, links, stamp)
            elif isinstance(record, Failed):
                self._keep_failure(record, stamp)
            self._keep_leads(leads, stamp)

    def id_of(self, key: str) -> int | None:
        """The number of a name that has a row."""
        if key not in self._ids:
            self._look_up([key])
        found = self._ids.get(key)
        return found[0] if found else None

    def names(self, names: Sequence[Name]) -> list[int]:
        """The numbers of names; those without a row get one."""
        self._add(names)
        return [self._ids[name.key][0] for name in names]

    def _learn(self, record: Record, links: Sequence[tuple[Name, str, int]], leads: Sequence[Lead]) -> None:
        """Give every name in a record its row."""
        own = rows.failed_name(record) if isinstance(record, Failed) else rows.name(record.url, _address(record))
        names = [own, *(target for target, _, _ in links)]
        for lead in leads:
            names += (lead.source, lead.target)
        self._add(names)

    def _add(self, names: Sequence[Name]) -> None:
        if len(self._ids) > _KNOWN:
            self._ids.clear()
        known = self._ids
        missing: dict[str, list[Name]] = {}
        for name in names:
            met = known.get(name.key)
            if met is None or name.address < met[1]:
                missing.setdefault(name.key, []).append(name)
            if "://www." in name.address[:12]:
                self._met_www(name)
        if not missing:
            return
        fresh = [name for same in missing.values() for name in same]
        self._add_servers({name.server for name in fresh})
        self._db.executemany(
            _ADD_NAME, [(name.key, name.url, name.address, self._servers[name.server]) for name in fresh]
        )
        self._look_up(list(missing))

    def _add_servers(self, names: set[str]) -> None:
        new = sorted(names.difference(self._servers))
        if not new:
            return
        if len(self._servers) > _KNOWN:
            self._servers.clear()
            new = sorted(names)
        self._db.executemany(_ADD_SERVER, [(rows.storable(name),) for name in new])
        self._servers.update(self._db.execute(_SERVER_IDS, (json.dumps(new),)).fetchall())

    def _look_up(self, keys: Sequence[str]) -> None:
        for key, number, address in self._db.execute(_IDS, (json.dumps(keys),)):
            self._ids[key] = (number, address)

    def _met_www(self, name: Name) -> None:
        server = name.server
        if server not in self._www and urls.split(name.address).netloc != server:
            self._www.add(server)
            self._add_servers({server})
            self._db.execute(_WWW, (server,))

    def _keep_page(self, record: Fetched, links: Sequence[tuple[Name, str, int]], stamp: Stamp) -> None:
        name = rows.name(record.url, record.address)
        page = self._ids[name.key][0]
        self._db.execute(_DROP_LEAD, (page,))
        if record.unchanged:
            self._db.execute(_STILL_GOOD, (record.fetched_at.isoformat(), *stamp, page))
            return
        self._db.execute(_FILL, (name.url, name.address, *rows.page_row(record), *stamp, page))
        self._db.execute(_DROP_LINKS, (page,))
        ends = [(page, self._ids[target.key][0], self._rel(rel), count) for target, rel, count in links]
        ends.sort()  # neighbors in the table are written together
        self._db.executemany(_ADD_LINK, ends)

    def _keep_failure(self, record: Failed, stamp: Stamp) -> None:
        name, gone = rows.failed_name(record), rows.is_gone(record)
        page = self._ids[name.key][0]
        told = (name.address, str(record.reason), rows.storable(record.detail), record.failed_at.isoformat())
        self._db.execute(_FAIL, (*told, gone, record.status, gone, *stamp, page))
        if gone:
            self._db.execute(_DROP_LINKS, (page,))

    def _keep_leads(self, leads: Sequence[Lead], stamp: Stamp) -> None:
        for lead in leads:
            source, target = self._ids[lead.source.key][0], self._ids[lead.target.key][0]
            self._db.execute(_ADD_LEAD, (source, target, lead.kind, lead.permanent, lead.status))
            if lead.kind == "redirect":
                self._db.execute(_CHECKED, (*stamp, source))

    def _keep_new_leads(self, record: Record, stamp: Stamp) -> None:
        """Of a copy only the hops that were asked for on the way to it are new; the others keep their age."""
        leads = [lead for lead in rows.leads(record) if lead.kind == "redirect"]
        if not leads:
            return
        self._add([name for lead in leads for name in (lead.source, lead.target)])
        ids = [(self._ids[lead.source.key][0], self._ids[lead.target.key][0]) for lead in leads]
        fresh = [
            lead for lead, pair in zip(leads, ids, strict=True) if not self._db.execute(_HAS_LEAD, pair).fetchone()
        ]
        self._keep_leads(fresh, stamp)

    def _rel(self, text: str) -> int:
        found = self._rels.get(text)
        if found is None:
            self._db.execute(_ADD_REL, (text,))
            found = self._rels[text] = int(self._db.execute(_REL, (text,)).fetchone()[0])
        return found


def _address(record: Record) -> str | None:
    return record.address if isinstance(record, Fetched) else None
