"""The runs that a store remembers, and where each stood: the crawl frontier."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ncf.store.store import Store

    Met = Mapping[str, list[list[Any]]]  # by server: the rules it was known by, as rows

_START = "INSERT INTO runs (command, settings, started, question) VALUES (?, ?, ?, ?)"
_FINISH = "UPDATE runs SET finished = ?, result = ? WHERE id = ?"
_SHOW = "UPDATE runs SET result = ? WHERE id = ?"
_COLUMNS = "id, command, settings, started, finished, question, result IS NOT NULL"
_LIST = f"SELECT {_COLUMNS} FROM runs ORDER BY id DESC LIMIT :most"  # noqa: S608  no data in the text
_ONE = f"SELECT {_COLUMNS} FROM runs WHERE id = :run"  # noqa: S608  the same
_LAST = f"""SELECT {_COLUMNS} FROM runs WHERE question = :question AND question != ''
    ORDER BY settings = :settings DESC, id DESC LIMIT 1"""  # noqa: S608  the same
_RESULT = "SELECT result FROM runs WHERE id = :run"
_ROUNDS = "SELECT number, step, met, complete FROM rounds WHERE run = :run ORDER BY number"
_FRONTIER = """SELECT p.url, p.address FROM frontier f JOIN pages p ON p.id = f.page
    WHERE f.run = :run AND f.round = :round ORDER BY p.key"""
_BEGIN = "INSERT INTO rounds (run, number, step, met) VALUES (?, ?, ?, ?)"
_ADD_STARTS = "INSERT OR IGNORE INTO frontier (run, round, page) VALUES (?, ?, ?)"
_DROP = "DELETE FROM rounds WHERE run = ? AND number > ?"
_COMPLETE = "UPDATE rounds SET complete = 1 WHERE run = ? AND number = ?"


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as it was asked for."""

    id: int
    command: str
    settings: dict[str, Any]
    started: str
    finished: str | None  # None: it was killed or stopped, and goes on when the same is asked again
    question: str
    has_result: bool


@dataclass(frozen=True, slots=True)
class Round:
    """A crawl within a run, as it began."""

    number: int
    step: int
    met: Met
    complete: bool  # nothing was cut off, and nobody was out of reach


def start(store: Store, command: str, settings: Mapping[str, object], question: str = "") -> int:
    """Note that a run begins, and how it was asked for; gives its number."""
    with store.writing() as db:
        row = (command, _text(settings), _now(), question)
        return int(db.execute(_START, row).lastrowid or 0)


def finish(store: Store, run: int, result: str) -> None:
    """Note that a run is done, and what came out of it."""
    with store.writing() as db:
        db.execute(_FINISH, (_now(), result, run))


def note(store: Store, run: int, result: str) -> None:
    """Keep what a run has found so far: it goes on when the same is asked again."""
    with store.writing() as db:
        db.execute(_SHOW, (result, run))


def listed(store: Store, most: int = -1) -> list[Run]:
    """The runs, the newest first."""
    return [_run(row) for row in store.select(_LIST, {"most": most})]


def find(store: Store, run: int) -> Run | None:
    """One run."""
    row = store.select(_ONE, {"run": run}).fetchone()
    return _run(row) if row else None


def last(store: Store, question: str, settings: Mapping[str, object]) -> Run | None:
    """The last run that asked the same, with the same settings if there is one."""
    row = store.select(_LAST, {"question": question, "settings": _text(settings)}).fetchone()
    return _run(row) if row else None


def result(store: Store, run: int) -> str | None:
    """What came out of a run, as it was kept."""
    row = store.select(_RESULT, {"run": run}).fetchone()
    return row[0] if row else None


def rounds(store: Store, run: int) -> list[Round]:
    """The rounds of a run, in order."""
    found = store.select(_ROUNDS, {"run": run})
    return [Round(number, step, json.loads(met), bool(complete)) for number, step, met, complete in found]


def begin_round(store: Store, run: int, round_: Round, addresses: Iterable[str]) -> None:
    """Note where a round begins, before anything is asked."""
    with store.writing() as db:
        db.execute(_BEGIN, (run, round_.number, round_.step, json.dumps(round_.met, sort_keys=True)))
        db.executemany(_ADD_STARTS, [(run, round_.number, page) for page in store.keep_names(addresses)])


def complete_round(store: Store, run: int, number: int) -> None:
    """Note that a round asked for everything there was to ask for."""
    with store.writing() as db:
        db.execute(_COMPLETE, (run, number))


def drop_rounds(store: Store, run: int, after: int) -> None:
    """Forget the rounds after one: they began from less than there is now."""
    with store.writing() as db:
        db.execute(_DROP, (run, after))


def frontier(store: Store, run: int, number: int) -> list[tuple[str, str]]:
    """The pages that a round began from: canonical URLs, and what to ask for."""
    return list(store.select(_FRONTIER, {"run": run, "round": number}))


def _run(row: tuple[Any, ...]) -> Run:
    number, command, settings, started, finished, question, has = row
    return Run(number, command, json.loads(settings), started, finished, question, bool(has))


def _text(settings: Mapping[str, object]) -> str:
    return json.dumps(settings, sort_keys=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
