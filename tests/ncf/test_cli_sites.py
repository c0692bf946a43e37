"""`ncf sites` as a person runs it: real processes, a real store, the recorded demo web."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ncf import recorded
from ncf.store.store import Store
from tests.support.warcs import response, save

ROOT = Path(__file__).resolve().parents[2]
DEMO = str(ROOT / "data/demo/demo.warc.gz")
KEPLER = "kepler-college.example"


@pytest.fixture(autouse=True)
def _own_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the rules of the person who runs it."""
    monkeypatch.setenv("NCF_RULES", str(tmp_path / "rules.tsv"))


@pytest.fixture
def demo(tmp_path: Path) -> str:
    """A store that holds the demo web."""
    with Store.open(tmp_path / "demo.sqlite") as store:
        recorded.load(store, [Path(DEMO)])
    return str(tmp_path / "demo.sqlite")


def sites(*arguments: str, given: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        [sys.executable, "-m", "ncf", "sites", *arguments],
        input=given.encode() if isinstance(given, str) else given,
        capture_output=True,
        cwd=ROOT,
        env=os.environ,
        timeout=120,
    )
    return subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def answer(*arguments: str) -> Any:
    ran = sites(*arguments, "--format", "json")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_json_has_every_key_of_the_contract(demo: str) -> None:
    found = answer(KEPLER, "--store", demo)
    (server,) = found["servers"]
    assert found["schema"] == 1
    assert {"server", "aliases", "complete", "pages", "sites", "opinions"} <= set(server)
    assert {"site", "title", "pages", "known", "rule"} == set(server["sites"][0])
    assert {"prefix", "level", "filter", "reason"} <= set(server["sites"][0]["rule"])
    assert {"filter", "verdict", "reason", "counts", "rules"} == set(server["opinions"][0])
    assert {one["verdict"] for one in server["opinions"]} <= {"sites", "one site", "no opinion", "withdrawn"}


def test_a_store_and_a_recording_tell_the_same(demo: str) -> None:
    assert answer(KEPLER, "--store", demo) == answer(KEPLER, "--replay", DEMO)


def test_the_table_tells_a_newcomer_everything(demo: str) -> None:
    shown = sites(KEPLER, f"{KEPLER}/physics/~dora/new.html", "--store", demo).stdout
    assert shown.startswith(f"http://{KEPLER}/physics/~dora/new.html lies in http://{KEPLER}/physics/~dora/\n")
    assert f"{KEPLER}: 12 sites, 169 pages fetched of 169 known; every known page was asked for." in shown
    for word in ("Anna's back-garden observatory", "names that begin with ~ below /physics/", "no opinion", "ecfc"):
        assert word in shown


def test_top_says_what_it_leaves_out(demo: str) -> None:
    assert "10 more sites are not listed" in sites(KEPLER, "--store", demo, "--top", "2").stdout
    (server,) = answer(KEPLER, "--store", demo, "--top", "2")["servers"]
    assert (len(server["sites"]), server["not_listed"]) == (2, 10)


def test_csv_has_a_line_for_each_site(demo: str) -> None:
    rows = list(csv.DictReader(io.StringIO(sites(KEPLER, "--store", demo, "--format", "csv").stdout)))
    assert [(row["site"], row["pages"]) for row in rows][:2] == [
        (f"http://{KEPLER}/", "44"),
        (f"http://{KEPLER}/~anna/", "14"),
    ]
    assert rows[1]["filter"] == "tilde"


def test_an_unknown_server_is_told_by_its_name(demo: str) -> None:
    ran = sites("www.geocities.co.jp", "nobody.example", "--store", demo)
    assert ran.returncode == 0
    assert "geocities.co.jp: the store knows nothing of it yet." in ran.stdout
    assert "geocities.co.jp is in the database: below / at level 3" in ran.stdout


def test_before_any_crawl_there_is_no_store_and_none_is_made(tmp_path: Path) -> None:
    ran = sites("geocities.co.jp")
    assert ran.returncode == 0
    assert "there is no store at" in ran.stderr
    assert not (tmp_path / "default.sqlite").exists()
    assert sites("geocities.co.jp", "--quiet").stderr == ""


def test_your_rules_hold_at_once(demo: str, tmp_path: Path) -> None:
    (tmp_path / "rules.tsv").write_text(f"{KEPLER}\t1\n")
    (tmp_path / "other.tsv").write_text(f"{KEPLER}/physics\t2\n")
    assert [site["rule"]["filter"] for site in answer(KEPLER, "--store", demo)["servers"][0]["sites"]] == ["rules"]
    found = answer(KEPLER, "--store", demo, "--rules", str(tmp_path / "other.tsv"))["servers"][0]["sites"]
    assert f"http://{KEPLER}/physics/" in {site["site"] for site in found}


