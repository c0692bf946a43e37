"""The order of the filters. The first with an opinion on a prefix wins for that prefix; every opinion is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filters.layout import Layout, concerns, cut
from filters.suffixes import Suffixes
from filters.tilde import Tilde

if TYPE_CHECKING:
    from collections.abc import Mapping

    from filters.base import Filter, Rule, ServerView, Verdict
    from filters.suffixes import Entry

    Chain = tuple[Filter, ...]


def chain(table: Mapping[str, tuple[Entry, ...]]) -> Chain:
    """The filters in their order."""
    return (Suffixes(table), Tilde())


def decide(view: ServerView, filters: Chain) -> Layout:
    """How a server is divided, by the first filters that have an opinion."""
    kept: list[Rule] = []
    for _, verdict in explain(view, filters):
        new = verdict.rules if verdict else ()
        # Sites never nest: what an earlier filter made one site, a later one does not split.
        kept += [rule for rule in new if not any(_settled(rule, earlier) for earlier in kept)]
    return Layout(tuple(kept), view.directories)


def explain(view: ServerView, filters: Chain) -> tuple[tuple[str, Verdict | None], ...]:
    """What every filter says, in order."""
    return tuple((item.name, item.judge(view)) for item in filters)


def _settled(rule: Rule, earlier: Rule) -> bool:
    """Whether an earlier rule has decided a prefix: the same one, or one inside a site of its own."""
    if earlier.filter == rule.filter:
        return False
    return rule.prefix == earlier.prefix or (concerns(earlier, rule.prefix) and bool(cut(earlier, rule.prefix)))
