"""The order of the filters. The first with an opinion on a prefix wins for that prefix; every opinion is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from filters import backlinks, components, correction, learned, organisations, own_rules, suffixes, tilde
from filters.backlinks import Backlinks
from filters.base import parents, view
from filters.components import Components
from filters.conventions import Conventions
from filters.layout import Layout, cut
from filters.learned import Learned
from filters.names import Names
from filters.one_directory import OneDirectory
from filters.organisations import Organisations
from filters.own_rules import OwnRules
from filters.page_count import PageCount
from filters.patterns import Patterns
from filters.suffixes import Suffixes
from filters.tilde import Tilde

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from filters.base import Filter, Rule, ServerView, Verdict
    from filters.learned import Lesson

JUDGES = (components.NAME, backlinks.NAME)  # their rules are corrected by ECFC and learned by the store


@dataclass(frozen=True, slots=True)
class Tables:
    """What the filters know. Knowledge is files, read by whoever asks; a filter gets it as an argument."""

    own: Patterns = Patterns()
    suffixes: Patterns = Patterns()
    organisations: Mapping[str, str] = field(default_factory=dict)
    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: Names = Names()
    lessons: Mapping[str, Lesson] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """The thresholds of the filters that judge by evidence."""

    components: components.Limits = components.Limits()
    backlinks: backlinks.Limits = backlinks.Limits()


@dataclass(frozen=True, slots=True)
class Chain:
    """The filters in their order, and how ECFC corrects them."""

    filters: tuple[Filter, ...]
    ecfc: str = correction.RULES


def chain(
    tables: Tables = Tables(),
    *,
    without: Collection[str] = (),
    limits: Limits = Limits(),
    ecfc: str = correction.RULES,
) -> Chain:
    """The filters in their order, some of them left out by name."""
    order: tuple[Filter, ...] = (
        OwnRules(tables.own),
        Suffixes(tables.suffixes),
        Tilde(),
        Conventions(tables.parents, tables.names),
        Organisations(tables.organisations),
        OneDirectory(),
        PageCount(),
        Learned(tables.lessons),
        Components(tables.names, limits.components),
        Backlinks(tables.names, limits.backlinks),
    )
    return Chain(tuple(item for item in order if item.name not in without), ecfc)


@dataclass(frozen=True, slots=True)
class Decision:
    """How a server is divided, and every opinion on it, in order."""

    layout: Layout
    opinions: tuple[tuple[str, Verdict | None], ...]
    learned: tuple[Rule, ...]  # what filters 5 and 6 found and ECFC left; what a store keeps
    judged: bool  # whether filters 5 and 6 were asked: a lesson of an earlier visit saves it


def decide(server: ServerView, filters: Chain) -> Layout:
    """How a server is divided."""
    return judge(server, filters).layout


def explain(server: ServerView, filters: Chain) -> tuple[tuple[str, Verdict | None], ...]:
    """What every filter says, in order, and ECFC after them."""
    return judge(server, filters, everyone=True).opinions


def judge(server: ServerView, filters: Chain, *, everyone: bool = False) -> Decision:
    """Ask the filters; those that judge by evidence rest while a lesson holds, unless `everyone` is asked."""
    kept: list[Rule] = []
    found: list[Rule] = []  # of filters 5 and 6
    opinions: list[tuple[str, Verdict | None]] = []
    taught = False
    final: frozenset[str] = frozenset()  # where a person has spoken of all names, nobody else is heard
    for item in filters.filters:
        if item.name in JUDGES and taught and not everyone:
            continue
        verdict = item.judge(server)
        opinions.append((item.name, verdict))
        rules = _unsettled(verdict.rules, kept, final) if verdict and verdict.rules else []
        if item.name in JUDGES:
            found += () if taught else rules
        else:
            kept += rules
        if item.name == own_rules.NAME:
            final = frozenset(rule.prefix for rule in rules if not rule.only)
        taught = taught or (item.name == learned.NAME and verdict is not None)
    found = _outermost(found)
    withdrawn = correction.correct(server, found, filters.ecfc)
    opinions.append((correction.NAME, withdrawn))
    gone = withdrawn.rules if withdrawn else ()
    left = tuple(rule for rule in found if rule not in gone)
    return Decision(Layout((*kept, *left), server.directories), tuple(opinions), left, judged=not taught)


def _unsettled(rules: Sequence[Rule], kept: Sequence[Rule], final: frozenset[str]) -> list[Rule]:
    """The rules on prefixes that no earlier filter has decided."""
    earlier = Layout(kept)
    return [rule for rule in rules if not earlier.settles(rule) and final.isdisjoint(parents(rule.prefix))]


def _outermost(rules: Sequence[Rule]) -> list[Rule]:
    """The rules of filters 5 and 6 that do not stand inside a site of another: a user's site is not divided again."""
    kept: dict[str, Rule] = {}
    for rule in sorted(rules, key=lambda rule: rule.prefix.count("/")):
        above = (kept[prefix] for prefix in parents(rule.prefix) if prefix in kept)
        if not any(one.prefix == rule.prefix or cut(one, rule.prefix) for one in above):
            kept[rule.prefix] = rule
    return list(kept.values())


# What an earlier visit taught is among them: whoever asks must see to it that a second visit does not see less for it.
BY_NAME = (own_rules.NAME, suffixes.NAME, tilde.NAME, organisations.NAME, learned.NAME)


def known_from_url(filters: Chain) -> Chain:
    """The filters that can speak before anything is crawled: the others would judge a server by one address."""
    return Chain(tuple(item for item in filters.filters if item.name in BY_NAME), correction.OFF)


class Namer:
    """What the filters can tell from a URL alone: nearly always what they tell of its server."""

    def __init__(self, filters: Chain) -> None:
        self._filters = known_from_url(filters)
        self._of_server = lru_cache(maxsize=65536)(self._layout)

    def _layout(self, server: str, home: str) -> Layout:
        return decide(view(server, (home,)), self._filters)

    def site(self, server: str, path: str) -> tuple[str, Rule | None]:
        """The top directory of the site that a path lies in, and the rule that decided."""
        at = path.find("/~")
        return self._of_server(server, path[: at + 2] if at >= 0 else "/").site(path)
