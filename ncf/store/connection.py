"""Opening the file, and saying in one sentence what is wrong with it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from ncf.errors import StoreError
from ncf.store import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY_SECONDS = 5.0  # how long to wait for another process before giving up
_PRAGMAS = (
    # NORMAL: nothing that was acknowledged is lost when the process dies, and 40 times the commits of FULL.
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
_SENTENCES = {
    sqlite3.SQLITE_NOTADB: "{path} is not an ncf store: it is no SQLite database",
    sqlite3.SQLITE_CORRUPT: "the store {path} is damaged; move it away, or give another file with --store",
    sqlite3.SQLITE_READONLY: "the store {path} cannot be written: it, or its folder, is read-only",
    sqlite3.SQLITE_CANTOPEN: "the store {path} cannot be opened: check that the file and its folder may be written",
    sqlite3.SQLITE_PERM: "the store {path} cannot be opened: permission denied",
    sqlite3.SQLITE_BUSY: "the store {path} is in use by another process; try again when it is done",
    sqlite3.SQLITE_LOCKED: "the store {path} is in use by another process; try again when it is done",
    sqlite3.SQLITE_FULL: "the store {path} cannot grow: the disk is full",
    sqlite3.SQLITE_IOERR: "the store {path} cannot be read or written: the disk reports an error, or is full",
}


def default_path() -> Path:
    """The file that is used when none is named: NCF_STORE, or one in the user's data folder."""
    named = os.environ.get("NCF_STORE")
    return Path(named) if named else Path(platformdirs.user_data_dir("ncf", appauthor=False)) / "ncf.sqlite"


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into one clear sentence."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        sentence = _SENTENCES.get(code, "the store {path} does not work: {error}")
        raise StoreError(sentence.format(path=path, error=error)) from error


def connect(path: Path) -> sqlite3.Connection:
    """Open or make a store; raises StoreError when the file is not one."""
    _check_place(path)
    with telling(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _check_place(path: Path) -> None:
    try:
        if not os.environ.get("NCF_STORE") and path == default_path():
            path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise StoreError(f"the store {path} cannot be opened: it is a folder")
        if not path.parent.is_dir():
            raise StoreError(f"the store {path} cannot be made: the folder {path.parent} does not exist")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the name is not valid"
        raise StoreError(f"the store {path} cannot be opened: {reason}") from error


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    application, version = _number(connection, "application_id"), _number(connection, "user_version")
    if application != schema.APPLICATION_ID and (application or _number(connection, "schema_version")):
        raise StoreError(f"{path} is not an ncf store: it is the database of another program")
    if version > schema.VERSION:
        raise StoreError(
            f"the store {path} was made by a newer ncf (format {version}; this one knows {schema.VERSION}): update ncf"
        )
    for pragma in _PRAGMAS:
        connection.execute(pragma)
    if version < schema.VERSION:
        schema.upgrade(connection)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
