"""Every hostile case of the categories robots, redirect, ssrf and polite, with the real crawler, all at once."""

from __future__ import annotations

import asyncio
import json
import traceback

import pytest

from tests.crawler.hostile import addresses, politeness, redirects, robots
from tests.crawler.hostile.registry import CASES, NOT_APPLICABLE
from tests.support.shared import SHARED, needs_shared

CATEGORIES = {"robots", "redirect", "ssrf", "polite"}
ALONE = "po-restart"  # starts processes, which stops the clock of all others for a moment
MODULES = (addresses, politeness, redirects, robots)  # imported for the cases they register


async def _outcome(name: str) -> str:
    """What went wrong with a case; empty when it holds."""
    try:
        await CASES[name]()
    except BaseException:  # a failed assertion, or anything else, is the case's outcome
        return traceback.format_exc()
    return ""


async def _run_all() -> dict[str, str]:
    """The cases that measure gaps go apart: others' work would disturb the clock of the servers in this process."""
    outcomes: dict[str, str] = {}
    timed = [name for name in sorted(CASES) if name.startswith("po-") and name != ALONE]
    for names in (timed, [ALONE], [name for name in sorted(CASES) if not name.startswith("po-")]):
        outcomes |= dict(zip(names, await asyncio.gather(*map(_outcome, names)), strict=True))
    return outcomes


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """All cases, run side by side: most of their time is waiting."""
    return asyncio.run(_run_all())


@pytest.mark.parametrize("name", sorted(CASES))
def test_case_holds(name: str, outcomes: dict[str, str]) -> None:
    assert outcomes[name] == ""


def test_how_many_hold(outcomes: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Prints how many of the cases hold, and which do not."""
    held = [name for name, outcome in outcomes.items() if not outcome]
    with capsys.disabled():
        print(f"\nhostile cases: {len(held)} of {len(outcomes)} hold; not applicable: {len(NOT_APPLICABLE)}")
    assert sorted(held) == sorted(CASES)


@needs_shared
def test_no_case_is_left_out() -> None:
    """Every published case of our categories is run, or listed with the reason why it does not apply."""
    cases = json.loads((SHARED / "data/conformance/hostile_cases.json").read_text())["cases"]
    ours = {found["id"] for found in cases if found["category"] in CATEGORIES}
    assert ours <= set(CASES) | set(NOT_APPLICABLE)
