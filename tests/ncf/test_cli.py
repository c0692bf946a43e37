"""The commands as a person runs them: real processes, real files, the recorded demo web and a local server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ncf.store.store import Store
from tests.support.fakeweb import FakeWeb, Reply, links
from tests.support.warcs import response, save

ROOT = Path(__file__).resolve().parents[2]
HTML = "Content-Type: text/html"
DEMO = ROOT / "data/demo/demo.warc.gz"
SEED = "http://kepler-college.example/~anna/"
HEAVY = {"aiohttp", "networkx", "numpy", "sqlite_utils", "tldextract", "selectolax", "warcio", "trustme"}


def ncf(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ncf", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        timeout=120,
    )


def answer(*arguments: str) -> Any:
    ran = ncf(*arguments, "--format", "json")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def planned() -> set[frozenset[str]]:
    """The communities of the demo web, by construction."""
    rows = (ROOT / "data/demo/communities.tsv").read_text("utf-8").splitlines()[1:]
    return {frozenset(row.partition("\t")[2].split()) for row in rows}


def test_the_demo_finds_its_communities() -> None:
    """Whole ones, and a third of all: the others lie more than two links away."""
    found = answer("demo")
    assert {frozenset(community["sites"]) for community in found["communities"]} <= planned()
    assert [community["rank"] for community in found["communities"]] == list(range(1, 20))
    assert found["complete"] is True
    assert found["stats"]["refused_by_robots"] == 1


def test_json_has_every_key_of_the_contract() -> None:
    found = answer("demo")
    assert set(found) == set(
        "schema run seeds growth method complete cut sites aliases links communities similar claims stats"
        " hubs excluded seed_failures".split()
    )
    assert set(found["sites"][0]) == {"site", "server", "title", "pages", "hops", "rule"}
    assert set(found["sites"][0]["rule"]) == {"prefix", "level", "filter", "reason"}
    assert set(found["links"][0]) == {"source", "target", "count", "mutual", "evidence"}
    assert set(found["communities"][0]) == {"rank", "size", "sites", "seeds", "score", "one_owner"}


def test_the_demo_as_a_table_is_the_readmes() -> None:
    """Word for word, but for the seconds that it took."""

    def told(text: str) -> list[str]:
        return [line.rpartition(",")[0] if line.endswith(" s.") else line for line in text.splitlines()]

    ran = ncf("demo", "--top", "2")
    assert ran.returncode == 0
    _, _, shown = (ROOT / "README.md").read_text("utf-8").partition("$ ncf demo --top 2\n")
    assert told(shown.partition("```")[0]) == told(ran.stdout)


def test_growth_widens_the_graph() -> None:
    sizes = [len(answer("find", SEED, "--replay", str(DEMO), "--growth", str(n))["sites"]) for n in (0, 1, 2)]
    assert sizes[0] == 1
    assert sizes[0] < sizes[1] < sizes[2]


def test_what_was_learned_takes_nothing_away(tmp_path: Path) -> None:
    """Sites that filters 5 and 6 found are there again in a second run on the same store."""
    names = [f"{letter}horn" for letter in "abcdefghij"]
    pages = [response("http://h.example/", links(*(f"/crew/{name}/" for name in names), "/missing").encode(), HTML)]
    for name in names:
        home = f"http://h.example/crew/{name}/"
        pages += [response(home, links("cv.html", "/").encode(), HTML)]
        pages += [response(f"{home}cv.html", links("./").encode(), HTML)]
        pages += [response(f"{home}more.html", b"more", HTML)]
    warc = save(tmp_path / "h.warc.gz", *pages)
    options = ("--replay", str(warc), "--store", str(tmp_path / "s.sqlite"), "--growth", "0")
    first, second = (answer("find", "http://h.example/", *options) for _ in range(2))
    assert len(first["sites"]) == 11
    assert {key: first[key] for key in ("sites", "links", "communities")} == {
        key: second[key] for key in ("sites", "links", "communities")
    }


def test_what_a_budget_cuts_is_said(tmp_path: Path) -> None:
    ran = ncf("find", SEED, "--replay", str(DEMO), "--max-pages", "3", "--strict", "--format", "json")
    found = json.loads(ran.stdout)
    assert ran.returncode == 3
    assert found["complete"] is False
    assert {cut["what"] for cut in found["cut"]} >= {"max-pages"}


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["find", "not a url"], 2, "is not a URL"),
        (["find", "ftp://h.example/"], 2, "only http and https"),
        (["crawl", "file:///etc/passwd"], 2, "only http and https"),
        (["crawl", "http://nosuch.invalid/"], 1, "no server of that name"),
        (["find", "http://127.0.0.1:8000/"], 1, "private or special address"),
        (["find", "http://nosuch.example/", "--replay", str(DEMO)], 1, "no server of that name"),
        (["find", SEED, "--replay", "nosuch.warc"], 1, "does not exist"),
        (["find", SEED, "--replay", str(ROOT / "README.md")], 1, "is not a WARC file"),
        (["find", SEED, "--replay", str(DEMO), "--output", str(ROOT)], 1, "it is a folder"),
        (["crawl", SEED, "--replay", str(DEMO), "--record", str(ROOT)], 1, "it is a folder"),
        (["find", SEED, "--replay", str(DEMO), "--store", str(ROOT)], 1, "it is a folder"),
        (["find", SEED, "--replay", str(DEMO), "--growth", "many"], 2, "growth"),
        (["find", SEED, "--replay", str(DEMO), "--contact", "a\nb"], 1, "contact"),
        (["find"], 2, "URL"),
        (["fnd"], 2, "No such command"),
    ],
)
def test_bad_input_is_one_clear_sentence(arguments: list[str], status: int, sentence: str) -> None:
    ran = ncf(*arguments)
    assert ran.returncode == status, ran.stderr
    complaints = [line for line in ran.stderr.splitlines() if line.startswith("ncf: ")]
    assert len(complaints) == 1
    assert sentence in complaints[0]
    assert "Traceback" not in ran.stderr


async def run_beside(web: FakeWeb, *arguments: str) -> tuple[int, str, str]:
    """A command, while this process serves the web."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ncf", *arguments, cwd=ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.parametrize(
    ("body", "sentence"),
    [("", "it is empty"), (bytes(500), "not an HTML page")],
)
async def test_a_useless_seed_says_why(body: str | bytes, sentence: str) -> None:
    async with FakeWeb() as web:
        start = f"http://127.0.0.1:{web.port}/"
        web.routes[start] = Reply(body)
        status, _, err = await run_beside(web, "find", start, "--allow-private", "--delay", "0")
    assert status == 1
    assert sentence in err


