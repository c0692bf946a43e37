"""The figures of `ncf eval sites`, for people and programs."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.box import MARKDOWN, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ncf.evaluation.gold import Kind
from ncf.evaluation.sites import Share
from ncf.export.json import SCHEMA, dumps
from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from filters.chain import Limits
    from ncf.evaluation.listing import Listing
    from ncf.evaluation.report import Missing, Report, Trial
    from ncf.evaluation.sites import Score

_HEADS = ("users' pages right", "~ pages", "others'", "split off", "B³ P", "B³ R", "B³ F1", "servers wrong", "prefixes")
_WIDTH = 160
_LISTED = 30  # suffixes in a table
_CSV = ("trial", "server", "pages", "tilde_right", "tilde", "user_right", "user", "split_off", "administrator",
        "precision", "recall", "f1", "servers_wrong", "servers", "prefixes_right", "prefixes")  # fmt: skip


def text(report: Report, *, markdown: bool = False) -> str:
    """Tables, per server and in all, as plain text or as Markdown."""
    return _printed(_parts(report, markdown=markdown), markdown=markdown)


def _printed(parts: Iterable[Table | Text], *, markdown: bool) -> str:
    out = io.StringIO()
    console = Console(file=out, width=_WIDTH, color_system=None)
    for part in parts:
        if isinstance(part, Table):
            part.box = MARKDOWN if markdown else SIMPLE_HEAD
            part.show_edge = markdown
        console.print(part)
        if markdown:
            console.print()
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    # A table in Markdown begins and ends with an empty line of its own.
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before) + "\n"


def _parts(report: Report, *, markdown: bool) -> Iterable[Table | Text]:
    if not markdown:
        yield _by_server(report.trials)
    yield _totals([(trial.name, trial.total) for trial in report.trials], "filters")
    if report.chosen:
        yield Text("Thresholds chosen on the other groups, reported on the named one; the last line has them all:")
        rows = [(choice.group or "chosen on all", choice.score) for choice in report.chosen.choices]
        if report.chosen.pooled:
            rows.insert(-1, ("held back, together", report.chosen.pooled))
        yield _totals(rows, "group")
        for choice in report.chosen.choices:
            yield Text(f"{choice.group or 'all'}: {_limits(choice.limits)}")
    for name, missing in report.ablations.items():
        yield Text(f"What each filter decides {name}, and what becomes of the figures without it:")
        yield _ablation(missing)
    absent = report.labelled - report.known
    lost = f"; {absent} of them are not in the recording or store" if absent else ""
    yield Text(f"{report.labelled} labelled pages, {report.neutral} neutral and in no count{lost}.")


def _limits(limits: Limits) -> str:
    found = limits.backlinks
    return (
        f"siblings ≥ {found.siblings}, back-links ≤ {found.backlinks:g}, links between siblings ≤ {found.kinship:g},"
        f" topical names ≤ {found.topical:g}"
    )


def _totals(rows: Iterable[tuple[str, Score]], head: str) -> Table:
    table = _table(head, *_HEADS)
    for name, score in rows:
        table.add_row(Text(clean(name)), *_figures(score))
    return table


def _table(first: str, *heads: str) -> Table:
    table = Table(pad_edge=False)
    table.add_column(first, overflow="fold")
    for head in heads:
        table.add_column(head, justify="right")
    return table


def _figures(score: Score) -> list[str]:
    cubed = score.bcubed
    return [
        told(score.users),
        told(score.exact.get(Kind.TILDE, Share())),
        told(score.exact.get(Kind.USER, Share())),
        told(score.split_off),
        *(f"{value:.3f}" if cubed else "–" for value in (_cubed(score))),
        told(score.servers),
        f"{score.prefixes.part}/{score.prefixes.whole}",
    ]


def _cubed(score: Score) -> tuple[float, float, float]:
    found = score.bcubed
    return (found.precision, found.recall, found.f1) if found else (0.0, 0.0, 0.0)


def told(share: Share) -> str:
    """A share for people.

    >>> told(Share(1, 8)), told(Share())
    ('12.5 % (1/8)', '–')
    """
    return f"{100 * share.value:.1f} % ({share.part}/{share.whole})" if share.value is not None else "–"


def _by_server(trials: Sequence[Trial]) -> Table:
    heads = [f"{trial.name}:\n{head}" for trial in trials for head in ("right", "split off", "B³ F1")]
    table = _table("server", "pages", "~", "others'", "admin's", *heads, "single or multi")
    table.columns[0].no_wrap = True
    for server, first in trials[0].servers.items():
        scores = [trial.servers[server] for trial in trials]
        if first.pages:
            table.add_row(Text(clean(server)), str(first.pages), *_server_cells(first, scores))
    return table


def _server_cells(first: Score, scores: Sequence[Score]) -> list[str]:
    whole = [str(first.exact.get(kind, Share()).whole or "") for kind in (Kind.TILDE, Kind.USER, Kind.ADMIN)]
    cells = []
    for score in scores:
        right = sum(share.part for share in score.exact.values())
        cells += [str(right), str(score.split_off.part or ""), f"{_cubed(score)[2]:.3f}"]
    wrong = any(score.servers.part for score in scores)
    return [*whole, *cells, "wrong" if wrong else ""]


def _ablation(rows: Iterable[Missing]) -> Table:
    table = _table("filter", "pages", "servers", *(f"{head}, without" for head in _HEADS[:1]), *_HEADS[3:])
    for row in rows:
        figures = _figures(row.without)
        decided = (str(row.pages), str(row.servers)) if row.filter else ("", "")
        table.add_row(row.filter or "(all of them)", *decided, figures[0], *figures[3:])
    return table


def json_text(report: Report) -> str:
    """One JSON document."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "labelled": report.labelled,
        "neutral": report.neutral,
        "known": report.known,
        "trials": [
            {
                "name": trial.name,
                "all": _score(trial.total),
                "servers": [{"server": name} | _score(score) for name, score in trial.servers.items()],
            }
            for trial in report.trials
        ],
    }
    if report.chosen:
        document["chosen"] = [
            {"group": choice.group or None, "limits": asdict(choice.limits)} | _score(choice.score)
            for choice in report.chosen.choices
        ]
        document["held_back"] = _score(report.chosen.pooled) if report.chosen.pooled else None
    if report.ablations:
        document["ablation"] = [
            {
                "trial": name,
                "filter": row.filter or None,
                "pages": row.pages,
                "servers": row.servers,
                "without": _score(row.without),
            }
            for name, rows in report.ablations.items()
            for row in rows
        ]
    return dumps(document) + "\n"


