"""Finds that are killed again and again, under budgets that bind and without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.durability.sittings import Moment, Tally, same, through_kills, whole
from tests.support.finder import Task

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.support.served import Served

LONELY = "http://kepler-college.example/~anna/drawer/lonely.html"  # a page that leads nowhere
TASKS = {
    "no budget binds": Task({}, ""),
    "pages in all": Task({}, "", limits={"max_pages": 150}),
    "sites a step": Task({}, "", limits={"sites_per_step": 4}),
    "pages of a site": Task({}, "", limits={"site_pages": 6, "server_pages": 9}),
    "all budgets": Task({}, "", limits={"max_pages": 100, "sites_per_step": 9, "site_pages": 9, "server_pages": 14}),
    "a seed that leads nowhere": Task({}, "", seeds=(LONELY,), limits={"site_pages": 30, "server_pages": 30}),
}


async def killed(served: Served, task: Task, folder: Path, kills: int, chance: random.Random) -> Tally:
    """Kill finds until there were so many kills; each must end as the one that nobody disturbed."""
    served.routes[LONELY] = "<title>Alone</title>"
    undisturbed, sitting = await whole(served, replace(task, store=str(folder / "whole.sqlite")), folder)
    asked = len(served.asked(sitting.run))
    tally = Tally()
    while tally.kills < kills:
        store = folder / f"find{tally.finds}.sqlite"
        moments = (Moment.draw(chance, sitting.seconds, asked) for _ in range(kills - tally.kills))
        found, cost = await through_kills(served, replace(task, store=str(store)), folder, moments)
        assert same(found, undisturbed)
        tally.add(cost)
    return tally
