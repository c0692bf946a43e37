"""`ncf eval`: the papers' tables on labelled data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import Ecfc, EcfcChoice, OutputFile, Quiet, Replay, StoreFile
from ncf.errors import UsageError

if TYPE_CHECKING:
    from ncf.evaluation.report import Asked, Report

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="The papers' tables, on labelled data.")


class Form(StrEnum):
    """How the figures are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


@app.callback()
def top() -> None:
    """The papers' tables, on labelled data."""


@app.command(
    epilog="Examples: ncf eval sites --replay crawl.warc.gz --gold pages.tsv"
    " · ncf eval sites --gold pages.tsv --choose --ablation --format markdown · ncf eval sites --urls list.txt"
)
def sites(
    gold: Annotated[
        Path | None, typer.Option(help="A table of pages and their sites: url, user_site, neutral, university.")
    ] = None,
    urls: Annotated[
        Path | None, typer.Option(help="Only a list of URLs: what filters 0 and 1 find in it, by suffix.")
    ] = None,
    replay: Replay = None,
    store: StoreFile = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Leave this filter out; repeatable. One trial in place of the usual two.")
    ] = None,
    ecfc: EcfcChoice = Ecfc.RULES,
    choose: Annotated[
        bool, typer.Option("--choose", help="Choose thresholds on all groups of the gold but one, report on that one.")
    ] = False,
    ablation: Annotated[bool, typer.Option("--ablation", help="What each filter decides, and the error without.")] = (
        False
    ),
    format_: Annotated[Form, typer.Option("--format", help="How the figures are written.")] = Form.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """How right the filters are that decide what a site is.

    Reads every page of a recording (--replay), or what the store holds, gives each labelled page its site, and counts.
    What a person or a list has told (rules, suffixes, learned) is left out: what counts is what the filters find out.
    """
    from ncf.evaluation import report
    from ncf.export import output as out

    out.check(output)
    if urls is not None and gold is not None:
        raise UsageError("--gold and --urls are two different questions; ask one of them")
    if urls is not None:
        return _list(urls, format_, output)
    if gold is None:
        raise UsageError("what is right? Give a table of pages and their sites with --gold, or a list with --urls")
    asked = report.Asked(frozenset(without) if without is not None else None, ecfc.value, choose, ablation)
    found = _evaluated(gold, replay, store, asked, quiet=quiet)
    return _print(found, format_, output)


def _evaluated(gold: Path, replay: list[Path] | None, store: Path | None, asked: Asked, *, quiet: bool) -> Report:
    from ncf import aliases, recorded
    from ncf.evaluation import gold as labels
    from ncf.evaluation import report, trials
    from ncf.progress import Counting

    read = labels.read(gold)
    servers = {label.server for label in read}
    with (
        Counting("pages read", quiet=quiet) as reading,
        recorded.opened(store, tuple(replay or ()), reading.saw) as kept,
    ):
        ground = trials.Ground(kept, read, aliases.of_store(kept, servers=servers))
        return report.report(ground, asked)


def _list(path: Path, form: Form, output: Path | None) -> None:
    from ncf.evaluation import listing
    from ncf.export import evaluation
    from ncf.export import output as out

    found = listing.listing(listing.read(path))
    match form:
        case Form.JSON:
            text = evaluation.listing_json(found)
        case Form.CSV:
            text = evaluation.listing_csv(found)
        case Form.TABLE | Form.MARKDOWN:
            text = evaluation.listing_text(found, markdown=form is Form.MARKDOWN)
    out.write(text, output)


def _print(found: Report, form: Form, output: Path | None) -> None:
    from ncf.export import evaluation
    from ncf.export import output as out

    match form:
        case Form.JSON:
            text = evaluation.json_text(found)
        case Form.CSV:
            text = evaluation.csv_text(found)
        case Form.TABLE | Form.MARKDOWN:
            text = evaluation.text(found, markdown=form is Form.MARKDOWN)
    out.write(text, output)