async def test_record_then_replay_gives_the_same_crawl(tmp_path: Path) -> None:
    """--allow-private is said; hosts that are IP addresses cannot be replayed, and that is said too."""
    async with FakeWeb() as web:
        start = f"http://127.0.0.1:{web.port}/"
        web.routes = {start: links("/a", "/b"), f"{start}a": "a", f"{start}b": "b"}
        warc = str(tmp_path / "c.warc.gz")
        status, out, err = await run_beside(
            web, "crawl", start, "--allow-private", "--delay", "0", "--record", warc, "--format", "json"
        )
    assert status == 0, err
    assert json.loads(out)["stats"]["fetched"] == 3
    assert "private" in err.lower()


async def test_ctrl_c_is_clean_and_keeps_what_there_is(tmp_path: Path) -> None:
    async with FakeWeb() as web:
        start = f"http://127.0.0.1:{web.port}/"
        web.routes = {start: links("/0"), **{f"{start}{n}": links(f"/{n + 1}") for n in range(1000)}}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "ncf", "crawl", start, "--allow-private", "--delay", "0.05",
            "--store", str(tmp_path / "s.sqlite"), cwd=ROOT,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(30):
            while len(web.hits) < 8:  # noqa: ASYNC110  # the fake Web has no event for a hit
                await asyncio.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 130
    assert "Traceback" not in err.decode()
    with Store.open(tmp_path / "s.sqlite") as store:
        assert store.counts()[0] >= 5


HOSTILE = "<title>\x1b[31mred\x1b]0;owned\x07 [/] [bold]x[/italic] \u202eevil\x9b1m</title>"


async def test_hostile_titles_do_not_reach_the_terminal() -> None:
    async with FakeWeb() as web:
        start = f"http://127.0.0.1:{web.port}/~a/"
        other = f"http://127.0.0.1:{web.port}/~b/"
        web.routes = {start: HOSTILE + links(other), other: HOSTILE + links(start)}
        for form in ("table", "json"):
            status, out, err = await run_beside(
                web, "find", start, "--allow-private", "--delay", "0", "--format", form, "--verbose"
            )
            assert status == 0, err
            assert "~b/" in out
            assert not set(out + err) & set("\x1b\x07\x9b\u202e")


def test_help_is_light() -> None:
    """--help loads none of the heavy libraries."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ncf", "find", "--help"], capture_output=True, text=True, cwd=ROOT
    )
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in ran.stderr.splitlines()}
    assert "typer" in loaded
    assert not HEAVY & loaded


def test_quiet_is_quiet() -> None:
    ran = ncf("demo", "--quiet")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_reader_that_leaves_is_no_trouble() -> None:
    ran = subprocess.run(
        f"{sys.executable} -m ncf demo --format json | head -c 10", shell=True, capture_output=True, text=True, cwd=ROOT
    )
    assert "Traceback" not in ran.stderr
