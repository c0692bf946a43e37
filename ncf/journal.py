"""What a run wrote down of itself, so that the same command goes on where it stood."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from filters.base import Rule
from filters.learned import Lesson
from ncf.store import lessons, runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ncf.store.store import Store

Settings = dict[str, Any]
_FOREVER = 1 << 60  # pages: nothing outgrows such a lesson


class Journal:
    """The rounds of this run. A run that was killed is the same run; after one that ended, the next takes over from it.

    Servers keep the rules that they were known by when the first run of the same question met them: what was learned of
    them since would make the second run see another part of them, and ask anew.
    """

    def __init__(self, store: Store, question: Mapping[str, object], settings: Settings) -> None:
        self._store = store
        self.question = json.dumps(question, sort_keys=True)
        before = runs.last(store, self.question, settings)
        same = before is not None and before.settings == json.loads(json.dumps(settings))
        self.goes_on = bool(before and before.finished is None and same)
        self.run = before.id if before and self.goes_on else runs.start(store, "find", settings, self.question)
        noted = {one.number: one for one in runs.rounds(store, before.id)} if before else {}
        steps = {number: one.step for number, one in noted.items()}
        self._noted = steps if self.goes_on else {n: steps[n] for n in _finished(noted)} if same else {}
        self._from = before.id if before else 0
        self._own = set(noted) if self.goes_on else set[int]()
        self._met: dict[str, Lesson | None] = {}
        for one in noted.values():
            self._met |= {server: _lesson(rules) for server, rules in one.met.items()}

    def lessons(self) -> dict[str, Lesson]:
        """What earlier runs taught of servers, as far as this one is to know it while it grows; it holds to the end."""
        told = {server: lesson for server, lesson in lessons.lessons(self._store).items() if server not in self._met}
        told |= {server: lesson for server, lesson in self._met.items() if lesson is not None}
        return {server: Lesson(_FOREVER, lesson.rules) for server, lesson in told.items() if lesson.rules}

    def lasting(self) -> dict[str, Lesson]:
        """Lessons for the result: of servers that this question found unknown, none, for it has seen more by now."""
        told = lessons.lessons(self._store)
        return {server: lesson for server, lesson in told.items() if self._met.get(server, lesson) is not None}

    def starts(self, number: int, step: int) -> list[str] | None:
        """The addresses that a round of a step began from, when that is settled."""
        if self._noted.get(number) != step:
            return None
        return [address for _, address in runs.frontier(self._store, self._from, number)]

    def begin(self, number: int, step: int, starts: Iterable[str], met: Mapping[str, Lesson | None]) -> None:
        """Note a round before it begins."""
        self._met |= met
        if number not in self._own:
            told = {server: _rows(lesson) for server, lesson in met.items()}
            runs.begin_round(self._store, self.run, runs.Round(number, step, told, complete=False), starts)

    def reopen(self, number: int) -> None:
        """A round has found more than when it was over: those after it, if any, are not settled any more."""
        if any(later > number for later in self._own):
            runs.drop_rounds(self._store, self.run, number)
            self._own = {own for own in self._own if own <= number}
            self._noted = {noted: step for noted, step in self._noted.items() if noted <= number}

    def complete(self, number: int) -> None:
        """A round has asked for everything."""
        runs.complete_round(self._store, self.run, number)


class Draft:
    """The journal of a plan: it reads what was noted, and notes nothing."""

    run = 0
    goes_on = False

    def __init__(self, store: Store, question: Mapping[str, object]) -> None:
        self.question = json.dumps(question, sort_keys=True)
        self._store = store

    def lessons(self) -> dict[str, Lesson]:
        """See Journal."""
        told = lessons.lessons(self._store)
        return {server: Lesson(_FOREVER, lesson.rules) for server, lesson in told.items() if lesson.rules}

    def starts(self, number: int, step: int) -> list[str] | None:
        """See Journal."""
        return None

    def begin(self, number: int, step: int, starts: Iterable[str], met: Mapping[str, Lesson | None]) -> None:
        """See Journal."""

    def reopen(self, number: int) -> None:
        """See Journal."""

    def complete(self, number: int) -> None:
        """See Journal."""


def _finished(noted: Mapping[int, runs.Round]) -> set[int]:
    """The rounds up to the first that was cut off: what came after it came from less than there is now."""
    found: set[int] = set()
    for number in sorted(noted):
        if not noted[number].complete:
            break
        found.add(number)
    return found


def _rows(lesson: Lesson | None) -> list[list[Any]]:
    return [[rule.prefix, rule.level, rule.filter, rule.reason] for rule in lesson.rules] if lesson else []


def _lesson(rows: list[list[Any]]) -> Lesson | None:
    return Lesson(_FOREVER, tuple(Rule(*row) for row in rows)) if rows else None
