"""What `ncf eval sites` tells: the trials that were asked for, in frozen records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from filters import correction
from ncf.errors import UsageError
from ncf.evaluation import trials
from ncf.evaluation.gold import Kind
from ncf.evaluation.sites import Score, by_server, score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ncf.evaluation.sites import Placed
    from ncf.evaluation.trials import Choice, Ground

NOBODY = "none"  # what no filter decides is the administrator's


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted."""

    without: frozenset[str] | None = None  # None: the usual two trials
    ecfc: str = correction.RULES
    choose: bool = False
    ablation: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to set the filters up, and how it did."""

    name: str
    total: Score
    servers: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Thresholds chosen on some groups and reported on another, for every group, and all reports together."""

    choices: tuple[Choice, ...]
    pooled: Score | None  # None: there was nothing to hold back


@dataclass(frozen=True, slots=True)
class Missing:
    """What a filter decides, and how the others do without it."""

    filter: str  # empty: none is left out
    pages: int  # labelled pages that it decided
    servers: int  # on so many servers
    without: Score


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was asked for."""

    labelled: int
    neutral: int
    known: int  # labelled pages that the store has
    trials: tuple[Trial, ...]
    chosen: Chosen | None = None
    ablations: Mapping[str, tuple[Missing, ...]] = field(default_factory=dict)  # by trial


def report(ground: Ground, asked: Asked) -> Report:
    """Try the filters as asked; raises UsageError when a filter is not one."""
    names = [item.name for item in trials.Settings(frozenset()).chain().filters]
    unknown = sorted((asked.without or frozenset()) - {*names, correction.NAME})
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no filter; the filters are {', '.join(names)} and {correction.NAME}")
    if not ground.known:
        raise UsageError("none of the labelled pages is there: is this the recording, or the store, of that gold?")
    variants = trials.VARIANTS if asked.without is None else (_custom(asked.without),)
    base = [trials.Settings(variant.without, ecfc=asked.ecfc) for variant in variants]
    return Report(
        labelled=len(ground.labels),
        neutral=sum(label.kind is Kind.NEUTRAL for label in ground.labels),
        known=ground.known,
        trials=tuple(
            _trial(variant.name, ground.place(settings)) for variant, settings in zip(variants, base, strict=True)
        ),
        chosen=_chosen(trials.choose(ground, base[-1])) if asked.choose else None,
        ablations={
            variant.name: _ablation(ground, settings, names)
            for variant, settings in zip(variants, base, strict=True)
            if asked.ablation
        },
    )


def _custom(without: frozenset[str]) -> trials.Variant:
    return trials.Variant(f"without {', '.join(sorted(without))}" if without else "all filters", without)


def _trial(name: str, placed: Sequence[Placed]) -> Trial:
    return Trial(name, score(placed), by_server(placed))


def _chosen(choices: Sequence[Choice]) -> Chosen:
    held = [one for choice in choices if choice.group for one in choice.placed]
    return Chosen(tuple(choices), score(held) if held else None)


def _ablation(ground: Ground, base: trials.Settings, names: Sequence[str]) -> tuple[Missing, ...]:
    there = [name for name in (*names, correction.NAME) if name not in base.without]
    found = trials.ablate(ground, base, there)
    whole = found[""]
    pages = Counter(one.filter or NOBODY for one in whole)
    servers = Counter(decider for decider, _ in {(one.filter or NOBODY, one.server) for one in whole})
    return tuple(Missing(name, pages[name], servers[name], score(placed)) for name, placed in found.items())
