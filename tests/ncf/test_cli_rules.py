"""`ncf rules` as a person runs it: real processes, a real file, a store that holds the demo web."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from filters.base import Rule
from filters.learned import Lesson
from ncf import recorded
from ncf.store.lessons import learn
from ncf.store.store import Store

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "data/demo/demo.warc.gz"
KEPLER = "kepler-college.example"


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rules file of these tests, in a folder that is not there yet."""
    found = tmp_path / "config" / "rules.tsv"
    monkeypatch.setenv("NCF_RULES", str(found))
    return found


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of the person who runs the command: it holds the demo web."""
    found = tmp_path / "demo.sqlite"
    with Store.open(found) as store:
        recorded.load(store, [DEMO])
    monkeypatch.setenv("NCF_STORE", str(found))
    return found


def rules(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ncf", "rules", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ,
        timeout=60,
    )


def answer(*arguments: str) -> Any:
    ran = rules(*arguments, "--format", "json")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_a_rule_is_added_shown_checked_and_removed(demo: Path, path: Path) -> None:
    """The whole life of a rule. Nothing else has to be run for it to hold."""
    ran = rules("add", f"www.{KEPLER}/physics/", "2", "--note", "all of\tphysics")
    assert ran.returncode == 0, ran.stderr
    assert f"{KEPLER}/physics, level 2 (all of physics): added to {path}." in ran.stdout
    assert "33 pages of 1 server move to another site: 12 sites before, 10 after." in ran.stdout
    assert path.read_text().endswith(f"\n{KEPLER}/physics\t2\tall of physics\n")
    listed = answer("list")
    assert listed["file"] == str(path)
    assert listed["rules"] == [
        {"pattern": f"{KEPLER}/physics", "level": 2, "apart": False, "same": None, "note": "all of physics", "line": 3}
    ]
    (checked,) = answer("check")["rules"]
    assert (checked["servers"], checked["pages"], checked["sites"]) == (1, 33, 1)
    removed = answer("remove", f"{KEPLER}/physics")
    assert (removed["action"], removed["written"], removed["moved"]) == ("remove", True, 33)
    assert KEPLER not in path.read_text()


def test_a_preview_tells_which_pages_go_where(demo: Path, path: Path) -> None:
    ran = rules("check", KEPLER, "1")
    assert "it can be added; nothing was written." in ran.stdout
    assert "125 pages of 1 server would move to another site: 12 sites before, 1 after." in ran.stdout
    dora = f"http://{KEPLER}/physics/~dora/"
    assert f"{dora}: {dora} → http://{KEPLER}/" in " ".join(ran.stdout.split())
    found = answer("add", KEPLER, "1", "--dry-run")
    assert (found["written"], found["servers"], found["sites_before"], found["sites_after"]) == (False, 1, 12, 1)
    assert {"server", "pages", "moved", "sites_before", "sites_after", "examples"} == set(found["changes"][0])
    assert len(found["changes"][0]["examples"]) == 3
    rows = list(csv.DictReader(io.StringIO(rules("check", KEPLER, "1", "--format", "csv").stdout)))
    assert [row["moved"] for row in rows] == ["125", "125", "125"]
    assert not path.exists()


def test_many_servers_are_summed_up(tmp_path: Path) -> None:
    """The largest ten are shown, the others counted; the document has them all."""
    from tests.ncf.test_store import fetched

    with Store.open(tmp_path / "default.sqlite") as store:
        for number in range(12):
            for page in range(number + 1):
                store.keep(fetched(f"http://s{number}.many.example/~u/{page}"))
    shown = rules("check", ".many.example", "1").stdout
    assert "and 2 more servers" in shown
    assert shown.index("s11.many.example") < shown.index("s10.many.example")
    assert "s0.many.example" not in shown
    assert len(answer("check", ".many.example", "1")["changes"]) == 12


def test_the_same_pattern_twice_is_told_and_can_be_replaced(demo: Path, path: Path) -> None:
    rules("add", "h.example", "1", "--note", "mine")
    path.write_text("# mine\n" + path.read_text() + "# end\n")
    ran = rules("add", "H.example", "2")
    assert ran.returncode == 1
    assert "h.example stands on line 4" in ran.stderr
    assert "with level 1 (mine); --replace puts level 2 in its place" in ran.stderr
    assert answer("add", "H.example", "2", "--replace")["action"] == "replace"
    assert path.read_text().startswith("# mine\n")
    assert path.read_text().endswith("\nh.example\t2\n# end\n")


def test_names_of_servers(demo: Path, path: Path) -> None:
    assert answer("add", "postcards.example", f"={KEPLER}")["moved"] == 12
    ran = rules("add", KEPLER, "=postcards.example")
    assert ran.returncode == 1
    assert "names of servers must not form a circle" in ran.stderr
    assert answer("add", "tetsudo.example", "apart")["moved"] == 0
    assert [(rule["same"], rule["apart"]) for rule in answer("list")["rules"]] == [(KEPLER, False), (None, True)]


def test_what_is_not_stored_yet_is_said(demo: Path) -> None:
    assert "The store holds no server that it speaks of" in rules("add", "nobody.example", "2").stdout
    assert "1 rule decides no stored page." in rules("check").stdout


def test_all_lists_what_the_store_learned(demo: Path) -> None:
    with Store.open(demo) as store:
        learn(store, {KEPLER: Lesson(13, (Rule("/homes/", 3, "backlinks", "many stand there"),))})
    rules("add", "h.example", "1")
    assert "learned" not in answer("list")
    assert answer("list", "--all")["learned"] == [
        {
            "server": KEPLER,
            "pages": 13,
            "prefix": "/homes/",
            "level": 3,
            "filter": "backlinks",
            "reason": "many stand there",
        }
    ]
    rows = list(csv.DictReader(io.StringIO(rules("list", "--all", "--format", "csv").stdout)))
    assert [(row["origin"], row["pattern"]) for row in rows] == [
        ("yours", "h.example"),
        ("learned", f"{KEPLER}/homes/"),
    ]


def test_without_rules_and_store_every_command_has_an_answer(tmp_path: Path, path: Path) -> None:
    for arguments in (["list"], ["list", "--all"], ["check"]):
        ran = rules(*arguments)
        assert (ran.returncode, f"There are no rules of yours in {path}" in ran.stdout) == (0, True)
    assert answer("add", "h.example", "1", "--quiet")["written"] is True
    assert not (tmp_path / "default.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["add", "com", "2"], 2, "com is a public suffix, never a site"),
        (["add", "github.io", "1"], 2, "write .github.io to speak of the hosts below it"),
        (["add", "h.example/a/b", "2"], 2, "/a/b/ itself stands at level 3"),
        (["add", "", "2"], 2, "does not begin with a host name"),
        (["add", "h.example", "much"], 2, "not a number from 1 to 99, `apart` or `=host`"),
        (["add", "h.example/*/x", "3"], 2, "a star may stand only at the end"),
        (["add", "h.example", "=h.example"], 2, "another name of itself"),
        (["add", "h.example"], 2, "LEVEL"),
        (["check", "h.example"], 2, "give a level too"),
        (["remove", "h.example"], 1, "`ncf rules list` shows those that are there"),
        (["list", "--rules", str(ROOT)], 1, "cannot be read"),
        (["add", "h.example", "1", "--rules", "/dev/null/rules.tsv"], 1, "cannot be"),
        (["check", "--all"], 2, "--all"),
    ],
)
def test_bad_input_is_one_clear_sentence(arguments: list[str], status: int, sentence: str) -> None:
    ran = rules(*arguments)
    assert ran.returncode == status, ran.stderr
    (complaint,) = [line for line in ran.stderr.splitlines() if line.startswith("ncf: ")]
    assert sentence in complaint
    assert "Traceback" not in ran.stderr


def test_check_names_every_bad_line(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("com\t1\nh.example\t1\nx y\n")
    ran = rules("check")
    assert ran.returncode == 1
    assert [line.split(" of ")[0] for line in ran.stderr.splitlines()] == ["ncf: line 1", "ncf: line 3"]


def test_a_bad_file_is_not_made_worse(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("com\t1\n")
    assert rules("add", "h.example", "1").returncode == 1
    assert path.read_text() == "com\t1\n"
