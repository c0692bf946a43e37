"""One question, asked again and again of one store: what the second sitting asks for, and what it gives."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.durability.sittings import Witness, kept, noted, same, sit, undisturbed, whole
from tests.support.finder import Task
from tests.support.served import Served, pages

if TYPE_CHECKING:
    from collections.abc import Iterable

NIGHTSKY = "https://nightsky.example/"
MONTH = 31 * 86_400


def _groups(found: dict[str, Any]) -> set[tuple[str, ...]]:
    return {tuple(one["sites"]) for one in found["communities"]}


def _cuts(found: dict[str, Any]) -> set[str]:
    return {cut["what"] for cut in found["cut"]}


def _twice(asked: Iterable[str]) -> list[str]:
    met, found = set[str](), []
    for url in pages(asked):
        if url in met:
            found.append(url)
        met.add(url)
    return found


@pytest.mark.parametrize(
    "limits",
    [{}, {"site_pages": 6, "server_pages": 9}, {"site_pages": 6, "server_pages": 9, "sites_per_step": 1000}],
    ids=["no budget binds", "pages of a site", "pages of a site, and no limit of sites"],
)
async def test_the_second_identical_find_makes_no_request(
    limits: dict[str, int], served: Served, tmp_path: Path
) -> None:
    """The store has all of it, also where a site had more pages than it may have."""
    task = Task({}, str(tmp_path / "store.sqlite"), limits=limits)
    first, _ = await whole(served, task, tmp_path)
    count = len(served.hits)
    second, _ = await whole(served, task, tmp_path)
    assert len(served.hits) == count
    assert same(second, first)
    assert kept(Path(task.store)).runs == 2


@pytest.mark.parametrize("limits", [{"max_pages": 60}, {"sites_per_step": 5}, {"max_pages": 90, "sites_per_step": 6}])
async def test_sitting_after_sitting_goes_on_until_nothing_is_cut(
    limits: dict[str, int], served: Served, tmp_path: Path
) -> None:
    """No page is asked for twice, each sitting asks for something, and in the end every community is there that a run
    without the budget finds."""
    task = Task({}, str(tmp_path / "store.sqlite"), limits=limits)
    unlimited = await undisturbed(served, replace(task, limits={}), tmp_path)
    before = len(served.hits)
    for _ in range(40):
        count = len(served.hits)
        found, _ = await whole(served, task, tmp_path)
        if not found["cut"]:
            break
        assert _cuts(found) <= {"max-pages", "sites-per-step"}
        assert len(served.hits) > count, "what was cut off is gone on with"
    asked = [hit.url for hit in served.hits[before:]]
    assert not found["cut"]
    assert not _twice(asked)
    assert _groups(unlimited) <= _groups(found)


async def test_offline_asks_nothing_and_answers_as_the_run_before(served: Served, tmp_path: Path) -> None:
    """From the store alone: the same sites, links and communities."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    first, _ = await whole(served, task, tmp_path)
    count = len(served.hits)
    offline, _ = await whole(served, replace(task, offline=True), tmp_path)
    assert len(served.hits) == count
    assert same(offline | {"cut": []}, first | {"cut": []})


async def test_offline_on_a_store_that_lacks_pages_says_so(served: Served, tmp_path: Path) -> None:
    """What is not in the store is counted, and nobody is asked."""
    task = Task({}, str(tmp_path / "store.sqlite"), limits={"max_pages": 40})
    await whole(served, task, tmp_path)
    count = len(served.hits)
    offline, _ = await whole(served, replace(task, offline=True, limits={}), tmp_path)
    assert len(served.hits) == count
    assert "offline" in _cuts(offline)


