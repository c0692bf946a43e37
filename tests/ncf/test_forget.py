"""Forgetting: nothing of the pages is left, not even between the rows, and everything else is as it was."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.model import Alias, Failed, Fetched, Link, Page, Reason, Redirect
from crawler.notebook import RobotsAnswer
from filters.base import Rule
from filters.learned import Lesson
from ncf import recorded, stored
from ncf.rules import RuleBook
from ncf.store import claims, lessons, runs
from ncf.store.copies import FOREVER, StoredCopies, Terms
from ncf.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

AT = datetime(2026, 1, 15, 12, tzinfo=UTC)
DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"
KEPLER = "kepler-college.example"
MINE, ALONE = "http://mine.example/~me/", "http://mine.example/~me/only-here.html"
OTHER, FAR = "http://other.example/", "http://far.example/known-from-me-alone"


def page(url: str, title: str, *links: str, rel: str = "") -> Fetched:
    told = tuple(Link(link, link, tuple(rel.split())) for link in links)
    return Fetched(
        url, url, url, 0, 200, AT, content_hash=f"hash-of-{title}", etag=f"etag-of-{title}",
        page=Page(title, links=told, charset="utf-8"),
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "ncf.sqlite") as opened:
        opened.keep_all([
            page(MINE, "TopTitle", OTHER, ALONE, FAR, rel="very-own-word"),
            page(ALONE, "AloneTitle", MINE),
            page(OTHER, "OtherTitle", MINE, "http://third.example/"),
            page("http://mine.example/~you/", "YourTitle", OTHER),
        ])  # fmt: skip
        opened.keep(Failed(MINE + "gone.html", MINE + "gone.html", 0, Reason.STATUS, "HTTP 404", AT, 404))
        claims.add(opened, "edges x", [(MINE, OTHER), ("http://claimer.example/", ALONE), (OTHER, "http://t.example/")])
        yield opened


def forget(store: Store, *texts: str, pointing: bool = False) -> stored.Plan:
    plan = stored.plan(store, RuleBook(), texts, pointing=pointing)
    assert stored.carry_out(store, plan)
    return plan


def known(store: Store) -> set[str]:
    return {url for (url,) in store.select("SELECT url FROM pages")}


def whole(store: Store) -> None:
    assert store.select("PRAGMA foreign_key_check").fetchall() == []
    assert store.select("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert store.select("SELECT name FROM sqlite_master WHERE name LIKE 'forget%'").fetchall() == []


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def test_not_a_byte_is_left_in_the_file_or_its_log(store: Store) -> None:
    words = (
        b"TopTitle",
        b"AloneTitle",
        b"only-here",
        b"gone.html",
        b"known-from-me-alone",
        b"very-own-word",
        b"etag-of-Top",
    )
    store.select("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    assert all(word in bytes_of(store.path) for word in words)
    forget(store, MINE)
    assert [word for word in words if word in bytes_of(store.path)] == []
    assert b"OtherTitle" in bytes_of(store.path)
    whole(store)


def test_a_bare_address_stays_while_another_page_links_to_it(store: Store) -> None:
    plan = forget(store, MINE)
    assert (plan.tally.pages, plan.tally.known, plan.tally.links, plan.tally.claims) == (2, 3, 4, 2)
    assert (plan.tally.pointing, plan.tally.stay) == (1, 1)
    row = store.select(
        "SELECT title, hash, html, status, fetched_at, checked_at, run FROM pages WHERE url = :u", {"u": MINE}
    )
    assert row.fetchone() == (None, None, 0, None, None, None, None)
    assert sorted(store.links(["other.example"])) == [(OTHER, MINE, 1), (OTHER, "http://third.example/", 1)]
    assert known(store) & {ALONE, FAR, MINE + "gone.html", "http://claimer.example/"} == set()
    assert claims.known(store) == {"edges x": 1}


def test_links_of_others_go_when_that_is_asked_for(store: Store) -> None:
    forget(store, MINE, pointing=True)
    assert b"~me" not in bytes_of(store.path)
    assert sorted(store.links(["other.example"])) == [(OTHER, "http://third.example/", 1)]
    whole(store)


def test_what_led_there_was_never_asked_for(store: Store) -> None:
    """No redirect, nor what is said of one, keeps an address that is to go; what is left can still be read."""
    start, hop = "http://moved.example/start", "http://moved.example/hop"
    hops = (Redirect(start, 302, hop), Redirect(hop, 301, ALONE))
    told = f"it redirects out of scope, to {ALONE}"
    store.keep_all(
        [Alias(hop, ALONE, 0, hops[1:]), Failed(start, ALONE, 0, Reason.REDIRECT_SCOPE, told, AT, None, hops)]
    )
    forget(store, "mine.example", pointing=True)
    assert b"only-here" not in bytes_of(store.path)
    copies = StoredCopies(store, Terms(fresh=FOREVER))
    left = copies.recall(start)
    assert left is not None
    assert left.told == Redirect(start, 302, hop)
    assert copies.recall(hop) is None


def test_what_others_have_is_as_it_was(store: Store) -> None:
    forget(store, "mine.example", pointing=True)
    assert [(one.url, one.title) for one in store.fetched(["other.example"])] == [(OTHER, "OtherTitle")]
    assert known(store) == {OTHER, "http://third.example/", "http://t.example/"}


def test_a_server_goes_with_its_robots_txt_and_lessons(store: Store) -> None:
    for authority in ("http://mine.example", "https://www.mine.example", "http://other.example"):
        store.keep_robots(authority, RobotsAnswer(AT, 200, b"Disallow: /my-secret/"))
    lessons.learn(
        store, {"mine.example": Lesson(9, (Rule("/very-private/", 2, "tilde", "why"),)), "other.example": Lesson(1, ())}
    )
    forget(store, "www.mine.example", pointing=True)
    assert store.robots("http://mine.example") is None
    assert store.robots("https://www.mine.example") is None
    assert store.robots("http://other.example") is not None
    assert set(lessons.lessons(store)) == {"other.example"}
    assert b"very-private" not in bytes_of(store.path)
    assert b"mine.example" not in bytes_of(store.path)


def test_a_server_is_judged_anew_without_the_pages(store: Store) -> None:
    lessons.learn(store, {"mine.example": Lesson(9, (Rule("/~me/deep/", 3, "tilde", "why"),))})
    forget(store, MINE)
    assert lessons.lessons(store) == {}


def test_one_page_goes_alone(store: Store) -> None:
    forget(store, ALONE)
    assert [one.url for one in store.fetched(["mine.example"])] == [MINE, "http://mine.example/~you/"]


def result(run: int, *sites: str) -> str:
    rows = [{"site": site, "server": "s", "title": "t", "pages": 1} for site in sites]
    return json.dumps({"run": run, "sites": rows, "communities": []})


def kept(store: Store) -> dict[int, bool]:
    return {run.id: run.has_result for run in runs.listed(store)}


def test_kept_results_that_name_it_are_dropped(store: Store) -> None:
    begun = [runs.start(store, "find", {"seeds": [seed]}, seed) for seed in (MINE, OTHER, "http://third.example/")]
    runs.finish(store, begun[0], result(begun[0], MINE))
    runs.finish(store, begun[1], result(begun[1], OTHER, MINE))
    runs.finish(store, begun[2], result(begun[2], OTHER, "http://mine.example/~you/"))
    plan = forget(store, MINE, pointing=True)
    assert (plan.kept.runs, plan.kept.results) == ((begun[0],), (begun[1],))
    assert kept(store) == {begun[1]: False, begun[2]: True}
    assert b"~me" not in bytes_of(store.path)


def test_a_frontier_loses_it_and_the_run_goes_on(store: Store) -> None:
    gone = runs.start(store, "find", {"seeds": [MINE]}, "a")
    run = runs.start(store, "find", {"seeds": [OTHER]}, "b")
    met: dict[str, list[list[Any]]] = {"mine.example": [["/~me/deep/", 3, "tilde", "why"]], "other.example": []}
    runs.begin_round(store, gone, runs.Round(0, 0, met, complete=False), [MINE, "http://frontier-only.example/"])
    runs.begin_round(store, run, runs.Round(0, 0, met, complete=False), [OTHER, MINE])
    store.keep_all([page(OTHER, "OtherTitle", MINE)], run=gone)
    forget(store, MINE)
    assert runs.frontier(store, run, 0) == [(OTHER, OTHER)]
    assert runs.rounds(store, run)[0].met == {"mine.example": [], "other.example": []}
    assert runs.rounds(store, gone) == []
    assert (
        store.select("SELECT count(*) FROM pages WHERE run IS NOT NULL").fetchone()[0] == 0
    )  # numbers are given again
    assert "http://frontier-only.example/" not in known(store)
    whole(store)


def test_planning_changes_nothing(store: Store) -> None:
    before = list(store.select("SELECT * FROM pages ORDER BY id"))
    stored.plan(store, RuleBook(), ["mine.example"])
    assert list(store.select("SELECT * FROM pages ORDER BY id")) == before


def test_nothing_goes_when_it_fails_half_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from ncf.store import forget as module

    plan, before = stored.plan(store, RuleBook(), ["mine.example"]), known(store)
    monkeypatch.setattr(module, "_REST", ("DELETE FROM nothing_of_the_kind",))
    with pytest.raises(Exception, match="nothing_of_the_kind"):
        stored.carry_out(store, plan)
    assert known(store) == before
    monkeypatch.undo()
    forget(store, "mine.example")
    whole(store)


def test_a_reader_of_the_store_is_told_of(store: Store) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM pages").fetchone()
        plan = stored.plan(store, RuleBook(), [MINE])
        started = time.monotonic()
        assert not stored.carry_out(store, plan)
        assert time.monotonic() - started < 30


def test_the_demo_without_a_site_has_no_trace_of_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "demo.sqlite") as store:
        recorded.load(store, [DEMO])
        before = len(stored.graph_of(store, RuleBook()))
        forget(store, f"http://{KEPLER}/~anna/", pointing=True)
        assert b"/~anna/" not in bytes_of(store.path)
        assert b"back-garden" not in bytes_of(store.path)
        graph = stored.graph_of(store, RuleBook())
        assert f"http://{KEPLER}/~anna/" not in graph
        assert len(graph) >= before - 3
        whole(store)


def test_a_claim_for_every_page_costs_no_search_for_each(tmp_path: Path) -> None:
    with Store.open(tmp_path / "many.sqlite") as store:
        claims.add(store, "x", ((f"http://a.example/{n}", f"http://b.example/{n}") for n in range(20_000)))
        started = time.monotonic()
        forget(store, "a.example")
        assert time.monotonic() - started < 20
        assert known(store) == set()
