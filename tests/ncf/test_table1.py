"""The paper's table 1 on the demo web: for each seed, the communities and how many have to do with its topic."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crawler.recording.archive import Archive
from crawler.recording.replay import Replay
from crawler.settings import REPLAY
from ncf import find
from ncf.growth import Access
from ncf.inlinks import recording
from ncf.store.store import Store
from tests.support.demoweb import truth

if TYPE_CHECKING:
    from ncf.result import Result

DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"
RELATED = 0.9


async def found(seed: str, folder: Path, growth: int) -> Result:
    with Archive.open([DEMO]) as archive, Store.open(folder / "s.sqlite") as store:
        web = recording.name_of(archive)
        question = find.Question((seed,), growth)
        async with Replay(archive) as replayed:
            means = find.Means(store, Access(REPLAY, replayed), web=web)
            return await find.find(question, means)


@pytest.mark.parametrize("growth", [1, 2])
def test_the_communities_around_ten_seeds_have_to_do_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], growth: int
) -> None:
    """At least nine of ten, as the paper counts quality: one step away for every seed, two steps away in all.

    Two steps lead over the university and the portal, which link to each other. The table is printed.
    """
    rows = []
    for seed in truth.seeds():
        folder = tmp_path / seed.key
        folder.mkdir()
        result = asyncio.run(found(seed.url, folder, growth))
        related = [truth.is_related(seed.topic, community.sites) for community in result.communities]
        rows.append((seed.url, seed.topic, len(related), sum(related)))
    with capsys.disabled():
        print("\nseed | topic | communities | related")
        for row in rows:
            print(" | ".join(map(str, row)))
    assert len(rows) == 10
    assert all(number for *_, number, _ in rows)
    assert sum(good for *_, good in rows) / sum(number for *_, number, _ in rows) >= RELATED
    assert growth == 2 or all(good / number >= RELATED for *_, number, good in rows)
