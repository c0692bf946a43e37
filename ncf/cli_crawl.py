"""`ncf crawl`: only crawl, into the store or into a recording."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import (
    AllowPrivate,
    Contact,
    Delay,
    Format,
    FormatChoice,
    Minutes,
    OutputFile,
    Printing,
    Quiet,
    RecordFile,
    Replay,
    StoreFile,
    Strict,
    Urls,
    Verbose,
)
from ncf.cli_run import CUT_OFF, INTERRUPTED, say
from ncf.errors import NcfError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from crawler.recording.archive import Archive
    from ncf.collect import Collecting
    from ncf.store.store import Store
    from ncf.webs import Manner

EPILOG = (
    "Examples: ncf crawl example.org --max-pages 100 --record example.warc.gz"
    " · ncf crawl example.org --scope any --max-hops 2"
)
LIVE_PAGES = 1_000  # of a crawl of the live Web that is not told how many


class Scope(StrEnum):
    """How far a crawl goes."""

    SERVER = "server"
    ANY = "any"


def crawl(
    starts: Urls,
    max_pages: Annotated[
        int | None, typer.Option(min=1, help="HTML pages in all. [default: 1000; in replay all there are]")
    ] = None,
    max_hops: Annotated[int, typer.Option(min=0, help="Links away from the start.")] = 20,
    minutes: Minutes = None,
    scope: Annotated[
        Scope | None,
        typer.Option(help="Stay on the servers of the URLs, or go anywhere. [default: server; in replay any]"),
    ] = None,
    replay: Replay = None,
    record: RecordFile = None,
    store: StoreFile = None,
    delay: Delay = None,
    contact: Contact = "",
    allow_private: AllowPrivate = False,
    strict: Strict = False,
    format_: FormatChoice = Format.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Only crawl: pages and links into the store, or everything into a recording with --record."""
    from crawler.model import Budget
    from ncf import cli_run
    from ncf.collect import Collecting, Errand
    from ncf.webs import Manner

    # A recording has an end and disturbs nobody: it is crawled whole unless something else is said.
    if not replay:
        max_pages, scope = max_pages or LIVE_PAGES, scope or Scope.SERVER
    budget = Budget(max_pages=max_pages, max_hops=max_hops, max_seconds=None if minutes is None else minutes * 60)
    errand = Errand(cli_run.addresses(starts), (scope or Scope.ANY).value, budget)
    printing = Printing(format_, output, quiet, verbose)
    manner = cli_run.checked(Manner(tuple(replay or ()), record, delay, contact, allow_private), printing)
    with (
        _maybe_store(store, wanted=store is not None or record is None) as kept,
        cli_run.recording(manner, quiet=quiet) as archive,
    ):
        collecting = Collecting(errand, kept)
        _collect(collecting, manner, (kept, archive), printing)
        _print(collecting, (kept, manner), printing)
    if collecting.stopped == "stopped":
        raise typer.Exit(INTERRUPTED)
    if sentences := collecting.hopeless():
        raise NcfError("\n".join(sentences))
    if strict and collecting.cut:
        raise typer.Exit(CUT_OFF)


def _collect(
    collecting: Collecting, manner: Manner, opened: tuple[Store | None, Archive | None], printing: Printing
) -> None:
    """Crawl; Ctrl-C stops it when what is under way has come."""
    from crawler.brake import Brake
    from ncf import cli_run, webs
    from ncf.inlinks.recording import name_of
    from ncf.progress import Progress

    store, archive = opened
    brake, progress = Brake(), Progress(quiet=printing.quiet, verbose=printing.verbose)
    if store:
        store.lease()

    async def work() -> None:
        async with webs.opened(manner, archive) as web:
            reached = cli_run.access(manner, web, store, brake)
            await collecting.run(reached, progress.saw, name_of(archive) if archive else "")

    with progress.shown():
        cli_run.run(work(), brake, lambda: say("finishing the pages in hand; Ctrl-C again stops at once"))


def _maybe_store(path: Path | None, *, wanted: bool) -> AbstractContextManager[Store | None]:
    from contextlib import nullcontext

    from ncf.store.store import Store

    return Store.open(path) if wanted else nullcontext()


def _print(collecting: Collecting, kept: tuple[Store | None, Manner], printing: Printing) -> None:
    """The summary: a document on standard output, or lines on standard error."""
    from ncf.export import crawl, output

    store, manner = kept
    places = [str(place) for place in (store.path if store else None, manner.record) if place]
    stopped = bool(collecting.stopped)
    if printing.format is Format.JSON:
        output.write(crawl.json_text(collecting, places, stopped=stopped), printing.output)
    elif printing.output:
        output.write(crawl.text(collecting, places, stopped=stopped), printing.output)
    elif not printing.quiet or stopped:
        say(crawl.text(collecting, places, stopped=stopped).rstrip())
