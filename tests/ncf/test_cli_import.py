"""`ncf import`: recordings and edge lists into the store, of whatever kind a file says it is; the later copy stays."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from crawler.errors import RecordingError
from crawler.model import Failed, Fetched, Page, Reason
from ncf import cli_import, imports
from ncf.errors import EdgesError, NcfError
from ncf.find import Means, Question, find
from ncf.growth import Access
from ncf.inlinks import edge_list
from ncf.store import claims
from ncf.store.copies import FOREVER, StoredCopies, Terms
from ncf.store.store import Store
from ncf.webs import Manner
from tests.support.warcs import record, response, save

if TYPE_CHECKING:
    from typer.testing import Result

DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"
ANNA = "http://kepler-college.example/~anna/"
H = "http://h.example/"
OLD, NEW = "2005-01-02T03:04:05Z", "2015-01-02T03:04:05Z"
HTML = "Content-Type: text/html; charset=utf-8"
APP = typer.Typer()
APP.command(epilog=cli_import.EPILOG)(cli_import.import_)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(one) for one in arguments])


def done(*arguments: object) -> Any:
    ran = run(*arguments, "--format", "json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def refused(*arguments: object) -> str:
    ran = run(*arguments)
    assert isinstance(ran.exception, NcfError | RecordingError), ran.output
    return str(ran.exception)


def opened() -> Store:
    """The store that commands use when none is named."""
    return Store.open()


def titles() -> dict[str, str]:
    with opened() as store:
        return dict(store.select("SELECT url, title FROM pages WHERE html = 1").fetchall())


def page(url: str, title: str, date: str = OLD, **more: str) -> bytes:
    return response(url, f"<title>{title}</title><a href=x>x</a>".encode(), HTML, date=date, **more)


def kept(title: str, at: datetime) -> Fetched:
    return Fetched(H, H, H, 0, 200, at, page=Page(title, charset="utf-8"))


def rows() -> list[tuple[Any, ...]]:
    with opened() as store:
        names = "SELECT key, title, status, reason, checked_at, run, web FROM pages ORDER BY key"
        links = "SELECT s.key, t.key FROM links l JOIN pages s ON s.id = l.source JOIN pages t ON t.id = l.target"
        return [*store.select(names), *sorted(store.select(links))]


def test_a_recording_is_read_whole(tmp_path: Path) -> None:
    found = done(DEMO)
    assert found["recordings"]["pages"] > 100
    assert found["recordings"]["redirects"] > 0
    assert found["recordings"]["failures"] > 0
    assert found["store"] == str(tmp_path / "default.sqlite")
    assert titles()[ANNA] == "Anna's back-garden observatory"


def test_find_answers_offline_from_what_was_imported() -> None:
    """Imported pages are pages of the live Web, as it was, under every name that they have."""
    done(DEMO)
    with opened() as store:
        copies = StoredCopies(store, Terms(web=0, fresh=FOREVER))
        assert copies.holds(ANNA)
        assert copies.holds("https://www.kepler-college.example/%7Eanna/")


def test_a_page_is_as_old_as_its_recording(tmp_path: Path) -> None:
    """A crawl that wants fresh pages asks for it again."""
    done(save(tmp_path / "a.warc", page(H, "Old")))
    with opened() as store:
        assert not StoredCopies(store, Terms(web=0)).holds(H)
        assert StoredCopies(store, Terms(web=0, fresh=100 * 365 * 86_400.0)).holds(H)


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_the_later_copy_stays_in_whatever_order_they_come(tmp_path: Path, order: tuple[str, str]) -> None:
    for number, date in enumerate(order):
        done(save(tmp_path / f"{number}.warc", page(H, date, date)))
    assert titles() == {H: NEW}


def test_a_fresher_live_page_is_never_overwritten(tmp_path: Path) -> None:
    with opened() as store:
        store.keep(kept("Live", datetime.now(UTC)))
    found = done(save(tmp_path / "a.warc", page(H, "Old"), response(H + "x", b"gone", status="404 Not Found")))
    assert titles() == {H: "Live"}
    assert (found["recordings"]["pages"], found["recordings"]["older"], found["recordings"]["failures"]) == (0, 1, 1)


def test_a_copy_is_not_given_up_for_a_failure(tmp_path: Path) -> None:
    done(save(tmp_path / "a.warc", page(H, "Old", OLD)))
    done(save(tmp_path / "b.warc", response(H, b"gone", HTML, status="404 Not Found", date=NEW)))
    assert titles() == {H: "Old"}


@pytest.mark.parametrize("status", [None, 404])
def test_an_archive_fills_in_for_what_the_web_lost(tmp_path: Path, status: int | None) -> None:
    reason = Reason.STATUS if status else Reason.DNS
    with opened() as store:
        store.keep(Failed(H, H, 0, reason, "no such name", datetime.now(UTC), status))
    done(save(tmp_path / "a.warc", page(H, "Old")))
    assert titles() == {H: "Old"}


def test_what_a_replay_left_behind_becomes_part_of_the_live_web(tmp_path: Path) -> None:
    with opened() as store:
        store.keep_all([kept("Replayed", datetime.now(UTC))], web=1, run=7)
    done(save(tmp_path / "a.warc", page(H, "Old")))
    assert titles() == {H: "Old"}
    assert rows()[0][-2:] == (None, 0)


def test_a_second_import_changes_nothing(tmp_path: Path) -> None:
    done(DEMO)
    before = rows()
    found = done(DEMO)["recordings"]
    assert (found["pages"], found["others"], found["redirects"], found["failures"]) == (0, 0, 0, 0)
    assert rows() == before


def test_an_import_that_was_stopped_is_repeated_without_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done(DEMO, "--store", tmp_path / "whole.sqlite")
    monkeypatch.setattr(imports, "_TOGETHER", 100)
    before, batches = Store.keep_all, []

    def stopping(store: Store, records: Any, **more: Any) -> None:
        batches.append(records)
        before(store, records, **more)
        if len(batches) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Store, "keep_all", stopping)
    ran = run(DEMO)
    assert ran.exit_code == 130
    assert "the same command reads the rest" in ran.stderr
    assert 0 < len(titles()) <= 200
    done(DEMO)
    found = titles()
    shutil.copy(tmp_path / "whole.sqlite", tmp_path / "default.sqlite")
    assert titles() == found


def test_of_two_spellings_of_a_page_the_redirect_says_nothing(tmp_path: Path) -> None:
    moved = response(H, b"", "Location: https://www.h.example/", status="301 Moved Permanently", date=NEW)
    done(save(tmp_path / "a.warc", moved, page("https://www.h.example/", "Here")))
    assert list(titles().values()) == ["Here"]


def test_a_folder_and_several_files_are_one_recording(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    save(folder / "a.warc.gz", page(H, "A"))
    save(folder / "b.warc", page(H + "b", "B"))
    found = done(folder, save(tmp_path / "c.warc", page(H + "c", "C")))
    assert found["recordings"]["pages"] == 3
    assert set(titles().values()) == {"A", "B", "C"}


def test_a_file_is_what_it_holds_and_not_what_it_is_called(tmp_path: Path) -> None:
    done(save(tmp_path / "links.csv", page(H, "A")))
    (tmp_path / "x.warc").write_text(f"{H},http://b.example/\n")
    assert done(tmp_path / "x.warc")["edges"][0]["links"] == 1
    (tmp_path / "y.txt").write_bytes(gzip.compress(f"{H}\thttp://c.example/\n".encode()))
    assert done(tmp_path / "y.txt")["edges"][0]["claims"] == 1


def test_an_edge_list_is_claims(tmp_path: Path) -> None:
    path = tmp_path / "links.csv.gz"
    path.write_bytes(gzip.compress(f"source,target\n{H}~a/,{H}~b/\nblog.example,{H}~b/\nnode 7,{H}\n".encode()))
    (found,) = done(path)["edges"]
    assert (found["links"], found["claims"], found["left_out"], found["names"], found["strange"]) == (2, 2, 1, 5, 1)
    with opened() as store:
        assert claims.known(store) == {found["provider"]: 2}
        linking = claims.claimed(store, [H + "~b/"], found["provider"], 50)
        assert linking == {H + "~b/": ["http://blog.example/", H + "~a/"]}


def test_find_need_not_read_an_imported_edge_list_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "links.csv"
    path.write_text(f"{H},http://b.example/\n")
    done(path)

    def not_again(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(claims, "add", not_again)
    with opened() as store:
        source = edge_list.source(store, path)
        assert source.inlinks(["http://b.example/"]) == {"http://b.example/": [H]}


def test_an_edge_list_that_changed_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text(f"{H},http://b.example/\n{H},http://c.example/\n")
    done(path)
    path.write_text(f"{H},http://d.example/\n")
    (found,) = done(path)["edges"]
    with opened() as store:
        assert claims.known(store) == {found["provider"]: 1}


def test_an_edge_list_without_urls_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("a,b\nb,a\n")
    assert "no links between URLs" in refused(path)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("g.graphml", b'<?xml version="1.0"?>\n<graphml xmlns="x">', "it is GraphML"),
        ("g.gexf", b'\xef\xbb\xbf<?xml version="1.0"?><gexf>', "it is GEXF"),
        ("g.gexf.gz", gzip.compress(b"<gexf>"), "it is GEXF"),
        ("p.html", b"<!doctype html><p>", "it is XML or HTML"),
        ("d.json", b'{"a": 1}', "it is JSON"),
        ("s.sqlite", b"SQLite format 3\0....", "it is a SQLite database"),
        ("a.arc", b"filedesc://x.arc 0.0.0.0", "it is an ARC file"),
        ("a.warc.zst", b"\x28\xb5\x2f\xfd...", "it is compressed by Zstandard"),
        ("a.zip", b"PK\x03\x04", "it is a ZIP archive"),
        ("a.wat.gz", gzip.compress(record("metadata", H, b"{}", content_type="application/json")), "it is WAT"),
        ("a.x", record("metadata", H, b'{"Envelope": {}}', content_type="application/json"), "it is WAT"),
        ("a.warc", b"", "is not a WARC file"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"a,b\0\1\2", "it is no text"),
        ("a.csv", "a,b".encode("utf-16"), "is UTF-16"),
        ("a.gz", b"\x1f\x8b\x08nonsense", "damaged"),
    ],
)
def test_another_kind_is_refused_in_a_clear_sentence(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    told = refused(tmp_path / name)
    assert sentence in told
    assert len(told.splitlines()) == 1
    if "it is" in told and "damaged" not in told:
        assert "edge lists (CSV or TSV, also .gz)" in told
        assert not (tmp_path / "default.sqlite").exists()


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "nothing.warc")
    assert "holds no .warc or .warc.gz" in refused(tmp_path)


def test_the_kind_of_every_file_is_looked_at_before_any_is_read(tmp_path: Path) -> None:
    (tmp_path / "g.gexf").write_text("<gexf>")
    assert "GEXF" in refused(DEMO, tmp_path / "g.gexf")
    assert not (tmp_path / "default.sqlite").exists()


def test_a_store_that_is_written_to_is_left_alone() -> None:
    with opened() as store:
        store.lease()
        assert "another run" in refused(DEMO)


def test_one_line_tells_what_came_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m.csv"
    path.write_text(f"{H},http://b.example/\nx y,{H}\n")
    ran = run(save(tmp_path / "a.warc", page(H, "A")), path)
    (line,) = ran.stderr.splitlines()
    assert line.startswith("1 recording: 1 page; ")
    assert "1 link, 1 claim of who links where; 1 of 3 names is no URL and was left out, with 1 link" in line
    assert "\x1b" not in line
    assert ran.stdout == ""
    assert run(path, "--quiet").output == ""
    run(path, "--output", tmp_path / "told.txt")
    assert "1 claim" in (tmp_path / "told.txt").read_text()


def test_damaged_recordings_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    whole = page(H, "A") + page(H + "b", "B")
    (tmp_path / "cut.warc").write_bytes(whole[:-30])
    found = done(tmp_path / "cut.warc")["recordings"]
    assert (found["pages"], found["unreadable"]) == (1, 1)


def test_an_edge_list_that_is_wrong_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("one word\n")
    with pytest.raises(EdgesError, match="no tab, comma or semicolon"), opened() as store:
        imports.take(store, [tmp_path / "a.csv"], lambda _: lambda done, total: None)


def test_find_finds_the_communities_offline() -> None:
    done(DEMO)
    with opened() as store:
        access = Access(Manner(offline=True).settings)
        result = asyncio.run(find(Question((ANNA,), 1), Means(store, access, fresh=FOREVER)))
    assert ANNA in {row.site for row in result.sites}
    assert result.communities[0].size > 2
