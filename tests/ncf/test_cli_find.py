"""`ncf find` as a person runs it: sittings, plans, budgets, hubs, a Ctrl-C, each in a process of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from crawler import urls
from tests.ncf.test_cli import DEMO, ROOT, SEED, answer, ncf, run_beside
from tests.support.fakeweb import FakeWeb, links

SAME = ("sites", "links", "communities", "aliases", "cut")


def communities(found: dict[str, Any]) -> list[list[str]]:
    return [sorted(map(urls.key, community["sites"])) for community in found["communities"]]


def same(found: dict[str, Any]) -> dict[str, Any]:
    return {key: found[key] for key in SAME}


def test_the_second_time_nothing_is_asked_for(tmp_path: Path) -> None:
    options = ("find", SEED, "--replay", str(DEMO), "--growth", "2", "--store", str(tmp_path / "s.sqlite"))
    first, second = answer(*options), answer(*options)
    assert same(first) == same(second)
    assert first["stats"]["requests"] > first["stats"]["fetched"] > 100
    assert (second["stats"]["requests"], second["stats"]["fetched"]) == (0, 0)
    assert second["stats"]["cached"] == first["stats"]["fetched"]


def test_offline_answers_from_the_store_alone(tmp_path: Path) -> None:
    options = ("find", SEED, "--replay", str(DEMO), "--store", str(tmp_path / "s.sqlite"))
    first = answer(*options)
    offline = answer(*options, "--offline")
    assert same(offline) == same(first)
    assert offline["stats"]["requests"] == 0


def test_offline_without_a_store_says_so(tmp_path: Path) -> None:
    ran = ncf("find", "http://a.example/", "--offline", "--store", str(tmp_path / "new.sqlite"))
    assert ran.returncode == 1
    assert "not in the store" in ran.stderr


def test_what_was_cut_off_goes_on_with_the_same_command(tmp_path: Path) -> None:
    """Sitting after sitting no page is fetched twice; in the end it is what an unlimited run finds."""
    store = str(tmp_path / "s.sqlite")
    options = ("find", SEED, "--replay", str(DEMO), "--growth", "1", "--max-pages", "60", "--store", store)
    whole = answer("find", SEED, "--replay", str(DEMO), "--growth", "1")
    fetched, found = 0, answer(*options)
    for _ in range(12):
        fetched += found["stats"]["fetched"]
        if not found["cut"]:
            break
        assert {cut["what"] for cut in found["cut"]} == {"max-pages"}
        found = answer(*options)
    assert same(found) == same(whole)
    assert fetched <= whole["stats"]["fetched"]


def test_a_plan_asks_nobody_and_leaves_nothing(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    ran = ncf("find", "http://a.example/", "--plan", "--growth", "2", "--store", str(store))
    assert ran.returncode == 0, ran.stderr
    assert "the seeds" in ran.stdout
    assert "300" in ran.stdout
    assert not store.exists()
    told = answer("find", "http://a.example/", "--plan", "--growth", "2", "--store", str(store))
    assert [step["step"] for step in told["steps"]] == [0, 1, 2]
    assert told["seconds"] <= 15 * 60
    assert told["pages"] <= 10_000


def test_a_plan_knows_what_is_there(tmp_path: Path) -> None:
    options = ("find", SEED, "--replay", str(DEMO), "--growth", "1", "--store", str(tmp_path / "s.sqlite"))
    answer(*options)
    assert "Nothing would be asked for" in ncf(*options, "--plan").stdout
    assert answer(*options[:-3], "2", *options[-2:], "--plan")["steps"][2]["sites"] > 3


def test_hubs_and_excluded_sites_are_seen_and_not_grown_through() -> None:
    found = answer("find", SEED, "--replay", str(DEMO), "--growth", "2", "--exclude", "nightsky.example")
    assert "http://google.com/" in [hub["site"] for hub in found["hubs"]]
    assert [one["site"] for one in found["excluded"]] == ["http://nightsky.example/"]
    assert not {site["server"] for site in found["sites"]} & {"google.com", "nightsky.example"}


def test_in_links_are_claims_that_are_checked() -> None:
    """They find more than links out of the graph do."""
    found = answer("find", SEED, "--replay", str(DEMO), "--growth", "2", "--inlinks", "recording")
    claims = found["claims"]
    assert claims["asked"] >= claims["checked"] >= claims["held"] > 0
    assert len(found["sites"]) > len(answer("find", SEED, "--replay", str(DEMO), "--growth", "2")["sites"])


def test_in_links_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    file.write_text(f"source,target\nhttp://tetsudo.example/~ken/,{SEED}\nsomething else,{SEED}\n")
    found = answer("find", SEED, "--replay", str(DEMO), "--inlinks", str(file))
    assert "http://tetsudo.example/~ken/" in {site["site"] for site in found["sites"]}
    assert found["claims"] == {"asked": 1, "checked": 1, "held": 0}


def test_csv_has_a_row_for_each_site_of_each_community() -> None:
    found = answer("find", SEED, "--replay", str(DEMO))
    rows = ncf("find", SEED, "--replay", str(DEMO), "--format", "csv").stdout.splitlines()
    assert len(rows) == 1 + sum(community["size"] for community in found["communities"])


def test_wrong_options_say_what_to_do() -> None:
    for options, sentence in (
        (("--inlinks", "altavista"), "there is no such source"),
        (("--inlinks", "recording"), "--replay"),
        (("--exclude", "?"), "--exclude"),
        (("--exclude", "a.example"), "leaves out the seed"),
        (("--fresh", "soon"), "30d or 12h"),
        (("--offline", "--record", "x.warc"), "--offline"),
    ):
        ran = ncf("find", "http://a.example/", *options)
        assert ran.returncode == 2, ran.stderr
        assert sentence in ran.stderr


async def stopped(web: FakeWeb, after: int, *arguments: str) -> tuple[int, str, str]:
    """A find that gets Ctrl-C after so many requests."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "ncf", *arguments, cwd=ROOT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    async with asyncio.timeout(30):
        while len(web.hits) < after:  # noqa: ASYNC110  # the fake Web has no event for a hit
            await asyncio.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode or 0, out.decode(), err.decode()


