"""The command line: a command parses, calls one function, prints. Heavy imports wait until a command runs."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from crawler.errors import CrawlerError
from crawler.settings import VERSION
from ncf import cli_eval, cli_rules, cli_sites
from ncf.cli_options import (
    AllowPrivate,
    Contact,
    Delay,
    Ecfc,
    EcfcChoice,
    Format,
    FormatChoice,
    Minutes,
    OutputFile,
    Printing,
    Quiet,
    RecordFile,
    Replay,
    RulesFile,
    StoreFile,
    Strict,
    Urls,
    Verbose,
)
from ncf.errors import NcfError, UsageError

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from contextlib import AbstractContextManager

    from crawler.web import Recorder, Web
    from ncf.collect import Collecting
    from ncf.find import Question
    from ncf.growth import Access, Limits
    from ncf.progress import Progress
    from ncf.result import Result
    from ncf.rules import RuleBook
    from ncf.store.store import Store
    from ncf.webs import Manner

T = TypeVar("T")
FAILED, WRONG_USAGE, CUT_OFF, INTERRUPTED = 1, 2, 3, 130
LIVE_PAGES = 1_000  # of a crawl of the live Web that is not told how many
NOT_THERE_YET = "not there yet: similar sites, and in-links from elsewhere than the crawl"
# typer carries its own copy of click or imports it, by version; the base of its errors is found through one of them.
_ParserError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
app.add_typer(cli_eval.app, name="eval")
app.add_typer(cli_rules.app, name="rules")
app.command(epilog=cli_sites.EPILOG)(cli_sites.sites)


class Scope(StrEnum):
    """How far a crawl goes."""

    SERVER = "server"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Judging:
    """How servers are divided into sites."""

    book: RuleBook
    ecfc: Ecfc = Ecfc.RULES


class Method(StrEnum):
    """How communities are found."""

    CLIQUES = "cliques"


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Neighbor Community Finder: finds the communities of web sites around the ones you like."""
    if version:
        sys.stdout.write(f"ncf {VERSION}\n")
        raise typer.Exit


