"""`ncf communities` on edge lists: forms, limits, remarks, hostile names and speed."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.testing import CliRunner

from ncf import cli_communities
from ncf.errors import NcfError
from tests.support.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

FRIENDS = "a\tb\nb\ta\nb\tc\nc\tb\na\tc\nc\ta\nc\td\nd\tc\nd\te\n"  # a, b and c; c and d; e links to nobody
APP = typer.Typer()


@APP.callback()
def _top() -> None:
    """The command is one of several."""


APP.command(epilog=cli_communities.EPILOG)(cli_communities.communities)


def communities(*arguments: str) -> Result:
    return CliRunner().invoke(APP, ["communities", *arguments])


def answer(*arguments: str) -> Any:
    ran = communities(*arguments, "--format", "json")
    assert ran.exit_code == 0, ran.stderr
    return json.loads(ran.stdout)


def refused(*arguments: str) -> str:
    ran = communities(*arguments)
    assert isinstance(ran.exception, NcfError)
    return str(ran.exception)


@pytest.fixture
def friends(tmp_path: Path) -> str:
    path = tmp_path / "friends.tsv"
    path.write_text(FRIENDS)
    return str(path)


def test_json_is_the_contracts(friends: str) -> None:
    """What the contract promises, and keys that are only added."""
    found = answer("--edges", friends)
    assert found == {
        "schema": 1,
        "method": "cliques",
        "complete": True,
        "cut": [],
        "communities": [{"size": 3, "sites": ["a", "b", "c"]}, {"size": 2, "sites": ["c", "d"]}],
        "not_listed": 0,
    }


def test_the_smallest_size_is_chosen(friends: str) -> None:
    assert [one["size"] for one in answer("--edges", friends, "--min-size", "3")["communities"]] == [3]
    assert answer("--edges", friends, "--min-size", "4")["communities"] == []
    assert communities("--edges", friends, "--min-size", "4").stdout == "no communities found\n"
    assert communities("--edges", friends, "--min-size", "1").exit_code == 2


def test_the_largest_come_first_and_then_by_name(tmp_path: Path) -> None:
    groups = [("y", "z"), ("b", "x"), ("p", "q", "r"), ("a", "z"), ("k", "l", "m")]
    path = tmp_path / "e.csv"
    path.write_text("".join(f"{a},{b}\n" for group in groups for a in group for b in group if a != b))
    found = [tuple(one["sites"]) for one in answer("--edges", str(path))["communities"]]
    assert found == sorted(groups, key=lambda group: (-len(group), group))


def test_the_table_is_for_people(friends: str) -> None:
    shown = communities("--edges", friends).stdout
    assert [line.split() for line in shown.splitlines() if line and "─" not in line] == [
        ["#", "size", "name"], ["1", "3", "a"], ["b"], ["c"], ["2", "2", "c"], ["d"],
        "2 communities among 4 names; 3 names in the largest.".split(),
    ]  # fmt: skip


def test_a_long_table_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("".join(f"a{n},b{n}\nb{n},a{n}\n" for n in range(40)))
    shown = communities("--edges", str(path)).stdout
    assert "40 communities among 80 names; 2 names in the largest.\n10 more are not listed; --top shows more." in shown
    assert "1 more is not listed" in communities("--edges", str(path), "--top", "39").stdout
    assert "not listed" not in communities("--edges", str(path), "--top", "40").stdout
    assert len(answer("--edges", str(path))["communities"]) == 40
    found = answer("--edges", str(path), "--top", "3")
    assert (len(found["communities"]), found["not_listed"], found["complete"]) == (3, 37, True)


def test_csv_has_a_row_for_each_site(friends: str) -> None:
    rows = list(csv.reader(io.StringIO(communities("--edges", friends, "--format", "csv").stdout)))
    assert rows == [
        ["community", "size", "site"],
        *(["1", "3", name] for name in "abc"),
        *(["2", "2", n] for n in "cd"),
    ]


def test_a_limit_is_said_in_every_form(friends: str) -> None:
    found = answer("--edges", friends, "--limit", "1")
    assert (found["complete"], len(found["communities"])) == (False, 1)
    (cut,) = found["cut"]
    assert cut == {"what": "limit", "detail": "the search ended at 1 communities; there are more"}
    sentence = f"Cut off by limit: {cut['detail']}\n"
    assert communities("--edges", friends, "--limit", "1").stdout.endswith(sentence)
    assert communities("--edges", friends, "--limit", "1", "--format", "csv").stderr == sentence
    assert communities("--edges", friends, "--limit", "1", "--format", "csv", "--quiet").stderr == ""
    assert answer("--edges", friends, "--limit", "2")["complete"]


def test_headers_gzip_and_commas(tmp_path: Path) -> None:
    path = tmp_path / "e.csv.gz"
    path.write_bytes(gzip.compress(b'target,source,weight\n"x, y",z,1\nz,"x, y",2\n'))
    assert answer("--edges", str(path))["communities"] == [{"size": 2, "sites": ["x, y", "z"]}]


def test_remarks_go_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_bytes(b"a,b\nb,a\nonly\ncaf\xe9,b\n")
    ran = communities("--edges", str(path), "--format", "json")
    assert [one["size"] for one in json.loads(ran.stdout)["communities"]] == [2]
    assert ran.stderr.splitlines() == [
        "1 line has fewer than two names and counts for nothing; it is line 3",
        "1 place is not UTF-8; \ufffd stands there instead",
    ]
    assert communities("--edges", str(path), "--quiet").stderr == ""


def test_names_of_strangers_are_harmless(tmp_path: Path) -> None:
    """Neither a terminal nor a spreadsheet does what a name says."""
    path = tmp_path / "e.csv"
    strange = "=cmd|'x'\x1b[31m\u202e[/][bold]"
    path.write_text(f'{strange},"two\nlines"\n"two\nlines",{strange}\n', "utf-8")
    for form in ("table", "json", "csv"):
        ran = communities("--edges", str(path), "--format", form)
        assert "[/][bold]" in ran.stdout
        assert not set(ran.stdout) & set("\x1b\u202e")
        assert form != "csv" or ",'=cmd" in ran.stdout
    assert answer("--edges", str(path))["communities"][0]["sites"] == [strange, "two\nlines"]


def test_the_result_goes_to_a_file(friends: str, tmp_path: Path) -> None:
    for form in ("table", "json", "csv"):
        ran = communities("--edges", friends, "--format", form, "--output", str(tmp_path / "out"))
        assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "", "")
        assert (tmp_path / "out").read_text() == communities("--edges", friends, "--format", form).stdout


def test_what_cannot_be_done_is_one_clear_sentence(friends: str, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    assert "empty.csv is empty" in refused("--edges", str(tmp_path / "empty.csv"))
    assert "none.csv cannot be read: No such file" in refused("--edges", str(tmp_path / "none.csv"))
    assert "it is a folder" in refused("--edges", friends, "--output", str(tmp_path))
    assert "leave out --store" in refused("--edges", friends, "--store", "s.sqlite")
    assert "leave out --store and --rules" in refused("--edges", friends, "--rules", "r.tsv")


def test_the_store_is_not_opened_for_an_edge_list(friends: str, tmp_path: Path) -> None:
    communities("--edges", friends)
    assert not (tmp_path / "default.sqlite").exists()


def test_networkx_is_not_needed_for_an_edge_list(friends: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a tenth of a second to start, and a graph in it many times the memory."""
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert communities("--edges", friends).exit_code == 0


@needs_shared
def test_the_friend_links_take_less_than_two_seconds() -> None:
    """From the file to the document, in the processor's time."""
    started = time.process_time()
    found = answer("--edges", str(SHARED / "data/friendlinks/edges_host.tsv"))
    assert time.process_time() - started < 2
    sizes = [one["size"] for one in found["communities"]]
    assert (len(sizes), found["complete"]) == (8_769, True)
    assert {size: sizes.count(size) for size in range(3, 13) if size in sizes} == {
        3: 1642, 4: 387, 5: 84, 6: 28, 7: 2, 12: 1,
    }  # fmt: skip
