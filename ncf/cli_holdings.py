"""`ncf stats`, `ncf runs` and `ncf forget`: what the store holds, what it remembers, and what it is to drop."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ncf.cli_options import ListChoice, ListFormat, OutputFile, Quiet, RulesFile, StoreFile
from ncf.errors import NcfError, UsageError

if TYPE_CHECKING:
    from ncf.export.holdings import Forgetting
    from ncf.store.holdings import Holdings
    from ncf.store.runs import Run
    from ncf.store.store import Store

STATS_EPILOG = "Examples: ncf stats · ncf stats --store other.sqlite --format json"
RUNS_EPILOG = "Examples: ncf runs · ncf runs 7 · ncf runs 7 --format json --output result.json"
FORGET_EPILOG = (
    "Examples: ncf forget example.org · ncf forget http://example.org/~alice/ --dry-run"
    " · ncf forget http://example.org/~alice/cv.html --yes"
)
TOP = 20


def stats(
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """What the store holds: pages, links, servers, claims and runs, and how much room they take."""
    from ncf.cli_store import looked_at
    from ncf.export import holdings, parts
    from ncf.export import output as out
    from ncf.store.holdings import holdings as count

    out.check(output)
    with looked_at(store, quiet=quiet) as kept:
        held = _placed(count(kept), store)
    match format_:
        case ListFormat.JSON:
            out.write(holdings.holdings_json(held), output)
        case ListFormat.CSV:
            out.write(holdings.holdings_csv(held), output)
        case ListFormat.TABLE:
            parts.show(holdings.holdings_parts(held), output)


def _placed(held: Holdings, path: Path | None) -> Holdings:
    """The same, under the name where a store will be, when there is none yet."""
    from dataclasses import replace

    from ncf.store import connection

    place = path or connection.default_path()
    return held if place.exists() else replace(held, path=str(place), bytes=0)


def runs(
    number: Annotated[int | None, typer.Argument(metavar="N", help="A run to show whole.")] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Runs that are listed, or communities of one run. [default: 20]")
    ] = None,
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """The runs that the store remembers; or one of them with its settings and what it found.

    With --format json one run is the document that `ncf find` printed.
    """
    from ncf.cli_store import looked_at
    from ncf.export import output as out

    out.check(output)
    with looked_at(store, quiet=quiet) as kept:
        if number is None:
            _print_list(kept, top or TOP, format_, output)
        else:
            _print_run(kept, number, top, (format_, output, str(store) if store else ""))


def _print_list(kept: Store, top: int, form: ListFormat, output: Path | None) -> None:
    from ncf.export import holdings, parts
    from ncf.export import output as out
    from ncf.store import runs
    from ncf.store.holdings import outcomes

    found = runs.listed(kept)
    came = outcomes(kept, [run.id for run in found[:top]])
    listed = [holdings.Listed(run, came.get(run.id)) for run in found[:top]]
    more = len(found) - len(listed)
    match form:
        case ListFormat.JSON:
            out.write(holdings.runs_json(listed, more), output)
        case ListFormat.CSV:
            out.write(holdings.runs_csv(listed), output)
        case ListFormat.TABLE:
            parts.show(holdings.runs_parts(listed, more), output)


def _print_run(kept: Store, number: int, top: int | None, how: tuple[ListFormat, Path | None, str]) -> None:
    from ncf.export import find_csv, holdings
    from ncf.export import output as out
    from ncf.export.json import dumps

    form, output, place = how
    run = _run(kept, number)
    document = _document(kept, run)
    if form is ListFormat.TABLE:
        _print_settings(run, document, top, (output, place))
    elif document is None:
        raise NcfError(
            f"run {number} has no result; {'it is not finished and' if run.finished is None else 'it'}"
            f" can be asked again: {holdings.command_line(run, place)}"
        )
    elif form is ListFormat.JSON:
        out.write(dumps(document) + "\n", output)
    elif holdings.is_found(document):
        out.write(find_csv.text(holdings.from_document(document)), output)
    else:
        raise UsageError(f"the result of run {number} has no form as a table; --format json shows it")


def _run(kept: Store, number: int) -> Run:
    from ncf.store import runs

    found = runs.find(kept, number) if abs(number) < 1 << 63 else None
    if found is None:
        raise NcfError(f"the store {kept.path} remembers no run {number}; `ncf runs` lists those that there are")
    return found


def _document(kept: Store, run: Run) -> Any:
    """The kept result; None when there is none."""
    import json

    from ncf.store import runs

    text = runs.result(kept, run.id)
    try:
        return json.loads(text) if text else None
    except ValueError as error:
        raise NcfError(f"the result of run {run.id} in {kept.path} is damaged: {error}") from error


def _print_settings(run: Run, document: Any, top: int | None, where: tuple[Path | None, str]) -> None:
    from ncf.export import holdings, parts, table
    from ncf.export import output as out

    output, place = where
    settings = list(holdings.run_parts(run, store=place))
    found = holdings.from_document(document) if holdings.is_found(document) else None
    if output is None and sys.stdout.isatty():
        parts.show(settings, None)
        if found is not None:
            table.write(found, None, top)
    else:
        out.write(parts.plain(settings) + (table.text(found, top) if found is not None else ""), output)


def forget(
    named: Annotated[
        list[str],
        typer.Argument(metavar="URL|HOST", help="A host: its whole server. The top of a site: the site. Else a page."),
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needed where there is no terminal.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    links: Annotated[
        bool, typer.Option("--links", help="Also the links of other pages to them, and so their bare addresses.")
    ] = False,
    rules: RulesFile = None,
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Drop the pages of a server, a site or a directory, or one page, from the store for good.

    HOST (example.org) is the whole server, with www. and with the other names that ncf has found for it. A URL that
    names the top of a site, as `ncf sites` lists it, is the pages of that site; of http://example.org/ these are the
    pages that lie in no other site there. Any other URL that ends in / is all below it, and else a URL is that page.

    Titles, links, claims, what was learned of their servers and kept results that name them go too, and the file is
    written anew, so that nothing of them is left in it. A later crawl may fetch them again; --exclude keeps it away.
    Recordings and files that you made stay as they are.
    """
    from ncf import recorded, stored
    from ncf.cli_store import rules_of
    from ncf.export import output as out
    from ncf.export.holdings import Forgetting

    out.check(output)
    _check(format_, yes=yes or dry_run)
    book = rules_of(rules, quiet=quiet).book
    with recorded.opened(store) as kept:
        kept.lease()
        planned = stored.plan(kept, book, named, pointing=links)
        told = Forgetting(str(kept.path), planned)
        if not yes and not dry_run:
            _confirm(told)
        if not dry_run:
            told = Forgetting(str(kept.path), planned, done=True, scrubbed=stored.carry_out(kept, planned))
    _print_forgetting(told, format_, output, quiet=quiet and not dry_run)


def _check(form: ListFormat, *, yes: bool) -> None:
    if form is ListFormat.CSV:
        raise UsageError("what is forgotten has no form as CSV; --format json is for programs")
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "there is no terminal to ask on: --yes forgets without asking, --dry-run only says what would go"
        )


def _confirm(told: Forgetting) -> None:
    """Show what would go, and ask."""
    from ncf.export import parts
    from ncf.progress import say

    say(parts.plain(told.parts()).rstrip())
    if not typer.confirm(f"Forget this in {told.store} for good?", err=True):
        raise NcfError("nothing was forgotten")


def _print_forgetting(told: Forgetting, form: ListFormat, output: Path | None, *, quiet: bool) -> None:
    from ncf.export import output as out
    from ncf.export import parts

    if form is ListFormat.JSON:
        out.write(told.json_text(), output)
    elif output or not quiet:
        parts.show(told.parts(), output)