def test_find_follows_your_rules(tmp_path: Path) -> None:
    (tmp_path / "rules.tsv").write_text(f"{KEPLER}\t1\n")
    command = [sys.executable, "-m", "ncf", "find", f"{KEPLER}/~anna/", "--replay", DEMO, "--format", "json", "--quiet"]
    found = json.loads(subprocess.run(command, capture_output=True, cwd=ROOT).stdout)
    assert {site["site"] for site in found["sites"] if site["server"] == KEPLER} == {f"http://{KEPLER}/"}
    ran = subprocess.run([*command, "--rules", str(tmp_path / "none.tsv")], capture_output=True, cwd=ROOT)
    assert f"http://{KEPLER}/~anna/" in {site["site"] for site in json.loads(ran.stdout)["sites"]}


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["not a host"], 2, "give a host such as example.org, or a URL"),
        (["ftp://h.example/"], 2, "only http and https"),
        ([], 2, "give a host or URL to explain, or --assign FILE"),
        (["h.example", "--assign", "-"], 2, "one of the two"),
        (["--assign", "-", "--format", "json"], 2, "no other --format"),
        (["--assign", "nosuch.txt"], 1, "nosuch.txt cannot be read: No such file"),
        (["h.example", "--store", "/nosuch/s.sqlite"], 1, "there is no store at"),
        (["h.example", "--replay", "nosuch.warc"], 1, "does not exist"),
        (["h.example", "--output", str(ROOT)], 1, "it is a folder"),
        (["h.example", "--rules", str(ROOT)], 1, "cannot be read"),
        (["h.example", "--top", "0"], 2, "top"),
    ],
)
def test_bad_input_is_one_clear_sentence(arguments: list[str], status: int, sentence: str) -> None:
    ran = sites(*arguments, "--quiet")
    assert ran.returncode == status, ran.stderr
    (complaint,) = ran.stderr.splitlines()
    assert complaint.startswith("ncf: ")
    assert sentence in complaint


def test_a_bad_line_of_your_rules_is_named(tmp_path: Path, demo: str) -> None:
    (tmp_path / "rules.tsv").write_text("# mine\nh.example 2\n")
    ran = sites(KEPLER, "--store", demo)
    assert ran.returncode == 1
    assert f"line 2 of {tmp_path / 'rules.tsv'} ('h.example 2') cannot be used: a tab" in ran.stderr


def test_titles_of_strangers_are_harmless(tmp_path: Path) -> None:
    """Neither a terminal nor a spreadsheet does what a title says."""
    body = "<title>=cmd|'x'\x1b[31m \u202e[/] [bold]</title>".encode()
    page = response("http://h.example/", body, "Content-Type: text/html; charset=utf-8")
    warc = str(save(tmp_path / "h.warc", page))
    for form in ("table", "json", "csv"):
        ran = sites("h.example", "--replay", warc, "--format", form)
        assert ran.returncode == 0, ran.stderr
        assert "cmd|" in ran.stdout
        assert not set(ran.stdout) & set("\x1b\u202e")
        assert form != "csv" or ",'=cmd" in ran.stdout


def test_assign_gives_every_line_its_site(demo: str, tmp_path: Path) -> None:
    given = (
        f"http://{KEPLER}/~anna/x?y\nhello\nh.example/users/ann/1\tmore\r\nh.example/users/bob/2\nh.example/users/cid/3"
    )
    expected = (
        f"http://{KEPLER}/~anna/x?y\thttp://{KEPLER}/~anna/\nhello\t\n"
        "h.example/users/ann/1\thttp://h.example/users/ann/\nh.example/users/bob/2\thttp://h.example/users/bob/\n"
        "h.example/users/cid/3\thttp://h.example/users/cid/\n"
    )
    ran = sites("--assign", "-", "--store", demo, given=given)
    assert (ran.returncode, ran.stdout) == (0, expected)
    assert "1 of the lines is no URL" in ran.stderr
    (tmp_path / "urls.txt").write_text(given)
    ran = sites(
        "--assign", str(tmp_path / "urls.txt"), "--store", demo, "--output", str(tmp_path / "out.tsv"), "--quiet"
    )
    assert (ran.stdout, ran.stderr) == ("", "")
    assert (tmp_path / "out.tsv").read_text() == expected


@pytest.mark.parametrize("given", [b"", b"\xff\xfe\x00http://\x1b[2J/\n", b"http://h.example/\x1b[2J\n"])
def test_assign_takes_any_bytes(given: bytes) -> None:
    ran = sites("--assign", "-", "--quiet", given=given)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == given.count(b"\n")
    assert "\x1b" not in ran.stdout


def test_assign_is_quick() -> None:
    """A fiftieth of a million lines, in a fiftieth of a generous time beyond what starting costs."""
    chance = random.Random(1)
    lines = [
        f"http://www.h{chance.randrange(100)}.example.org/users/u{chance.randrange(300)}/{n}.html"
        for n in range(20_000)
    ]
    started = time.monotonic()
    assert sites("--assign", "-", given="\n".join(lines)).stdout.count("\n") == 20_000
    assert time.monotonic() - started < 10