@app.command(
    epilog="Examples: ncf find example.org/~alice/ --growth 2 --contact you@example.org"
    " · ncf find URL --replay crawl.warc.gz --format json --output result.json"
)
def find(
    seeds: Urls,
    growth: Annotated[int, typer.Option(min=0, help="Steps away from the seeds; 0 is their sites alone.")] = 1,
    method: Annotated[Method, typer.Option(help="How communities are found.")] = Method.CLIQUES,
    max_pages: Annotated[int, typer.Option(min=1, help="Pages in all.")] = 5_000,
    pages_per_site: Annotated[
        int | None, typer.Option(min=1, help="[default: 600 of a known site, 300 of a server]")
    ] = None,
    sites_per_step: Annotated[int, typer.Option(min=1, help="Neighbor sites that a growth step crawls.")] = 100,
    minutes: Minutes = None,
    replay: Replay = None,
    record: RecordFile = None,
    store: StoreFile = None,
    rules: RulesFile = None,
    ecfc: EcfcChoice = Ecfc.RULES,
    delay: Delay = None,
    contact: Contact = "",
    allow_private: AllowPrivate = False,
    strict: Strict = False,
    format_: FormatChoice = Format.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find the communities around web sites.

    Crawls the sites of the URLs and their neighbors politely, decides which directories are sites of their own, and
    prints the groups of sites that all link to each other.
    """
    from ncf.cli_store import rules_of
    from ncf.find import Question

    question = Question(
        _addresses(seeds), growth, method.value, _limits(max_pages, pages_per_site, sites_per_step, minutes)
    )
    manner = _manner(replay, record, delay, contact, allow_private)
    judging = Judging(rules_of(rules, quiet=quiet).book, ecfc)
    result = _find(question, manner, store, Printing(format_, output, quiet, verbose), judging)
    if strict and not result.complete:
        raise typer.Exit(CUT_OFF)


@app.command(epilog="Example: ncf demo --format json")
def demo(
    store: Annotated[Path | None, typer.Option("--store", help="Keep the pages in this store.")] = None,
    format_: FormatChoice = Format.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find communities in a small recorded web that comes with ncf, without a network."""
    import tempfile

    from ncf import data
    from ncf.find import Question
    from ncf.rules import RuleBook

    question = Question((data.DEMO_SEED,), data.DEMO_GROWTH)
    manner = _manner([data.demo_recording()], None, None, "", False)
    with tempfile.TemporaryDirectory(prefix="ncf-demo-") as folder:
        printing = Printing(format_, output, quiet, verbose)
        _find(question, manner, store or Path(folder) / "demo.sqlite", printing, Judging(RuleBook()))


@app.command(
    epilog="Examples: ncf crawl example.org --max-pages 100 --record example.warc.gz"
    " · ncf crawl example.org --scope any --max-hops 2"
)
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
    from ncf.collect import Collecting, Errand

    seconds = None if minutes is None else minutes * 60
    # A recording has an end and disturbs nobody: it is crawled whole unless something else is said.
    if not replay:
        max_pages, scope = max_pages or LIVE_PAGES, scope or Scope.SERVER
    budget = Budget(max_pages=max_pages, max_hops=max_hops, max_seconds=seconds)
    errand = Errand(_addresses(starts), (scope or Scope.ANY).value, budget)
    manner = _manner(replay, record, delay, contact, allow_private)
    printing = Printing(format_, output, quiet, verbose)
    _check_files(manner, printing)
    with _maybe_store(store, wanted=store is not None or record is None) as kept:
        collecting = Collecting(errand, kept)
        stopped = _collect(collecting, manner, kept, printing)
        _print_crawl(collecting, (kept, manner), printing, stopped=stopped)
    if stopped:
        raise typer.Exit(INTERRUPTED)
    if sentences := collecting.hopeless():
        raise NcfError("\n".join(sentences))
    if strict and collecting.cut:
        raise typer.Exit(CUT_OFF)


def _addresses(texts: list[str]) -> tuple[str, ...]:
    from ncf.seeds import address

    return tuple(dict.fromkeys(address(text) for text in texts))


def _limits(max_pages: int, per_site: int | None, per_step: int, minutes: float | None) -> Limits:
    from ncf.growth import Limits

    caps = {} if per_site is None else {"site_pages": per_site, "server_pages": per_site}
    return Limits(max_pages=max_pages, sites_per_step=per_step, minutes=minutes, **caps)


def _manner(
    replay: list[Path] | None, record: Path | None, delay: float | None, contact: str, allow_private: bool
) -> Manner:
    from ncf.webs import Manner

    manner = Manner(tuple(replay or ()), record, delay, contact, allow_private)
    _ = manner.settings  # what makes no sense is said before anything is opened
    if allow_private:
        _say("private and loopback addresses are opened to this crawl")
    return manner


def _check_files(manner: Manner, printing: Printing) -> None:
    from ncf.export import output

    output.check(printing.output)
    output.check(manner.record, "--record")


def _say(text: str) -> None:
    from ncf.progress import say

    say(text)


def _access(manner: Manner, opened: tuple[Web | None, Recorder | None], store: Store | None) -> Access:
    """How to reach the Web; a replay neither believes nor changes what the live Web told the store."""
    from ncf.growth import Access

    return Access(manner.settings, *opened, None if manner.replay else store)


def _find(question: Question, manner: Manner, store: Path | None, printing: Printing, judging: Judging) -> Result:
    """Find, print and remember."""
    from ncf.export.json import document, dumps
    from ncf.progress import Progress
    from ncf.store.store import Store

    _check_files(manner, printing)
    progress = Progress(quiet=printing.quiet, verbose=printing.verbose)
    with Store.open(store) as kept:
        try:
            result = _run(_ask(question, manner, kept, progress, judging), progress)
            kept.finish_run(result.run, dumps(document(result)))
        except KeyboardInterrupt:
            _say(f"ncf: stopped; {kept.counts()[0]} pages are kept in {kept.path}")
            raise typer.Exit(INTERRUPTED) from None
    _print_result(result, printing)
    return result


async def _ask(question: Question, manner: Manner, store: Store, progress: Progress, judging: Judging) -> Result:
    from ncf import find, knowledge, webs

    async with webs.opened(manner) as opened:
        filters = knowledge.filters(store, judging.book.patterns, ecfc=judging.ecfc.value)
        means = find.Means(store, filters, _access(manner, opened, store), judging.book.said)
        return await find.find(question, means, progress.saw)


def _run(work: Coroutine[None, None, T], progress: Progress) -> T:
    """Run to the end, with the live line; Ctrl-C closes everything on its way out."""
    import asyncio

    with progress.shown():
        return asyncio.run(work)


def _print_result(result: Result, printing: Printing) -> None:
    from ncf.export import output, table
    from ncf.export.json import document, dumps

    if printing.format is Format.JSON:
        output.write(dumps(document(result)) + "\n", printing.output)
    elif printing.output or not sys.stdout.isatty():
        output.write(table.text(result), printing.output)
    else:
        from rich.console import Console

        table.show(result, Console())
    if printing.format is Format.JSON:
        for seed, why in result.seed_failures.items():
            _complain(f"{seed} could not be used: {why}")
    if not printing.quiet:
        _say(NOT_THERE_YET)


def _collect(collecting: Collecting, manner: Manner, store: Store | None, printing: Printing) -> bool:
    """Crawl; True when Ctrl-C stopped it."""
    from ncf import webs
    from ncf.progress import Progress

    progress = Progress(quiet=printing.quiet, verbose=printing.verbose)

    async def work() -> None:
        async with webs.opened(manner) as opened:
            await collecting.run(_access(manner, opened, store), progress.saw)

    try:
        _run(work(), progress)
    except KeyboardInterrupt:
        return True
    return False


def _maybe_store(path: Path | None, *, wanted: bool) -> AbstractContextManager[Store | None]:
    from contextlib import nullcontext

    from ncf.store.store import Store

    return Store.open(path) if wanted else nullcontext()


def _print_crawl(
    collecting: Collecting, kept: tuple[Store | None, Manner], printing: Printing, *, stopped: bool
) -> None:
    """The summary: a document on standard output, or lines on standard error."""
    from ncf.export import crawl, output

    store, manner = kept
    places = [str(place) for place in (store.path if store else None, manner.record) if place]
    if printing.format is Format.JSON:
        output.write(crawl.json_text(collecting, places, stopped=stopped), printing.output)
    elif printing.output:
        output.write(crawl.text(collecting, places, stopped=stopped), printing.output)
    elif not printing.quiet or stopped:
        _say(crawl.text(collecting, places, stopped=stopped).rstrip())


def main() -> int:
    """Run a command; whatever goes wrong is one clear sentence and an exit status, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a question mark
    try:
        return _status(app(standalone_mode=False))
    except KeyboardInterrupt:
        _complain("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough. Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _explain(error)


def _status(returned: object) -> int:
    return returned if isinstance(returned, int) else 0


def _explain(error: Exception) -> int:
    if isinstance(error, typer.Abort):
        _complain("stopped")
        return INTERRUPTED
    if isinstance(error, _ParserError):
        _complain(_parser_sentence(error))
        return WRONG_USAGE
    if isinstance(error, NcfError | CrawlerError):
        _complain(str(error))
        return WRONG_USAGE if isinstance(error, UsageError) else FAILED
    if isinstance(error, OSError):
        _complain(f"{error.filename or 'the system'}: {error.strerror or error}")
        return FAILED
    if os.environ.get("NCF_DEBUG"):
        raise error
    _complain(f"a mistake in ncf itself: {type(error).__name__}: {error}; NCF_DEBUG=1 shows where")
    return FAILED


def _parser_sentence(error: Exception) -> str:
    told = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    text = str(told).rstrip(".")
    sentence = text if text.endswith("?") else f"{text}."
    return f"{sentence} Try '{context.command_path} --help'." if context else sentence


def _complain(text: str) -> None:
    from ncf.export.text import clean

    for line in text.splitlines():
        _say(f"ncf: {clean(line)}")
