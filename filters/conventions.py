"""Ours, after the tilde: parent directories whose name means that people live below (`/users/x/`, `/homes/y/`)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from filters.base import ROOT, Rule, ServerView, Verdict, is_file, may_be_page, parents, without_arguments
from filters.layout import cut
from filters.names import Names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAME = "conventions"
PEOPLE, GROUP = "people", "group"
_INDEX, _MOST = 3, 0.8  # letters of an index: so many of them, and so much of all the names
_DEEPEST = 8  # slashes: nobody keeps users' directories deeper


@dataclass(frozen=True, slots=True)
class Conventions:
    """The filter, on its table of parent names and of topical words."""

    table: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: Names = Names()
    siblings: int = 2  # directories that must stand below the parent
    topical: float = 0.5  # above this share of topical names, the parent's name means something else here

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One rule for each parent; what only groups people (`/people/faculty/`) is no person."""
        handles = self._handles(view)
        below = self._children(view, "~@" if handles else "~")
        rules: dict[str, Rule] = {}
        titles: dict[str, list[str]] = defaultdict(list)
        for path, title in view.titles.items():
            titles[path[: path.rindex("/") + 1]].append(title)
        for prefix in sorted(below):
            if self._may_hold_people(prefix, rules):
                rules |= {rule.prefix: rule for rule in self._rules(prefix, below[prefix], titles)}
        if not rules and not handles:
            return None
        marked = (_handle_rule(len(handles)),) if handles else ()
        found = (*marked, *(rules[prefix] for prefix in sorted(rules)))
        prefixes = sum(rule.level > 1 for rule in found)
        sites = sum(self._count(rule, below, view) for rule in rules.values() if rule.level > 1) + len(handles)
        reason = f"{prefixes} of its directories have a name, or names below them, that mean people"
        return Verdict(found, NAME, reason, {"prefixes": prefixes, "sites": sites})

    def _count(self, rule: Rule, below: Mapping[str, set[str]], view: ServerView) -> int:
        """How many sites a rule makes."""
        if rule.level == rule.prefix.count("/") + 1:
            return sum(name.lower() not in self.table for name in below[rule.prefix])
        tops = {cut(rule, path) for path in view.paths if path.startswith(rule.prefix)}
        return len(tops - {""})

    def _handles(self, view: ServerView) -> set[str]:
        """Names that begin with @ at a server's top, as Mastodon and its kin write their users."""
        tops = (path[: path.find("/", 1) + 1] or path for path in view.paths if path.startswith("/@"))
        found = {top.strip("/") for top in tops if not is_file(top)} - {"@"}
        return found if len(found) >= self.siblings else set()

    def _children(self, view: ServerView, marks: str) -> dict[str, set[str]]:
        """The directories below each one whose name is in the table, none inside a user's by the marks of names."""
        found: dict[str, set[str]] = defaultdict(set)
        table = self.table
        for path in view.paths:
            segments = path.split("/", _DEEPEST)
            # Most paths hold no such name: what costs more is asked only of those that do.
            if any(segment.lower() in table for segment in segments[1:-2]) and may_be_page(path):
                for prefix, child in self._pairs(without_arguments(path), marks):
                    found[prefix].add(child)
        return found

    def _pairs(self, path: str, marks: str) -> Iterator[tuple[str, str]]:
        """Each directory above a path whose name is in the table, and the name that stands below it."""
        segments = path.split("/", _DEEPEST)
        for place in range(1, len(segments) - 2):
            if segments[place].startswith(tuple(marks) if place == 1 else "~"):
                return
            if segments[place].lower() in self.table and segments[place + 1][:1] not in ("", "~"):
                yield "/".join(segments[: place + 1]) + "/", segments[place + 1]

    def _may_hold_people(self, prefix: str, rules: Mapping[str, Rule]) -> bool:
        """Whether a directory is no person's own, and by its name, or as a group of people's, holds people."""
        head, _, name = prefix[:-1].rpartition("/")
        above = parents(head + "/")
        ruled = next((rules[one] for one in reversed(above) if one in rules), None)
        if ruled is not None:
            return ruled.prefix == head + "/" and name.lower() in self.table
        kinds, outer = self.table[name.lower()], self.table.get(head.rpartition("/")[2].lower(), frozenset())
        return PEOPLE in kinds or PEOPLE in outer

    def _rules(self, prefix: str, children: set[str], titles: Mapping[str, Sequence[str]]) -> list[Rule]:
        """The rule for the people below a directory, and one for each group that stands among them."""
        groups = sorted(child for child in children if child.lower() in self.table)
        people = children.difference(groups)
        letters = sum(len(child) == 1 for child in people)
        indexed = letters >= max(_INDEX, _MOST * len(people))  # /users/a/alice/
        if not indexed and not self._are_people(prefix, people, titles):
            return []
        level = prefix.count("/") + 1 + indexed
        reason = f"{prefix} is a name for a place where people live, and {len(people)} stand below it"
        aside = [Rule(f"{prefix}{group}/", 1, NAME, f"{prefix}{group}/ groups people") for group in groups]
        return [Rule(prefix, level, NAME, reason), *aside]

    def _are_people(self, prefix: str, names: set[str], titles: Mapping[str, Sequence[str]]) -> bool:
        """Whether enough directories stand below a parent, or one whose entry page names its owner."""
        if len(names) >= self.siblings:
            return self.names.topical_share(names) <= self.topical
        return any(self.names.is_person(name, title) for name in names for title in titles.get(f"{prefix}{name}/", ()))


def _handle_rule(count: int) -> Rule:
    reason = f"names that begin with @ are users, and {count} of them stand at the server's top"
    return Rule(ROOT, 2, NAME, reason, only="@", bare=True)


def parse(text: str) -> Mapping[str, frozenset[str]]:
    """Read the table: a directory's name, and its kinds (people, group), separated by a tab.

    >>> sorted(parse("faculty\\tpeople,group\\tnote")["faculty"])
    ['group', 'people']
    """
    found = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            name, kinds, *_ = line.split("\t")
            found[name.strip().lower()] = frozenset(kind.strip() for kind in kinds.split(","))
    return found