def _score(score: Score) -> dict[str, Any]:
    cubed = score.bcubed
    return {
        "pages": score.pages,
        "exact": _share(score.users),
        "tilde": _share(score.exact.get(Kind.TILDE, Share())),
        "user": _share(score.exact.get(Kind.USER, Share())),
        "split_off": _share(score.split_off),
        "b_cubed": {"precision": cubed.precision, "recall": cubed.recall, "f1": cubed.f1} if cubed else None,
        "server_error": _share(score.servers),
        "prefixes": _share(score.prefixes),
    }


def _share(share: Share) -> dict[str, float | None]:
    return {"part": share.part, "whole": share.whole, "share": share.value}


def csv_text(report: Report) -> str:
    """One line for each server and trial, and one in all, whose server is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    for trial in report.trials:
        for server, score in (*trial.servers.items(), ("", trial.total)):
            writer.writerow((trial.name, server, score.pages, *_csv_figures(score)))
    return out.getvalue()


def _csv_figures(score: Score) -> list[float]:
    kinds = (score.exact.get(Kind.TILDE, Share()), score.exact.get(Kind.USER, Share()), score.split_off)
    shares = [number for share in kinds for number in (share.part, share.whole)]
    ends = (score.servers.part, score.servers.whole, score.prefixes.part, score.prefixes.whole)
    return [*shares, *(round(value, 4) for value in _cubed(score)), *ends]


def listing_text(found: Listing, *, markdown: bool = False) -> str:
    """What was found in a list of URLs, the suffixes with most sites first."""
    table = _table("suffix", "sites", "pages")
    table.add_column("filter")
    for row in found.rows[:_LISTED]:
        table.add_row(Text(clean(row.suffix)), str(row.sites), str(row.pages), row.filter)
    more = len(found.rows) - _LISTED
    lines = [
        f"{found.pages} pages on {found.servers} servers are {found.sites} sites by their addresses alone.",
        f"{found.tilde_right} of {found.tilde_pages} pages with a ~ lie in the site that it names.",
    ]
    if more > 0:
        lines.append(f"{more} suffixes more are not listed; --format csv has them all.")
    return _printed([table, *map(Text, lines)], markdown=markdown)


def listing_json(found: Listing) -> str:
    """The same as one JSON document."""
    return dumps({"schema": SCHEMA} | asdict(found)) + "\n"


def listing_csv(found: Listing) -> str:
    """One line for each filter and suffix."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("filter", "suffix", "sites", "pages"))
    writer.writerows((row.filter, row.suffix, row.sites, row.pages) for row in found.rows)
    return out.getvalue()
