"""The filters tried on labelled pages: as they are, without one of them, and with thresholds chosen on other data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from crawler import urls
from filters import chain, correction
from ncf import knowledge
from ncf.aliases import Aliases
from ncf.evaluation.sites import Placed, Score, place, score
from ncf.sites import Site
from ncf.store.views import server_view

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from filters.base import ServerView
    from filters.chain import Chain
    from filters.layout import Layout
    from ncf.evaluation.gold import Label
    from ncf.store.store import Store

# What a person or a list has told is not what the filters find out: it is left out of every trial.
TOLD = frozenset(("rules", "suffixes", "learned"))
# Thresholds that are tried when they are chosen on data; the papers leave them open.
GRID: Mapping[str, Sequence[float]] = {
    "siblings": (4, 5, 6, 8, 10, 12),
    "backlinks": (2, 3, 4, 6),
    "kinship": (0.05, 0.1, 0.15),
    "topical": (0.2, 0.3, 0.4),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """The filters, some of them left out."""

    name: str
    without: frozenset[str]


VARIANTS = (
    Variant("with conventions", TOLD),
    Variant("by evidence alone", TOLD | {"conventions", "organisations"}),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """One way to set the filters up."""

    without: frozenset[str] = TOLD
    limits: chain.Limits = chain.Limits()
    ecfc: str = correction.RULES

    def chain(self) -> Chain:
        """The filters, set up so."""
        return knowledge.filters(without=self.without, limits=self.limits, ecfc=self.ecfc)


class Ground:
    """Labelled pages, and what a store knows of their servers: read once, judged many times."""

    def __init__(
        self,
        store: Store,
        labels: Iterable[Label],
        aliases: Aliases = Aliases(),
        watch: Callable[[int, int], None] | None = None,
    ) -> None:
        self.labels = tuple(labels)
        self._aliases = aliases
        names = sorted({aliases.server(label.server) for label in self.labels})
        self._views: dict[str, ServerView] = {}
        for number, name in enumerate(names, 1):
            self._views[name] = server_view(store, name, aliases.names(name))
            if watch:
                watch(number, len(names))

    @property
    def known(self) -> int:
        """How many of the labelled pages are there."""
        return sum(self._has(label) for label in self.labels)

    def _has(self, label: Label) -> bool:
        seen = self._views[self._aliases.server(label.server)]
        return urls.split(label.url).path in set(seen.paths)

    def place(self, settings: Settings) -> list[Placed]:
        """Put every labelled page into its site."""
        filters = settings.chain()
        return self._place({name: chain.decide(seen, filters) for name, seen in self._views.items()})

    def place_all(self, many: Sequence[Settings]) -> list[list[Placed]]:
        """The same for many settings; server by server, because what the links say is counted once for each."""
        chains = [settings.chain() for settings in many]
        layouts: list[dict[str, Layout]] = [{} for _ in many]
        for name, seen in self._views.items():
            for number, filters in enumerate(chains):
                layouts[number][name] = chain.decide(seen, filters)
        return [self._place(found) for found in layouts]

    def _place(self, layouts: Mapping[str, Layout]) -> list[Placed]:
        def site(url: str) -> Site:
            server = self._aliases.server(urls.server(url))
            prefix, rule = layouts[server].site(urls.split(url).path)
            return self._aliases.site(Site(server, prefix, rule))

        return place(self.labels, site, self._aliases.server)


@dataclass(frozen=True, slots=True)
class Choice:
    """Thresholds that were chosen on some groups, and how they do on another."""

    group: str  # the one they were not chosen on; empty: on all
    limits: chain.Limits
    score: Score
    placed: tuple[Placed, ...]


def grid(base: Settings) -> list[Settings]:
    """Every combination of the thresholds that are tried."""
    found = []
    for siblings, few, kinship, topical in product(*GRID.values()):
        limits = chain.Limits(
            replace(base.limits.components, kinship=kinship, topical=topical),
            replace(base.limits.backlinks, siblings=int(siblings), backlinks=few, kinship=kinship, topical=topical),
        )
        found.append(replace(base, limits=limits))
    return found


def choose(ground: Ground, base: Settings) -> list[Choice]:
    """For each group of the gold: thresholds chosen on the others, reported on it; at last, chosen on all."""
    tried = grid(base)
    placed = ground.place_all(tried)
    groups = sorted({label.group for label in ground.labels if label.group})
    return [_choice(group, tried, placed) for group in (*(groups if len(groups) > 1 else ()), "")]


def _choice(group: str, tried: Sequence[Settings], placed: Sequence[Sequence[Placed]]) -> Choice:
    losses = [_loss(score([one for one in all_ if not group or one.label.group != group])) for all_ in placed]
    best = min(losses)
    equal = [number for number, loss in enumerate(losses) if loss == best]
    number = _middle(equal)
    reported = [one for one in placed[number] if not group or one.label.group == group]
    return Choice(group, tried[number].limits, score(reported), tuple(reported))


def _loss(found: Score) -> float:
    """What a wrong page of a user, a wrong page of an administrator and a wrong server cost: their shares, added."""
    users = found.users.value
    wrong = 1 - users if users is not None else 0.0
    return round(wrong + (found.split_off.value or 0.0) + (found.servers.value or 0.0), 9)


def _middle(equal: Sequence[int]) -> int:
    """Of settings that do equally well, the one nearest to the middle of them all: furthest from doing worse."""
    ranks = list(product(*(range(len(values)) for values in GRID.values())))
    centre = [sum(ranks[number][axis] for number in equal) / len(equal) for axis in range(len(GRID))]
    spans = [max(len(values) - 1, 1) for values in GRID.values()]

    def distance(number: int) -> tuple[float, int]:
        steps = zip(ranks[number], centre, spans, strict=True)
        return sum(((rank - middle) / span) ** 2 for rank, middle, span in steps), number

    return min(equal, key=distance)


def ablate(ground: Ground, base: Settings, names: Collection[str]) -> dict[str, list[Placed]]:
    """The pages' sites with all filters (empty name), and without each."""
    names = ("", *names)
    settings = [_lacking(base, name) for name in names]
    return dict(zip(names, ground.place_all(settings), strict=True))


def _lacking(base: Settings, name: str) -> Settings:
    if name == correction.NAME:
        return replace(base, ecfc=correction.OFF)
    return replace(base, without=base.without | {name}) if name else base
