"""Hostile cases by their ids. A case is a coroutine that asserts what the crawler does in front of a hostile server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Case = Callable[[], Awaitable[None]]
CASES: dict[str, Case] = {}

# Cases that do not apply, each with its reason.
NOT_APPLICABLE: dict[str, str] = {}


def case(name: str) -> Callable[[Case], Case]:
    """Register a case under its id in hostile_cases.json."""

    def register(function: Case) -> Case:
        assert name not in CASES, f"{name} is there twice"
        CASES[name] = function
        return function

    return register
