"""The store: what was acknowledged is there, and what is not a store is said in one sentence."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.model import Alias, Failed, Fetched, Link, Page, Reason, Record, Redirect
from crawler.notebook import RobotsAnswer, Validators
from ncf.errors import StoreError
from ncf.store import schema
from ncf.store.store import Store

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
ROOT = Path(__file__).resolve().parents[2]


def fetched(url: str, *targets: str, title: str = "", **more: object) -> Fetched:
    page = Page(title=title, charset="utf-8", links=tuple(Link(target, target) for target in targets))
    return Fetched(url=url, asked=url, address=url, hops=0, status=200, fetched_at=NOW, page=page, **more)  # type: ignore[arg-type]


def kept(path: Path, *records: Record) -> Store:
    store = Store.open(path)
    for record in records:
        store.keep(record)
    return store


def test_pages_and_links_come_back(tmp_path: Path) -> None:
    with kept(tmp_path / "s", fetched("http://a.test/", "http://b.test/", "http://b.test/", title="A")) as store:
        assert [(page.url, page.title) for page in store.fetched(["a.test"])] == [("http://a.test/", "A")]
        assert list(store.links(["a.test"])) == [("http://a.test/", "http://b.test/", 2)]
        assert store.counts() == (1, 1)


def test_a_page_kept_again_has_its_new_links_only(tmp_path: Path) -> None:
    records = fetched("http://a.test/", "http://b.test/"), fetched("https://www.a.test/", "http://c.test/")
    with kept(tmp_path / "s", *records) as store:
        assert [target for _, target, _ in store.links(["a.test"])] == ["http://c.test/"]


def test_names_lead_on(tmp_path: Path) -> None:
    hop = Redirect("http://a.test/old", 301, "http://a.test/new")
    alias = Alias("http://a.test/old", "http://a.test/new", 1, (hop,))
    with kept(tmp_path / "s", fetched("http://a.test/new"), alias) as store:
        assert list(store.aliases()) == [("http://a.test/old", "http://a.test/new", True)]


def test_a_failure_leaves_the_copy_unless_the_page_is_gone(tmp_path: Path) -> None:
    down = Failed("http://a.test/", "http://a.test/", 0, Reason.TIMEOUT, "slow", NOW)
    gone = Failed("http://a.test/", "http://a.test/", 0, Reason.STATUS, "HTTP 404", NOW, 404)
    with kept(tmp_path / "s", fetched("http://a.test/"), down) as store:
        assert store.counts()[0] == 1
        store.keep(gone)
        assert store.counts()[0] == 0


def test_hostile_text_is_kept(tmp_path: Path) -> None:
    record = fetched("http://a.test/", title="\ud800 \x00 '; DROP TABLE pages; --")
    with kept(tmp_path / "s", record) as store:
        assert store.counts()[0] == 1


def test_the_notebook_lasts(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with kept(path, fetched("http://a.test/", etag='"1"', last_modified="then")) as store:
        store.set_next_turn("a.test", 123.5)
        store.keep_robots("http://a.test", RobotsAnswer(NOW, 200, b"User-agent: *"))
        assert store.validators("http://a.test/") is None
    with Store.open(path, offers_copies=True) as store:
        assert store.next_turn("a.test") == 123.5
        assert store.robots("http://a.test") == RobotsAnswer(NOW, 200, b"User-agent: *")
        assert store.validators("http://a.test/") == Validators('"1"', "then")


WRITER = """
import sys
from pathlib import Path
from tests.ncf.test_store import fetched
from ncf.store.store import Store
store = Store.open(Path(sys.argv[1]))
for n in range(100_000):
    store.keep(fetched(f"http://a.test/{n}", *(f"http://b.test/{n}/{m}" for m in range(5))))
    print(n, flush=True)
"""


@pytest.mark.parametrize("after", [1, 7, 40])
def test_killed_at_any_moment_nothing_acknowledged_is_lost(tmp_path: Path, after: int) -> None:
    """The page and all its links, or neither."""
    path = tmp_path / "s"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    for _ in range(after):
        acknowledged = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with Store.open(path) as store:
        pages, links = store.counts()
    assert pages >= acknowledged + 1
    assert links == 5 * pages
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


def test_migrations_are_numbered_and_remembered(tmp_path: Path) -> None:
    Store.open(tmp_path / "s").close()
    db = sqlite3.connect(tmp_path / "s")
    assert db.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
    assert db.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
    applied = [row[0] for row in db.execute("SELECT name FROM _sqlite_migrations ORDER BY id")]
    assert applied == list(schema.NAMES)
    db.close()


def refusal(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    return str(caught.value)


def test_what_is_not_our_store_is_refused_and_untouched(tmp_path: Path) -> None:
    text, other, newer = tmp_path / "text", tmp_path / "other", tmp_path / "newer"
    text.write_text("not a database at all, " * 100)
    before = text.read_bytes()
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE theirs (x)")
    db.close()
    Store.open(newer).close()
    db = sqlite3.connect(newer)
    db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()
    assert "no SQLite database" in refusal(text)
    assert text.read_bytes() == before
    assert "another program" in refusal(other)
    assert "newer ncf" in refusal(newer)
    assert "folder" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "missing" / "s")


def test_a_locked_store_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncf.store.connection.BUSY_SECONDS", 0.1)
    with Store.open(tmp_path / "s") as store:
        other = sqlite3.connect(tmp_path / "s", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another process"):
            store.keep(fetched("http://a.test/"))
        other.execute("ROLLBACK")
        other.close()
        store.keep(fetched("http://a.test/"))
