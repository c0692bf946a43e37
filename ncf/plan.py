"""What a find would ask of whom, and how long it takes: said before anything is asked.

What the store has of the graph is walked through as a run would, asking nobody. Where it ends, the plan says how many
pages there can be at most; of what is not known at all yet it says what the budgets allow.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ncf.growth import Growth, Limits, Waiting


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One growth step."""

    step: int
    sites: int  # that would be asked for something; a server whose sites are not known counts as one
    servers: int
    pages: int  # at most
    seconds: float  # at most: one request at a time to a server, and the servers side by side
    known: bool  # whether these sites are known by name; else it is what the budgets allow


@dataclass(frozen=True, slots=True)
class Plan:
    """All steps, and what the store has already."""

    cached: int  # pages
    steps: tuple[PlanStep, ...]
    pages: int  # at most, in all
    seconds: float
    examples: tuple[str, ...] = ()  # servers that would be asked first, those with the most pages first

    @property
    def nothing(self) -> bool:
        """Whether the store has everything."""
        return not any(step.pages for step in self.steps)


def planned(growth_steps: int, limits: Limits, growth: Growth, delay: float) -> Plan:
    """Put a plan together from a graph that was grown offline."""
    waiting = growth.waiting()
    steps, spent, clock, open_end = list[PlanStep](), 0, 0.0, False
    for number in range(growth_steps + 1):
        left = growth_steps - number + 1
        pages = -(-(limits.max_pages - spent) // left)
        seconds = None if limits.minutes is None else (limits.minutes * 60 - clock) / left
        here = [one for one in waiting if one.hops == number]
        made = (
            _unknown(number, limits, (pages, seconds), delay)
            if open_end
            else _known(number, here, (pages, seconds), delay)
        )
        # Pages that nobody has seen yet lead to sites that nobody knows yet.
        open_end = open_end or made.pages > 0
        steps.append(made)
        spent, clock = spent + made.pages, clock + made.seconds
    busy = Counter({one.home.partition("/")[0]: 0 for one in waiting})
    for one in waiting:
        busy[one.home.partition("/")[0]] += one.cap - one.pages
    first = tuple(server for server, _ in sorted(busy.items(), key=lambda item: (-item[1], item[0]))[:5])
    return Plan(growth.stats.copies, tuple(steps), spent, clock, first)


def _known(number: int, waiting: Sequence[Waiting], share: tuple[int, float | None], delay: float) -> PlanStep:
    wanted = Counter[str]()
    for one in waiting:
        wanted[one.home.partition("/")[0]] += max(one.cap - one.pages, 0)
    pages = min(sum(wanted.values()), share[0])
    slowest = max(wanted.values(), default=0) * delay
    return PlanStep(number, len(waiting), len(wanted), pages, _within(slowest, share[1]), known=True)


def _unknown(number: int, limits: Limits, share: tuple[int, float | None], delay: float) -> PlanStep:
    sites = limits.sites_per_step
    pages = min(sites * limits.site_pages, share[0])
    return PlanStep(number, sites, sites, pages, _within(limits.site_pages * delay, share[1]), known=False)


def _within(seconds: float, share: float | None) -> float:
    return seconds if share is None else min(seconds, share)
