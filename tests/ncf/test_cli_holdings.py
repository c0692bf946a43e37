"""`ncf stats`, `ncf runs` and `ncf forget` as a person uses them: a real store, hostile text, an empty store."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from crawler.recording.archive import Archive
from crawler.recording.replay import Replay
from crawler.settings import REPLAY
from ncf import cli_holdings, recorded
from ncf.errors import NcfError, UsageError
from ncf.export import holdings, table
from ncf.export.json import document, dumps
from ncf.find import Means, Question, find
from ncf.growth import Access, Limits
from ncf.inlinks import recording
from ncf.store import claims, connection, runs
from ncf.store.store import Store
from tests.support.warcs import response, save

if TYPE_CHECKING:
    from typer.testing import Result

    from ncf.result import Result as Found

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "data/demo/demo.warc.gz"
KEPLER = "kepler-college.example"
ANNA = f"http://{KEPLER}/~anna/"
HOSTILE = "=cmd|'x'\x1b[31m \u202e[/] [bold]"
APP = typer.Typer()
APP.command(epilog=cli_holdings.STATS_EPILOG)(cli_holdings.stats)
APP.command(epilog=cli_holdings.RUNS_EPILOG)(cli_holdings.runs)
APP.command(epilog=cli_holdings.FORGET_EPILOG)(cli_holdings.forget)


def run(*arguments: object, given: str = "") -> Result:
    return CliRunner().invoke(APP, [str(one) for one in arguments], input=given)


def answer(*arguments: object) -> Any:
    ran = run(*arguments, "--format", "json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.stdout)


def refused(*arguments: object) -> NcfError:
    ran = run(*arguments)
    assert isinstance(ran.exception, NcfError), ran.output
    return ran.exception


def opened() -> Store:
    """The store that commands use when none is named."""
    return Store.open()


async def _found(store: Store, archive: Archive, question: Question) -> Found:
    async with Replay(archive) as web:
        return await find(question, Means(store, Access(REPLAY, web), web=recording.name_of(archive)))


def found(*seeds: str, growth: int = 1, finish: bool = True) -> Found:
    """A run of find, kept in the store."""
    question = Question(seeds, growth, limits=Limits(max_pages=1 << 40, sites_per_step=7), exclude=("x.example",))
    with opened() as store, Archive.open([DEMO]) as archive:
        result = asyncio.run(_found(store, archive, question))
        if finish:
            runs.finish(store, result.run, dumps(document(result)))
    return result


@pytest.fixture
def demo() -> None:
    with opened() as store:
        recorded.load(store, [DEMO])


# stats


def test_stats_of_nothing() -> None:
    """Where there is no store yet, none is made."""
    ran = run("stats")
    assert ran.exit_code == 0
    assert "there is no store at" in ran.stderr
    assert not connection.default_path().exists()
    told = answer("stats", "--quiet")
    assert (told["pages"]["html"], told["bytes"], told["store"]) == (0, 0, str(connection.default_path()))


def test_stats_of_an_empty_store() -> None:
    opened().close()
    told = answer("stats")
    assert told["links"] == {"count": 0, "bytes": told["links"]["bytes"], "bytes_a_link": None}
    assert (told["pages"]["oldest"], told["runs"]["all"], told["claims"]) == (None, 0, {})
    assert run("stats").stdout.count("\n") > 10


def test_stats_count_what_the_store_holds(demo: None) -> None:
    with opened() as store:
        claims.add(store, "edges x", [("http://q.example/", ANNA)])
        pages, links = store.counts()
        number = runs.start(store, "find", {"seeds": [ANNA]}, "q")
        runs.begin_round(store, number, runs.Round(0, 0, {}, complete=False), [ANNA, "http://waits.example/"])
    told = answer("stats")
    assert (told["pages"]["html"], told["links"]["count"]) == (pages, links)
    assert told["pages"]["failed"] > 0
    assert told["pages"]["oldest"] == told["pages"]["newest"] == "2026-01-15T12:00:00+00:00"
    assert 10 < told["links"]["bytes_a_link"] < 60
    assert told["claims"] == {"edges x": 1}
    assert told["runs"] == {"all": 1, "unfinished": 1, "waiting": 1}
    assert told["format"] == 3
    rows = dict(csv.reader(io.StringIO(run("stats", "--format", "csv").stdout)))
    assert rows["pages: HTML"] == str(pages)
    assert f"{pages:,}" in run("stats").stdout


# runs


def test_runs_of_an_empty_store() -> None:
    opened().close()
    assert run("runs").stdout == "The store remembers no runs; `ncf find URL` makes one.\n"
    assert answer("runs") == {"schema": 1, "runs": [], "not_listed": 0}
    assert "remembers no run 1" in str(refused("runs", "1"))
    assert "remembers no run" in str(refused("runs", str(10**30)))


def test_runs_are_listed_newest_first() -> None:
    result = found(ANNA)
    found(ANNA, growth=0, finish=False)
    told = answer("runs")
    assert [one["run"] for one in told["runs"]] == [2, 1]
    assert [one["state"] for one in told["runs"]] == ["stopped", "done"]
    assert told["runs"][1]["communities"] == len(result.communities)
    assert told["runs"][1]["pages"] == sum(row.pages for row in result.sites)
    assert told["runs"][1]["seeds"] == [ANNA]
    assert (told["runs"][0]["communities"], told["runs"][0]["finished"]) == (None, None)
    shown = run("runs", "--top", "1").stdout
    assert "1 older run is not listed; --top shows more." in shown
    assert "goes on when the same is asked again" in shown
    rows = list(csv.DictReader(io.StringIO(run("runs", "--format", "csv").stdout)))
    assert [row["run"] for row in rows] == ["2", "1"]


def test_a_run_is_shown_again() -> None:
    result = found(ANNA)
    assert answer("runs", "1") == document(result)
    shown = run("runs", "1").stdout
    assert shown.endswith(table.text(result))
    assert f"ncf find {ANNA}".replace("~", "") in shown.replace("'", "").replace("~", "")
    for words in ("--growth 1", "--sites-per-step 7", "--exclude x.example", "--replay PATH", "--inlinks none"):
        assert words in shown
    assert "--max-pages" not in shown
    rows = list(csv.DictReader(io.StringIO(run("runs", "1", "--format", "csv").stdout)))
    assert {row["site"] for row in rows} == {site for one in result.communities for site in one.sites}


def test_a_kept_result_is_read_back_whole() -> None:
    result = found(ANNA, growth=2)
    read = holdings.from_document(json.loads(dumps(document(result))))
    assert document(read) == document(result)
    assert table.text(read) == table.text(result)


def test_a_run_without_a_result_says_how_to_go_on() -> None:
    found(ANNA, finish=False)
    assert "It is not finished; it goes on when the same is asked again" in run("runs", "1").stdout
    told = str(refused("runs", "1", "--format", "json"))
    assert "run 1 has no result" in told
    assert "--growth 1" in told


def test_the_line_to_go_on_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "my store.sqlite"
    with Store.open(path) as store:
        limits = {"site_pages": 5, "server_pages": 5, "max_pages": 10, "sites_per_step": None, "minutes": 1.5}
        settings = {"seeds": ["http://h.example/?a&b"], "growth": 2, "limits": limits, "web": "", "inlinks": ["e.csv"]}
        runs.start(store, "find", settings, json.dumps({"ecfc": "off"}))
    told = run("runs", "1", "--store", path).stdout.strip().splitlines()[-1]
    line = (
        "ncf find 'http://h.example/?a&b' --growth 2 --max-pages 10 --pages-per-site 5 --minutes 1.5"
        f" --inlinks e.csv --ecfc off --store '{path}'"
    )
    assert told.endswith(line)


def test_results_of_another_kind_are_shown_as_json() -> None:
    with opened() as store:
        number = runs.start(store, "rank", {"query": ["x"]})
        runs.finish(store, number, '{"results": []}')
    assert answer("runs", number) == {"results": []}
    assert "query" in run("runs", number).stdout
    assert isinstance(refused("runs", number, "--format", "csv"), UsageError)
    assert answer("runs")["runs"][0]["communities"] is None


def test_a_damaged_result_is_one_sentence() -> None:
    with opened() as store:
        runs.finish(store, runs.start(store, "find", {}), "{")
    assert "is damaged" in str(refused("runs", "1"))
    assert len(answer("runs")["runs"]) == 1


# forget


def test_a_site_is_forgotten(demo: None) -> None:
    told = answer("forget", ANNA, "--yes")
    assert told["forgotten"] is True
    assert told["meant"] == [{"what": "site", "name": ANNA, "urls": told["urls"]}]
    assert told["pages"] > 5
    assert answer("forget", KEPLER, "--dry-run")["forgotten"] is False
    assert answer("stats")["pages"]["html"] > 0


def test_without_a_terminal_yes_is_needed(demo: None) -> None:
    error = refused("forget", ANNA)
    assert isinstance(error, UsageError)
    assert "--yes" in str(error)
    assert answer("forget", ANNA, "--dry-run")["pages"] > 5


def test_what_follows_is_said() -> None:
    found(ANNA)
    found(f"http://{KEPLER}/~ben/")
    told = run("forget", ANNA, "--dry-run").stdout
    assert "To be forgotten: " in told
    assert "Run 1 began from there and goes too." in told
    assert "The result of run 2 names them and goes too; ask again for one without them." in told
    told = run("forget", ANNA, "--yes").stdout
    assert "Forgotten: " in told
    assert "Run 1 began from there and went too." in told
    assert "bare addresses stay" in told
    assert "It has no result any more" in run("runs", "2").stdout
    assert "links of other pages to them went too" in run("forget", ANNA, "--yes", "--links").stdout
    assert run("forget", KEPLER, "--yes", "--quiet").output == ""


@pytest.mark.parametrize(
    ("arguments", "usage", "sentence"),
    [
        (["nobody.example"], False, "knows nothing of nobody.example"),
        ([f"{ANNA}nothing.html"], False, "knows nothing of"),
        (["not a host"], True, "is not a URL"),
        (["ftp://h.example/"], True, "only http and https"),
        ([KEPLER, "--format", "csv"], True, "no form as CSV"),
        ([KEPLER, "--output", str(ROOT)], False, "it is a folder"),
        ([KEPLER, "--store", "/nosuch/s.sqlite"], False, "there is no store at"),
    ],
)
def test_bad_input_is_one_clear_sentence(demo: None, arguments: list[str], *, usage: bool, sentence: str) -> None:
    error = refused("forget", "--yes", *arguments)
    assert isinstance(error, UsageError) is usage
    assert sentence in str(error)
    assert len(str(error).splitlines()) == 1


def test_a_store_that_is_written_to_is_left_alone(demo: None) -> None:
    with opened() as store:
        store.lease()
        assert "another run" in str(refused("forget", ANNA, "--yes"))


def on_a_terminal(typed: bytes, *arguments: str) -> tuple[int, str]:
    """The command with a terminal as its standard input and error."""
    program = "from tests.ncf.test_cli_holdings import APP; APP()"
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ, stdin=theirs, stderr=theirs, stdout=theirs) as process:
        os.close(theirs)
        told = b""
        while b"for good?" not in told:
            told += os.read(ours, 4096)
        os.write(ours, typed)
        process.wait(60)
    os.close(ours)
    return process.returncode, told.decode()


def test_on_a_terminal_it_asks(demo: None) -> None:
    status, told = on_a_terminal(b"n\n", "forget", ANNA)
    assert status == 1
    assert ANNA in told
    assert answer("forget", ANNA, "--dry-run")["pages"] > 5
    status, told = on_a_terminal(b"y\n", "forget", ANNA)
    assert status == 0
    assert answer("forget", ANNA, "--dry-run")["pages"] == 0


def test_text_of_strangers_is_harmless(tmp_path: Path) -> None:
    """Neither a terminal nor a spreadsheet does what a title, a seed or a provider says."""
    body = f"<title>{HOSTILE}</title>".encode()
    with opened() as store:
        warc = save(tmp_path / "h.warc", response("http://h.example/", body, "Content-Type: text/html; charset=utf-8"))
        recorded.load(store, [warc])
        claims.add(store, f"edges {HOSTILE}", [("http://q.example/", "http://h.example/")])
        sites = [{"site": HOSTILE, "server": "h.example", "title": HOSTILE, "pages": 1, "hops": 0}]
        rule = {"prefix": "/", "level": 1, "filter": "none", "reason": HOSTILE}
        told = {
            "run": 1, "seeds": [HOSTILE], "growth": 0, "method": "cliques", "sites": [sites[0] | {"rule": rule}],
            "cut": [{"what": HOSTILE, "detail": HOSTILE}],
            "communities": [{"rank": 1, "sites": [HOSTILE], "seeds": [HOSTILE]}],
        }  # fmt: skip
        number = runs.start(store, HOSTILE, {"seeds": [HOSTILE], "exclude": [HOSTILE], HOSTILE: HOSTILE})
        runs.finish(store, number, json.dumps(told))
    for command in (["stats"], ["runs"], ["runs", "1"]):
        for form in ("table", "json", "csv"):
            ran = run(*command, "--format", form)
            assert ran.exit_code == 0, ran.exception
            assert "cmd|" in ran.stdout
            assert not set(ran.stdout) & set("\x1b\u202e")
            assert form != "csv" or not any(line.startswith("=") or ",=" in line for line in ran.stdout.splitlines())
    for form in ("table", "json"):
        ran = run("forget", "h.example", "--dry-run", "--format", form)
        assert ran.exit_code == 0
        assert not set(ran.stdout) & set("\x1b\u202e")
