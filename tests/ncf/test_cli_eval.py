"""`ncf eval sites` from the command line, on the demo web."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "data/demo/demo.warc.gz"
GOLD = """url\tuser_site\tneutral\tgroup
http://kepler-college.example/~anna/\tkepler-college.example/~anna\t\tone
http://kepler-college.example/~anna/log.html\tkepler-college.example/~anna\t\tone
http://kepler-college.example/physics/~dora/\tkepler-college.example/physics/~dora\t\tone
http://kepler-college.example/research/\t\t\tone
http://kepler-college.example/people.html\t\t1\tone
http://tetsudo.example/club/~sato/\ttetsudo.example/club/~sato\t\ttwo
http://tetsudo.example/\t\t\ttwo
"""


def ncf(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncf", "eval", "sites", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


@pytest.fixture
def gold(tmp_path: Path) -> str:
    path = tmp_path / "gold.tsv"
    path.write_text(GOLD)
    return str(path)


def test_json_has_every_figure(gold: str) -> None:
    ran = ncf("--replay", str(DEMO), "--gold", gold, "--choose", "--ablation", "--format", "json")
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert [trial["name"] for trial in found["trials"]] == ["with conventions", "by evidence alone"]
    for trial in found["trials"]:
        assert trial["all"]["exact"] == {"part": 4, "whole": 4, "share": 1.0}
        assert trial["all"]["split_off"] == {"part": 0, "whole": 2, "share": 0.0}
        assert trial["all"]["b_cubed"]["f1"] == pytest.approx(1)
        assert [server["server"] for server in trial["servers"]] == ["kepler-college.example", "tetsudo.example"]
    assert [one["group"] for one in found["chosen"]] == ["one", "two", None]
    assert found["held_back"]["server_error"]["whole"] == 2
    without_tilde = next(row for row in found["ablation"] if row["filter"] == "tilde")
    assert without_tilde["without"]["exact"]["part"] == 0


def test_table_csv_and_markdown(gold: str) -> None:
    table = ncf("--replay", str(DEMO), "--gold", gold)
    assert "kepler-college.example" in table.stdout
    assert "with conventions" in table.stdout
    rows = list(csv.DictReader(io.StringIO(ncf("--replay", str(DEMO), "--gold", gold, "--format", "csv").stdout)))
    assert [row["server"] for row in rows[:3]] == ["kepler-college.example", "tetsudo.example", ""]
    markdown = ncf("--replay", str(DEMO), "--gold", gold, "--format", "markdown", "--without", "tilde").stdout
    assert "|without tilde" in markdown


def test_a_list_of_urls(tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_text(
        "http://h.example/~a/x\nn 7 http://www.geocities.co.jp/Playtown-Denei/1722/src/SRC.html\n# no URL\n"
    )
    found = json.loads(ncf("--urls", str(path), "--format", "json").stdout)
    assert (found["pages"], found["tilde_pages"], found["tilde_right"]) == (2, 1, 1)
    assert {row["suffix"] for row in found["rows"]} == {"h.example", "geocities.co.jp"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "--gold"),
        (("--gold", "nosuch.tsv"), "cannot be read"),
        (("--urls", "nosuch.txt"), "cannot be read"),
        (("--gold", str(ROOT / "README.md")), "no table of gold sites"),
    ],
)
def test_what_is_missing_is_said(arguments: tuple[str, ...], sentence: str) -> None:
    ran = ncf(*arguments)
    assert ran.returncode == 2
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_unknown_filter_and_a_strange_gold_are_refused(gold: str, tmp_path: Path) -> None:
    ran = ncf("--replay", str(DEMO), "--gold", gold, "--without", "tidle")
    assert ran.returncode == 2
    assert "'tidle' is no filter; the filters are rules, suffixes, tilde" in ran.stderr
    other = tmp_path / "other.tsv"
    other.write_text("url\tuser_site\nhttp://nowhere.example/\t\n")
    assert "none of the labelled pages is there" in ncf("--replay", str(DEMO), "--gold", str(other)).stderr


def test_without_a_store_it_says_how_to_make_one(gold: str, tmp_path: Path) -> None:
    ran = ncf("--gold", gold, "--store", str(tmp_path / "none.sqlite"))
    assert ran.returncode == 1
    assert "there is no store" in ran.stderr


def test_gold_and_urls_are_two_questions(gold: str) -> None:
    ran = ncf("--gold", gold, "--urls", gold)
    assert ran.returncode == 2
    assert "two different questions" in ran.stderr