async def test_a_second_process_on_a_store_says_that_another_one_writes_it(served: Served, tmp_path: Path) -> None:
    """At once and in one sentence, with the number of the process; the first one does not notice."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    expected = await undisturbed(served, task, tmp_path)
    begun = asyncio.Event()
    first = asyncio.create_task(sit(served, task, tmp_path, watch=lambda hit: begun.set()))
    await begun.wait()
    second = await sit(served, task, tmp_path)
    assert second.status == 1
    assert re.fullmatch(r"ncf: another run \(process \d+\) is writing to the store \S+: wait until .+\n", second.said)
    ended = await first
    assert (ended.status, ended.said) == (0, "")
    assert same(noted(Path(task.store)), expected)


@pytest.mark.parametrize("records", [1, 30, 250])
async def test_a_brake_gives_what_is_there_and_the_same_command_goes_on(
    records: int, served: Served, tmp_path: Path
) -> None:
    """Ctrl-C: a partial result that says so; then the result of a run that nobody stopped, nothing asked for twice."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    expected = await undisturbed(served, task, tmp_path)
    witness = Witness(served, Path(task.store), task.connections)
    stopped = await sit(served, replace(task, brake_after=records), tmp_path)
    assert (stopped.status, stopped.said) == (130, "")
    witness.look(stopped)
    partial = noted(Path(task.store))
    assert _cuts(partial) == {"stopped"}
    assert partial["sites"]
    sitting = await sit(served, task, tmp_path)
    assert (sitting.status, sitting.said) == (0, "")
    assert witness.look(sitting).runs == 1
    assert witness.tally.again <= task.connections, "at most what was on its way through redirects"
    assert same(noted(Path(task.store)), expected)


async def test_a_page_that_grew_old_is_asked_whether_it_changed(served: Served, tmp_path: Path) -> None:
    """With what its copy can be checked with; a page that did not change keeps its links, and all is as before."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    first, _ = await whole(served, task, tmp_path)
    before = kept(Path(task.store))
    _age(Path(task.store))
    second, _ = await whole(served, task, tmp_path)
    checked = [hit for hit in served.hits if "if-modified-since" in hit.headers]
    dated = [name for name, (row, _) in before.pages.items() if row[0]]
    assert len(checked) >= 0.9 * len(dated), "nearly all pages of the demo web have a date"
    assert same(second, first)
    now = kept(Path(task.store)).pages
    assert all(now[name][1] == before.pages[name][1] for name in dated), "the links are those of before"


def _age(store: Path) -> None:
    with sqlite3.connect(store) as db:
        db.execute("UPDATE pages SET checked_at = checked_at - ?", (MONTH,))
    db.close()


async def test_a_person_s_rule_moves_pages_and_nothing_is_fetched(served: Served, tmp_path: Path) -> None:
    """Evidence that comes late: the store's pages go where the rule says, at once."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    first, _ = await whole(served, task, tmp_path)
    assert [one["site"] for one in first["sites"] if one["site"].startswith(NIGHTSKY)] == [NIGHTSKY]
    count = len(served.hits)
    moved, _ = await whole(served, replace(task, offline=True, rules="nightsky.example\t2\n"), tmp_path)
    sites = {one["site"]: one["pages"] for one in moved["sites"] if one["site"].startswith(NIGHTSKY)}
    assert len(served.hits) == count
    assert sites.keys() == {NIGHTSKY, f"{NIGHTSKY}articles/"}
    assert sum(sites.values()) == sum(one["pages"] for one in first["sites"] if one["site"] == NIGHTSKY)
    back, _ = await whole(served, replace(task, offline=True), tmp_path)
    assert same(back | {"cut": []}, first | {"cut": []})


async def test_a_wider_question_asks_for_nothing_again(served: Served, tmp_path: Path) -> None:
    """What a step less had found is in the store; more pages of a server may divide it anew."""
    task = Task({}, str(tmp_path / "store.sqlite"), growth=1)
    _, sitting = await whole(served, task, tmp_path)
    found, wider = await whole(served, replace(task, growth=2), tmp_path)
    assert not _twice(served.asked(sitting.run, wider.run))
    assert same(found, await undisturbed(served, replace(task, growth=2), tmp_path))
