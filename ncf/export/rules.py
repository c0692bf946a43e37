"""What `ncf rules` tells, for people and programs: the list, what a change does, what each line decides."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ncf.export.csv import rows_text
from ncf.export.json import SCHEMA, dumps
from ncf.export.parts import add, line, table
from ncf.export.table import count
from ncf.rules import told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from filters.base import Rule
    from filters.learned import Lesson
    from ncf.export.parts import Part
    from ncf.preview import Change, Effect, Preview
    from ncf.rules import RuleBook, Statement

SERVERS = 10  # of a preview, in a table
OWN, LEARNED = "yours", "learned"
_LIST = ("origin", "pattern", "level", "note")
_PREVIEW = ("server", "pages", "moved", "sites_before", "sites_after", "url", "before", "after")
_EFFECTS = ("line", "pattern", "level", "servers", "pages", "sites", "note")


@dataclass(frozen=True, slots=True)
class Listing:
    """The rules that hold: a person's, and what the store has learned when that is asked for."""

    path: Path
    book: RuleBook
    lessons: Mapping[str, Lesson] | None = None

    @property
    def rows(self) -> list[tuple[str, str, str, str]]:
        """Origin, pattern, level and note of every rule."""
        own = [(OWN, one.pattern, one.value, one.note) for one in self.book.statements]
        return own + [
            (LEARNED, server + rule.prefix, str(rule.level), f"{rule.filter}, on {lesson.pages} pages: {rule.reason}")
            for server, lesson in sorted((self.lessons or {}).items())
            for rule in lesson.rules
        ]

    def json_text(self) -> str:
        """One document; `learned` is there when it was asked for."""
        document: dict[str, Any] = {"schema": SCHEMA, "file": str(self.path)}
        document["rules"] = [_statement(one) for one in self.book.statements]
        if self.lessons is not None:
            document["learned"] = [
                {"server": server, "pages": lesson.pages, **_rule(rule)}
                for server, lesson in sorted(self.lessons.items())
                for rule in lesson.rules
            ]
        return dumps(document) + "\n"

    def csv_text(self) -> str:
        """One line for each rule."""
        return rows_text(_LIST, self.rows)

    def parts(self) -> Iterator[Part]:
        """A table, and where the rules stand."""
        if self.rows:
            found = table(*_LIST)
            for row in self.rows:
                add(found, *row)
            yield found
        if not self.book.statements:
            yield line(f"There are no rules of yours in {self.path}; `ncf rules add` writes the first.")
        else:
            yield line(f"{count(len(self.book.statements), 'rule')} of yours in {self.path}.")
        if self.lessons is not None and len(self.rows) == len(self.book.statements):
            yield line("The store has learned no rules.")


def _statement(one: Statement) -> dict[str, Any]:
    return {
        "pattern": one.pattern,
        "level": one.entry.level if one.entry else None,
        "apart": one.entry is None and not one.of,
        "same": one.of or None,
        "note": one.note,
        "line": one.line or None,
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {"prefix": rule.prefix, "level": rule.level, "filter": rule.filter, "reason": rule.reason}


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the file, made or only looked at, and what it does to the stored pages."""

    path: Path
    action: str  # add, replace, remove or check
    statements: tuple[Statement, ...]
    preview: Preview
    written: bool

    def json_text(self) -> str:
        """One document."""
        before, after = self.preview.sites
        document = {
            "schema": SCHEMA,
            "file": str(self.path),
            "action": self.action,
            "written": self.written,
            "rules": [_statement(one) for one in self.statements],
            "servers": self.preview.servers,
            "moved": self.preview.moved,
            "sites_before": before,
            "sites_after": after,
            "changes": [asdict(change) for change in self.preview.changes],
            "remarks": list(self.preview.remarks),
        }
        return dumps(document) + "\n"

    def csv_text(self) -> str:
        """One line for each example of each server."""
        changes = self.preview.changes
        return rows_text(_PREVIEW, (_csv_row(one, at) for one in changes for at in range(len(one.examples))))

    def parts(self) -> Iterator[Part]:
        """Sentences, and a table of the servers where pages move."""
        for one in self.statements:
            yield line(f"{one.pattern}, {told(one)}: {self._done()}")
        for remark in self.preview.remarks:
            yield line(remark)
        yield line(self._summary())
        if self.preview.changes:
            yield line()
            yield from _change_parts(self.preview.changes)

    def _done(self) -> str:
        if self.action == "check":
            return "it can be added; nothing was written."
        done = {"add": "added to", "replace": "put in place of the old rule in", "remove": "removed from"}[self.action]
        return f"{done} {self.path}." if self.written else f"a dry run; it is not {done} {self.path}."

    def _summary(self) -> str:
        seen, verb = self.preview, "move" if self.written else "would move"
        if not seen.servers:
            return "The store holds no server that it speaks of; what is crawled later will follow it."
        if not seen.changes:
            still = "moves" if self.written else "would move"
            return f"It speaks of {count(seen.servers, 'stored server')}, and no page there {still}."
        before, after = seen.sites
        return (
            f"{count(seen.moved, 'page')} of {count(len(seen.changes), 'server')} {verb} to another site:"
            f" {count(before, 'site')} before, {after} after."
        )


def _csv_row(one: Change, at: int) -> Sequence[object]:
    move = one.examples[at]
    return (one.server, one.pages, one.moved, one.sites_before, one.sites_after, move.url, move.before, move.after)


def _change_parts(changes: Sequence[Change]) -> Iterator[Part]:
    numbers = ("pages", "that move", "sites before", "after")
    found = table("server", *numbers, right=numbers)
    for one in changes[:SERVERS]:
        add(found, one.server, one.pages, one.moved, one.sites_before, one.sites_after)
    yield found
    if len(changes) > SERVERS:
        yield line(f"and {len(changes) - SERVERS} more servers")
    yield line()
    for move in changes[0].examples:
        yield line(f"{move.url}: {move.before} → {move.after}")


@dataclass(frozen=True, slots=True)
class Checked:
    """The whole file, line by line, and what each decides in the store."""

    path: Path
    effects: Sequence[Effect]

    def json_text(self) -> str:
        """One document."""
        lines = [
            _statement(one.statement) | {"servers": one.servers, "pages": one.pages, "sites": one.sites}
            for one in self.effects
        ]
        return dumps({"schema": SCHEMA, "file": str(self.path), "rules": lines}) + "\n"

    @property
    def rows(self) -> list[Sequence[object]]:
        """A row for each line of the file that is a rule."""
        return [
            (one.statement.line, one.statement.pattern, one.statement.value, one.servers, one.pages, one.sites,
             one.statement.note)
            for one in self.effects
        ]  # fmt: skip

    def csv_text(self) -> str:
        """One line for each rule."""
        return rows_text(_EFFECTS, self.rows)

    def parts(self) -> Iterator[Part]:
        """A table, and a sentence."""
        if not self.effects:
            yield line(f"There are no rules of yours in {self.path}; `ncf rules add` writes the first.")
            return
        found = table(*_EFFECTS, right=("line", "servers", "pages", "sites"))
        for row in self.rows:
            add(found, *row)
        yield found
        yield line(f"{count(len(self.effects), 'rule')} in {self.path}, all of them good.")
        if idle := sum(not one.pages for one in self.effects):
            yield line(f"{count(idle, 'rule decides', 'rules decide')} no stored page.")
