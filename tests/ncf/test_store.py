"""The store: what is acknowledged stays, and a file that is not one is named in a sentence."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from crawler.model import Alias, Failed, Fetched, Link, Page, Reason, Redirect
from crawler.notebook import RobotsAnswer
from ncf.errors import StoreError
from ncf.store import runs, schema
from ncf.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AT = datetime(2026, 1, 15, 12, tzinfo=UTC)
A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"


def fetched(url: str, *links: str, **more: object) -> Fetched:
    page = Page(title="T", links=tuple(Link(link, link) for link in links), canonical=str(more.pop("canonical", "")))
    return Fetched(url, url, url, 0, 200, AT, page=page, **more)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ncf.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


def test_a_page_and_its_links_come_back(store: Store) -> None:
    store.keep(fetched(A, B, "https://www.b.example/", C))
    assert [(page.url, page.title) for page in store.fetched(["a.example"])] == [(A, "T")]
    assert sorted(store.links(["a.example"])) == [(A, B, 2), (A, C, 1)]
    assert store.counts() == (1, 2)


def test_a_page_fetched_again_replaces_its_links(store: Store) -> None:
    store.keep(fetched(A, B))
    store.keep(fetched(A, C))
    assert list(store.links(["a.example"])) == [(A, C, 1)]


def test_an_unchanged_page_keeps_its_links(store: Store) -> None:
    store.keep(fetched(A, B))
    store.keep(Fetched(A, A, A, 0, 304, AT, unchanged=True))
    assert list(store.links(["a.example"])) == [(A, B, 1)]
    assert store.counts() == (1, 1)


def test_a_page_that_is_gone_loses_its_content_and_a_timeout_does_not(store: Store) -> None:
    store.keep(fetched(A, B))
    store.keep(Failed(A, A, 0, Reason.TIMEOUT, "too slow", AT))
    assert store.counts() == (1, 1)
    store.keep(Failed(A, A, 0, Reason.STATUS, "HTTP 404", AT, status=404))
    assert store.counts() == (0, 0)


def test_redirects_are_kept_hop_by_hop(store: Store) -> None:
    hops = (Redirect(A + "x", 302, B), Redirect(B, 301, C))
    store.keep(Fetched(C, A + "x", C, 0, 200, AT, redirects=hops, page=Page()))
    assert sorted(store.aliases()) == [(A + "x", B, False), (B, C, True)]


def test_a_redirect_out_of_scope_is_kept_too(store: Store) -> None:
    hops = (Redirect(A + "go", 302, B),)
    store.keep(Failed(A + "go", A + "go", 0, Reason.REDIRECT_SCOPE, "out", AT, redirects=hops))
    store.keep(Alias(A + "old", B, 0, (Redirect(A + "old", 301, B),)))
    assert sorted(store.aliases()) == [(A + "go", B, False), (A + "old", B, True)]


def test_http_and_https_and_www_are_one_page(store: Store) -> None:
    store.keep(fetched("https://www.a.example/", redirects=(Redirect(A, 301, "https://www.a.example/"),)))
    assert list(store.aliases()) == []
    assert [page.address for page in store.fetched(["a.example"])] == ["https://www.a.example/"]


def test_rel_canonical_is_believed_when_the_page_is_there(store: Store) -> None:
    store.keep(fetched(A + "x", canonical=A + "y"))
    assert list(store.aliases()) == []
    store.keep(fetched(A + "y"))
    assert list(store.aliases()) == [(A + "x", A + "y", True)]
    assert [page.url for page in store.fetched(["a.example"])] == [A + "y"]


def test_lone_surrogates_do_not_crash(store: Store) -> None:
    page = Page(title="a\ud800b", language="\udcff", links=(Link(B, B, rel=("\ud800",)),))
    store.keep(Fetched(A, A, A, 0, 200, AT, etag="\udc80", content_type="text/html\udc80", page=page))
    store.keep(Failed(C, C, 0, Reason.PROTOCOL, "bad \ud800", AT))
    assert [stored.title for stored in store.fetched(["a.example"])] == ["a\ufffd\ufffd\ufffdb"]


def test_the_notebook_lasts(path: Path) -> None:
    with Store.open(path) as store:
        store.set_next_turn("a.example", 12.5)
        store.set_next_turn("a.example", 13.5)
        store.keep_robots("http://a.example", RobotsAnswer(AT, 200, b"User-agent: *"))
        store.keep_robots("http://b.example", RobotsAnswer(AT, None))
    with Store.open(path) as store:
        assert (store.next_turn("a.example"), store.next_turn("b.example")) == (13.5, 0.0)
        assert store.robots("http://a.example") == RobotsAnswer(AT, 200, b"User-agent: *")
        assert store.robots("http://b.example") == RobotsAnswer(AT, None)
        assert store.robots("http://c.example") is None


def test_runs_are_numbered_and_remembered(store: Store) -> None:
    assert [runs.start(store, "find", {"growth": 2}, "q"), runs.start(store, "find", {}, "q")] == [1, 2]
    runs.finish(store, 1, '{"a": 1}')
    assert [(run.id, run.settings, run.finished is not None) for run in runs.listed(store)] == [
        (2, {}, False),
        (1, {"growth": 2}, True),
    ]
    assert runs.result(store, 1) == '{"a": 1}'
    assert runs.last(store, "q", {"growth": 2}) == runs.find(store, 1)
    assert runs.last(store, "q", {"growth": 3}) == runs.find(store, 2)
    assert runs.last(store, "", {}) is None


def test_page_and_links_are_one_transaction(store: Store) -> None:
    """A page that cannot be kept whole is not kept at all, and the store goes on working."""
    bad = Fetched(A, A, A, 0, 200, AT, page=Page(links=(Link(B, B, count=None),)))  # type: ignore[arg-type]
    with pytest.raises((StoreError, TypeError)):
        store.keep(bad)
    assert store.counts() == (0, 0)
    store.keep(fetched(A))
    assert store.counts() == (1, 0)


WRITER = """
import sys
from pathlib import Path
from tests.ncf.test_store import fetched
from ncf.store.store import Store
with Store.open(Path(sys.argv[1])) as store:
    for number in range(1_000_000):
        here = f"http://h.example/{number}"
        store.keep(fetched(here, *(f"{here}/{link}" for link in range(10))))
        print(number, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(path: Path) -> None:
    """The writer is killed mid-way; every page it reported is there, with all its links."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for line in writer.stdout:
        if int(line) >= 200:
            break
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = 201 + sum(1 for _ in writer.stdout)
    writer.stdout.close()
    writer.wait()
    with Store.open(path) as store:
        pages, links = store.counts()
    assert pages >= acknowledged
    assert links == 10 * pages
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_migrations_are_numbered_and_recorded(store: Store, path: Path) -> None:
    assert [name[:4] for name in schema.NAMES] == [f"{number:04}" for number in range(1, schema.VERSION + 1)]
    db = sqlite3.connect(path)
    assert [row[0] for row in db.execute("SELECT name FROM _sqlite_migrations ORDER BY id")] == list(schema.NAMES)
    assert db.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
    assert db.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def refused(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence


def test_a_newer_store_is_refused(path: Path) -> None:
    Store.open(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    assert "newer ncf" in refused(path)


def test_what_is_not_a_database_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("dear diary " * 100)
    assert "not an ncf store" in refused(path)
    assert path.read_text() == "dear diary " * 100


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE diary (entry)")
    db.close()
    before = path.read_bytes()
    assert "another program" in refused(path)
    assert path.read_bytes() == before


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path)
    assert "does not exist" in refused(tmp_path / "missing" / "ncf.sqlite")
    assert refused(tmp_path / ("x" * 300))
    (tmp_path / "file").write_text("")
    assert refused(tmp_path / "file" / "ncf.sqlite")


def test_a_damaged_store_is_named(path: Path) -> None:
    with Store.open(path) as store:
        for number in range(200):
            store.keep(fetched(f"{A}{number}", B))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"), Store.open(path) as store:
        store.keep(fetched(A))


def test_a_locked_store_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncf.store.connection.BUSY_SECONDS", 0.1)
    with Store.open(path) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another process"):
            store.keep(fetched(A))
        other.execute("ROLLBACK")
        other.close()
        store.keep(fetched(A))


def test_a_full_disk_is_named_and_loses_nothing(store: Store) -> None:
    store.keep(fetched(A))
    store._db.execute("PRAGMA max_page_count = 30")
    records = (fetched(f"{A}{number}", *(f"{B}{number}/{link}" for link in range(50))) for number in range(1000))
    with pytest.raises(StoreError, match="full"):
        deque(map(store.keep, records), maxlen=0)
    pages, links = store.counts()
    assert links == 50 * (pages - 1)


def test_two_runs_do_not_write_at_once(store: Store, path: Path) -> None:
    """The second says so, and who holds it; reading is free, and the lease ends with the store."""
    store.lease()
    store.lease()
    with Store.open(path) as second:
        with pytest.raises(StoreError, match=f"another run .process {os.getpid()}. is writing"):
            second.lease()
        assert second.counts() == (0, 0)
    store.close()
    with Store.open(path) as third:
        third.lease()


def test_a_store_that_cannot_be_written_is_named(store: Store) -> None:
    store._db.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written"):
        store.keep(fetched(A))


def test_a_link_takes_at_most_32_bytes(store: Store, path: Path) -> None:
    """With both directions indexed, as pages of one site are: most links inside, some out."""
    for start in range(0, 4000, 200):
        pages = range(start, start + 200)
        store.keep_all(
            fetched(f"{A}{page}", *(f"{A}{(page * 7 + n * n) % 4000}" for n in range(40)), f"{B}{page}")
            for page in pages
        )
    db = sqlite3.connect(path)
    (size,) = db.execute("SELECT sum(pgsize) FROM dbstat WHERE name IN ('links', 'links_by_target')").fetchone()
    assert size / store.counts()[1] <= 32


def test_a_store_of_the_second_format_is_brought_forward(path: Path) -> None:
    """Its pages, links and redirects are there: links of one pair are one, and rel is kept where it is plain."""
    with Store.open(path):
        pass
    path.unlink()
    db = sqlite3.connect(path)
    for statement in (*schema._FIRST, *schema._SECOND):
        db.execute(statement)
    db.execute(
        "CREATE TABLE _sqlite_migrations (id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT)"
    )
    db.executemany(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('ncf', ?, '2026')",
        [(name,) for name in schema.NAMES[:2]],
    )
    db.execute("INSERT INTO servers (id, name) VALUES (1, 'a.example')")
    for number in (1, 2, 3):
        row = (number, f"a.example/{number}", f"{A}{number}", f"{A}{number}")
        db.execute(
            "INSERT INTO pages (id, key, url, address, server, html, status, fetched_at, charset) "
            "VALUES (?, ?, ?, ?, 1, 1, 200, '2026-01-15T12:00:00+00:00', 'utf-8')",
            row,
        )
    db.executemany("INSERT INTO links VALUES (1, ?, ?, ?)", [(2, "", 1), (2, "nofollow", 2), (3, "nofollow", 1)])
    db.execute("INSERT INTO aliases VALUES (3, 2, 'redirect', 1)")
    db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    db.execute("PRAGMA user_version = 2")
    db.commit()
    db.close()
    with Store.open(path) as store:
        assert store.counts() == (3, 2)
        rows = store.select("SELECT l.target, r.text, l.count FROM links l JOIN rels r ON r.id = l.rel ORDER BY 1")
        assert rows.fetchall() == [(2, "", 3), (3, "nofollow", 1)]
        assert store.select("SELECT status FROM aliases").fetchall() == [(301,)]
        assert store.select("SELECT DISTINCT checked_at FROM pages").fetchall() == [(int(AT.timestamp()),)]
        store.keep(fetched(A, B))
