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


_THIRD = (
    # Which Web answered: the live one, or a recording, by its content. A page of one says nothing about the other.
    "CREATE TABLE webs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "INSERT INTO webs (id, name) VALUES (0, 'live')",
    # Whether a server was met under its name with `www.` too.
    "ALTER TABLE servers ADD COLUMN www INTEGER NOT NULL DEFAULT 0",
    # When a URL was last asked for, by which run, and which Web answered.
    "ALTER TABLE pages ADD COLUMN checked_at INTEGER",
    "ALTER TABLE pages ADD COLUMN run INTEGER",
    "ALTER TABLE pages ADD COLUMN web INTEGER NOT NULL DEFAULT 0",
    "UPDATE pages SET checked_at = unixepoch(nullif(max(coalesce(fetched_at, ''), coalesce(failed_at, '')), ''))",
    # A link in as few bytes as it takes: one row a pair of pages, rel as a number; 0 and 1 cost nothing.
    "CREATE TABLE rels (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    "INSERT INTO rels (id, text) VALUES (0, '')",
    "INSERT OR IGNORE INTO rels (text) SELECT DISTINCT rel FROM links ORDER BY rel",
    "ALTER TABLE links RENAME TO old_links",
    """CREATE TABLE links (
        source INTEGER NOT NULL REFERENCES pages(id), target INTEGER NOT NULL REFERENCES pages(id),
        rel INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (source, target)) WITHOUT ROWID""",
    """INSERT INTO links (source, target, rel, count) SELECT o.source, o.target, iif(count(*) = 1, max(r.id), 0),
        sum(o.count) FROM old_links o JOIN rels r ON r.text = o.rel GROUP BY o.source, o.target""",
    "DROP TABLE old_links",
    "CREATE INDEX links_by_target ON links (target, source)",
    "ALTER TABLE aliases ADD COLUMN status INTEGER NOT NULL DEFAULT 302",
    "UPDATE aliases SET status = 301 WHERE permanent = 1",
    # What somebody else says of who links where: a claim, until the page was fetched and the link seen.
    """CREATE TABLE inlinks (
        target INTEGER NOT NULL REFERENCES pages(id), source INTEGER NOT NULL REFERENCES pages(id),
        provider TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (target, provider, source)) WITHOUT ROWID""",
    "CREATE TABLE providers (name TEXT PRIMARY KEY, at INTEGER NOT NULL, claims INTEGER NOT NULL) WITHOUT ROWID",
    # What is asked, without the budgets: a run that asks the same goes on where the last one stood.
    "ALTER TABLE runs ADD COLUMN question TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX runs_by_question ON runs (question)",
    # The crawl frontier: the rounds of a run, the rules by which it knew servers when it met them, and the pages that
    # each round began from. What waits behind those follows from the pages and links that are stored.
    """CREATE TABLE rounds (
        run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, number INTEGER NOT NULL, step INTEGER NOT NULL,
        met TEXT NOT NULL, complete INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, number)) WITHOUT ROWID""",
    """CREATE TABLE frontier (
        run INTEGER NOT NULL, round INTEGER NOT NULL, page INTEGER NOT NULL REFERENCES pages(id),
        PRIMARY KEY (run, round, page),
        FOREIGN KEY (run, round) REFERENCES rounds(run, number) ON UPDATE CASCADE ON DELETE CASCADE) WITHOUT ROWID""",
)


@migrations(name="0003_frontier_copies_inlinks")
def _third(db: Database) -> None:
    for statement in _THIRD:
        db.execute(statement)


# In order; a file's user_version is the number of the last one.
NAMES = ("0001_pages_links_runs", "0002_learned_rules", "0003_frontier_copies_inlinks")
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
