"""The tables, made and changed by numbered migrations that the file itself remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

if TYPE_CHECKING:
    import sqlite3

APPLICATION_ID = 0x6E636601  # "ncf", 1: what `file` and we know the store by

migrations = Migrations("ncf")

_FIRST = (
    "CREATE TABLE servers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, next_turn REAL NOT NULL DEFAULT 0)",
    "CREATE TABLE robots (authority TEXT PRIMARY KEY, at REAL NOT NULL, status INTEGER, body BLOB NOT NULL)",
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY, command TEXT NOT NULL, settings TEXT NOT NULL,
        started TEXT NOT NULL, finished TEXT, result TEXT)""",
    # Every URL that is known: fetched, failed, or only linked to (then `status` and `reason` are empty).
    """CREATE TABLE pages (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL, address TEXT NOT NULL,
        server INTEGER NOT NULL REFERENCES servers(id), html INTEGER NOT NULL DEFAULT 0, status INTEGER,
        content_type TEXT, title TEXT, language TEXT, charset TEXT, hash TEXT, length INTEGER,
        etag TEXT, last_modified TEXT, fetched_at TEXT, truncated TEXT, noindex INTEGER, nofollow INTEGER,
        links_dropped INTEGER, text_cut INTEGER, reason TEXT, detail TEXT, failed_at TEXT)""",
    "CREATE INDEX pages_by_server ON pages (server)",
    """CREATE TABLE links (
        source INTEGER NOT NULL REFERENCES pages(id), target INTEGER NOT NULL REFERENCES pages(id),
        rel TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (source, target, rel)) WITHOUT ROWID""",
    "CREATE INDEX links_by_target ON links (target, source)",
    # Where a name leads: one hop of a redirect, or rel=canonical.
    """CREATE TABLE aliases (
        source INTEGER PRIMARY KEY REFERENCES pages(id), target INTEGER NOT NULL REFERENCES pages(id),
        kind TEXT NOT NULL, permanent INTEGER NOT NULL)""",
    "CREATE INDEX aliases_by_target ON aliases (target)",
)


@migrations(name="0001_pages_links_runs")
def _first(db: Database) -> None:
    for statement in _FIRST:
        db.execute(statement)


_SECOND = (
    # What filters 5, 6 and ECFC found on a server, and on how many fetched pages.
    """CREATE TABLE verdicts (
        server INTEGER PRIMARY KEY REFERENCES servers(id), pages INTEGER NOT NULL, at TEXT NOT NULL)""",
    """CREATE TABLE rules (
        server INTEGER NOT NULL REFERENCES verdicts(server) ON DELETE CASCADE, prefix TEXT NOT NULL,
        level INTEGER NOT NULL, filter TEXT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (server, prefix)) WITHOUT ROWID""",
)


@migrations(name="0002_learned_rules")
def _second(db: Database) -> None:
    for statement in _SECOND:
        db.execute(statement)


NAMES = ("0001_pages_links_runs", "0002_learned_rules")  # in order; a file's user_version is the number of the last one
VERSION = len(NAMES)


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring a file to the newest schema, all or nothing; a second process waits and then finds it done."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(Database(connection, execute_plugins=False))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
