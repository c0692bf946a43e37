"""A plan for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncf.cli_options import ListFormat
from ncf.export import csv, output, parts
from ncf.export.json import SCHEMA, dumps
from ncf.export.table import count

if TYPE_CHECKING:
    from ncf.cli_options import Printing
    from ncf.export.parts import Part
    from ncf.find import Question
    from ncf.plan import Plan, PlanStep

_HEADS = ("step", "sites", "servers", "pages at most", "minutes at most")
_MANY = 1 << 30  # more than anybody means: there is no limit


def write(plan: Plan, question: Question, printing: Printing) -> None:
    """Print a plan, or write it to a file."""
    match printing.format:
        case ListFormat.JSON:
            output.write(json_text(plan, question), printing.output)
        case ListFormat.CSV:
            rows = [(one.step, one.sites, one.servers, one.pages, one.seconds) for one in plan.steps]
            output.write(csv.rows_text(("step", "sites", "servers", "pages", "seconds"), rows), printing.output)
        case _:
            parts.show(told(plan), printing.output)


def json_text(plan: Plan, question: Question) -> str:
    """One JSON document."""
    document = {
        "schema": SCHEMA,
        "seeds": list(question.seeds),
        "growth": question.growth,
        "cached": plan.cached,
        "steps": [
            {
                "step": one.step,
                "known": one.known,
                "sites": _or_none(one.sites),
                "servers": _or_none(one.servers),
                "pages": _or_none(one.pages),
                "seconds": round(one.seconds, 1),
            }
            for one in plan.steps
        ],
        "pages": _or_none(plan.pages),
        "seconds": round(plan.seconds, 1),
        "servers": list(plan.examples),
    }
    return dumps(document) + "\n"


def told(plan: Plan) -> list[Part]:
    """The plan as a table with sentences."""
    if plan.nothing:
        return [parts.line(f"Nothing would be asked for: {count(plan.cached, 'page')} of this graph are in the store.")]
    table = parts.table(*_HEADS, right=_HEADS[1:])
    for one in plan.steps:
        name = f"growth step {one.step}" if one.step else "the seeds"
        parts.add(table, name if one.known else f"{name}, by its budgets", *_cells(one))
    found: list[Part] = [table]
    most = f"At most {_number(plan.pages)} pages" if plan.pages < _MANY else "As many pages as there are"
    total = f"{most}, in about {_minutes(plan.seconds)} minutes at most" if plan.seconds else most
    have = f"; {count(plan.cached, 'page')} of the graph are in the store already" if plan.cached else ""
    found.append(parts.line(f"{total}{have}."))
    if plan.examples:
        found.append(parts.line(f"First asked: {', '.join(plan.examples)}."))
    found.append(parts.line("Nothing was asked for. The same command without --plan begins."))
    return found


def _cells(one: PlanStep) -> tuple[str, ...]:
    return (_number(one.sites), _number(one.servers), _number(one.pages), _minutes(one.seconds))


def _number(value: int) -> str:
    return "no limit" if value >= _MANY else f"{value:,}"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f}" if seconds < 600 else f"{seconds / 60:.0f}"


def _or_none(value: int) -> int | None:
    return None if value >= _MANY else value
