"""A network that dies half-way, and servers that are dead from the beginning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ncf.store.copies import REST
from ncf.store.store import Store
from tests.durability.sittings import Witness, kept, key, noted, same, sit, undisturbed, whole
from tests.support.finder import Task
from tests.support.served import Served, pages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.fakeweb import Hit

DEAD = {"hearth.example", "etud.example", "redshank.example", "halden-foundry.example"}


class Cable:
    """Is pulled when so many requests were answered."""

    def __init__(self, served: Served, after: int) -> None:
        self._served = served
        self._left = after

    def __call__(self, hit: Hit) -> None:
        self._left -= 1
        if self._left == 0:
            self._served.go_down()


@pytest.mark.parametrize(
    ("after", "limits"),
    [(8, {}), (17, {}), (200, {}), (400, {}), (60, {"sites_per_step": 4}), (80, {"sites_per_step": 4})],
    ids=lambda given: str(given) if isinstance(given, int) else "sites" if given else "all",
)
async def test_a_network_that_dies_half_way_costs_nothing(
    after: int, limits: dict[str, int], served: Served, tmp_path: Path
) -> None:
    """The run says so and ends with what it has; when the network is back the same command goes on to the result of a
    run that nobody disturbed, and asks for nothing again that it was told."""
    task = Task({}, str(tmp_path / "store.sqlite"), limits=limits)
    expected = await undisturbed(served, task, tmp_path)
    witness = Witness(served, Path(task.store), task.connections)
    cut_off = await sit(served, task, tmp_path, watch=Cable(served, after))
    assert (cut_off.status, cut_off.said) == (0, "")
    assert witness.look(cut_off).result is None, "the run is not done"
    partial = noted(Path(task.store))
    told = {cut["what"]: cut["detail"] for cut in partial["cut"]}
    assert not partial["complete"]
    assert re.fullmatch(
        r"the network does not answer: (\d+ known pages were not asked for|the last pages could not be had)",
        told["network"],
    )
    assert sum(site["pages"] for site in partial["sites"]) >= after / 3, "what is there is in the result"

    await served.go_up()
    sitting = await sit(served, task, tmp_path)
    now = witness.look(sitting)
    assert (sitting.status, sitting.said, now.runs) == (0, "", 1)
    assert same(noted(Path(task.store)), expected)
    assert now.result is not None, "the run is done"


async def test_a_network_that_dies_at_every_sitting_is_outlived(served: Served, tmp_path: Path) -> None:
    """Each sitting goes on where the last one stood."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    expected = await undisturbed(served, task, tmp_path)
    witness = Witness(served, Path(task.store), task.connections)
    for _ in range(20):
        sitting = await sit(served, task, tmp_path, watch=Cable(served, 90))
        assert (sitting.status, sitting.said) == (0, "")
        witness.look(sitting)
        if not served.down:
            break
        await served.go_up()
    assert same(noted(Path(task.store)), expected)
    assert len(witness.sittings) > 3


async def test_a_network_that_dies_with_the_last_pages_costs_nothing(served: Served, tmp_path: Path) -> None:
    """A page or two look like servers in trouble: whether the run says that it is the network or takes itself for done,
    the same command asks for them again."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    expected = await undisturbed(served, task, tmp_path)
    witness = Witness(served, Path(task.store), task.connections)
    witness.look(await sit(served, task, tmp_path, watch=Cable(served, 452)))
    await served.go_up()
    witness.look(await sit(served, task, tmp_path))
    assert same(noted(Path(task.store)), expected)


async def test_without_any_network_the_seeds_cannot_be_used(served: Served, tmp_path: Path) -> None:
    """One sentence, and when the network is there the same command gives the undisturbed result."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    expected = await undisturbed(served, task, tmp_path)
    served.go_down()
    sitting = await sit(served, task, tmp_path)
    assert sitting.status == 1
    assert re.fullmatch(r"ncf: http://kepler-college\.example/~anna/ could not be used: .+\n", sitting.said)
    await served.go_up()
    found, _ = await whole(served, task, tmp_path)
    assert same(found, expected)


async def test_dead_hosts_among_living_ones_are_not_a_dead_network(served: Served, tmp_path: Path) -> None:
    """The living ones are crawled to the end, and the same ones each time."""
    served.dead = DEAD
    found, _ = await whole(served, Task({}, str(tmp_path / "a.sqlite")), tmp_path)
    again, _ = await whole(served, Task({}, str(tmp_path / "b.sqlite"), connections=3), tmp_path)
    assert found["cut"] == []
    assert len(found["sites"]) > 15
    assert not DEAD & {site["server"] for site in found["sites"]}
    assert same(again, found)


async def test_dead_hosts_that_come_back_are_asked_again(served: Served, tmp_path: Path) -> None:
    """After a rest the same command finds what it would have found, and asks nothing of the others."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    expected = await undisturbed(served, task, tmp_path)
    served.dead = DEAD
    await whole(served, task, tmp_path)
    before = kept(Path(task.store))
    with Store.open(Path(task.store)) as store, store.writing() as db:
        db.execute("UPDATE pages SET checked_at = checked_at - ?", (REST,))
    served.dead = set()
    found, sitting = await whole(served, task, tmp_path)
    assert same(found, expected)
    assert not [url for url in pages(served.asked(sitting.run)) if _held(url, before.pages)]


def _held(url: str, found: Mapping[str, tuple[tuple[object, ...], object]]) -> bool:
    return key(url) in found and not found[key(url)][0][2]