async def test_ctrl_c_shows_what_there_is_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """Exit status 130 with a result; then nothing is fetched twice, and the end is that of an undisturbed run."""
    async with FakeWeb() as web:
        home = f"http://127.0.0.1:{web.port}/~a/"
        web.routes = {home: links("0", "../~b/"), home.replace("~a", "~b"): links("../~a/")}
        web.routes |= {f"{home}{n}": links(str(n + 1)) for n in range(60)}
        options = ("find", home, "--allow-private", "--delay", "0.03", "--format", "json")
        store = ("--store", str(tmp_path / "s.sqlite"))
        status, out, err = await stopped(web, 12, *options, *store)
        partial = json.loads(out)
        assert status == 130
        assert "finishing the pages in hand" in err
        assert "stopped" in {cut["what"] for cut in partial["cut"]}
        assert 1 <= partial["stats"]["fetched"] < 60
        _, out, _ = await run_beside(web, *options, *store)
        assert len(web.pages()) == len(set(web.pages()))
        undisturbed = json.loads((await run_beside(web, *options, "--store", str(tmp_path / "o.sqlite")))[1])
        assert same(json.loads(out)) == same(undisturbed)


def test_a_recording_is_whole_although_the_store_has_the_pages(tmp_path: Path) -> None:
    """What is recorded is asked for anew, so that a replay finds what the run found, by whatever name it asked."""
    warc = str(tmp_path / "again.warc.gz")
    store = ("--store", str(tmp_path / "s.sqlite"))
    first = answer("find", SEED, "--replay", str(DEMO), *store)
    answer("find", SEED, "--replay", str(DEMO), *store, "--record", warc)
    again = answer("find", SEED, "--replay", warc, "--store", str(tmp_path / "o.sqlite"))
    assert again["stats"]["fetched"] == first["stats"]["fetched"]
    assert communities(again) == communities(first)


def test_a_replay_into_a_store_of_live_pages_is_told(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.sqlite"))
    assert ncf("import", str(DEMO), *store).returncode == 0
    assert "pages of the live Web" in ncf("find", SEED, "--replay", str(DEMO), *store).stderr


def test_runs_show_a_result_again(tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.sqlite"))
    first = ncf("find", SEED, "--replay", str(DEMO), "--format", "json", *store).stdout
    assert ncf("runs", "1", "--format", "json", *store).stdout == first
    assert "Anna" in ncf("runs", "1", *store).stdout
