"""Kill -9 at any moment: NCF_KILLS says how many; a hundred and more with `python -m tests.bench.kills`."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from tests.durability.kills import TASKS, killed
from tests.durability.sittings import undisturbed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.served import Served

KILLS = int(os.environ.get("NCF_KILLS", "12"))
SHARE = -(-KILLS // (len(TASKS) + 1))
CUTS = {
    "no budget binds": set[str](),
    "pages in all": {"max-pages"},
    "sites a step": {"sites-per-step"},
    "pages of a site": {"pages-per-site"},
    "all budgets": {"max-pages", "sites-per-step", "pages-per-site"},
}


@pytest.mark.parametrize("name", TASKS)
async def test_a_find_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(
    name: str, served: Served, tmp_path: Path
) -> None:
    """After every kill the store is whole, nothing that was in it goes or is asked for again, and the same command
    ends with the result of a run that nobody disturbed, whatever the budget and whoever answers first."""
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    print(await killed(served, TASKS[name], tmp_path, SHARE, random.Random(seed)))


async def test_kills_among_servers_in_trouble_change_nothing_either(served: Served, tmp_path: Path) -> None:
    """Pages that fail for good, or at first, fail the same for a run that was killed."""
    served.be_troubled()
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    print(await killed(served, TASKS["no budget binds"], tmp_path, SHARE, random.Random(seed)))


@pytest.mark.parametrize("budget", CUTS)
async def test_the_budgets_of_these_tests_bind(budget: str, served: Served, tmp_path: Path) -> None:
    """What is promised of shares is promised of budgets that cut something off."""
    found = await undisturbed(served, TASKS[budget], tmp_path)
    assert {cut["what"] for cut in found["cut"]} == CUTS[budget]
