"""`ncf find`, the main job, and `ncf demo`, the same on the recorded demo web."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import (
    AllowPrivate,
    Contact,
    Delay,
    Ecfc,
    EcfcChoice,
    ListChoice,
    ListFormat,
    OutputFile,
    Printing,
    Quiet,
    RecordFile,
    Replay,
    RulesFile,
    StoreFile,
    Strict,
    Top,
    Urls,
    Verbose,
)
from ncf.cli_run import CUT_OFF, INTERRUPTED, say
from ncf.cli_task import Judging, Task
from ncf.errors import UsageError

if TYPE_CHECKING:
    from crawler.brake import Brake
    from crawler.recording.archive import Archive
    from ncf.growth import Limits
    from ncf.inlinks.base import InlinkSource
    from ncf.progress import FindProgress
    from ncf.result import Result
    from ncf.store.store import Store

EPILOG = (
    "Examples: ncf find example.org/~alice/ --growth 2 --contact you@example.org · ncf find URL --plan"
    " · ncf find URL --replay crawl.warc.gz --format json --output result.json · ncf find URL --offline"
    " · ncf find URL --exclude example.org/forum/"
)
DEMO_EPILOG = "Example: ncf demo --format json"
# Of the live Web, so that a first answer comes within about a quarter of an hour; the same command goes on from there.
PAGES, SITES, MINUTES = 10_000, 100, 15.0
UNLIMITED = 1 << 40  # a recording has an end and disturbs nobody


class Method(StrEnum):
    """How communities are found."""

    CLIQUES = "cliques"


def find(
    seeds: Urls,
    growth: Annotated[int, typer.Option(min=0, help="Steps away from the seeds; 0 is their sites alone.")] = 1,
    method: Annotated[Method, typer.Option(help="How communities are found.")] = Method.CLIQUES,
    max_pages: Annotated[
        int | None, typer.Option(min=1, help="Pages that are asked for in all. [default: 10000; in replay no limit]")
    ] = None,
    pages_per_site: Annotated[
        int | None,
        typer.Option(min=1, help="Pages of one site. [default: 600; 300 of a server whose sites are not known]"),
    ] = None,
    sites_per_step: Annotated[
        int | None, typer.Option(min=1, help="New sites that a growth step crawls. [default: 100; in replay no limit]")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="Stop after so many minutes. [default: 15; in replay no limit]")
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="PATTERN", help="A host or directory that is left out; repeatable."),
    ] = None,
    inlinks: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Who links to the graph, besides the store: recording (what is replayed), or a file; repeatable."
            " [default: none]",
        ),
    ] = None,
    fresh: Annotated[
        str,
        typer.Option(metavar="AGE", help="Pages of the store younger than this are not asked for again: 30d, 12h, 0."),
    ] = "30d",
    offline: Annotated[bool, typer.Option("--offline", help="Ask nobody: answer from the store alone.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what would be asked of whom, and how long it takes; fetch nothing.")
    ] = False,
    replay: Replay = None,
    record: RecordFile = None,
    store: StoreFile = None,
    rules: RulesFile = None,
    ecfc: EcfcChoice = Ecfc.RULES,
    delay: Delay = None,
    contact: Contact = "",
    allow_private: AllowPrivate = False,
    strict: Strict = False,
    format_: ListChoice = ListFormat.TABLE,
    top: Top = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find the communities around web sites.

    Crawls the sites of the URLs and their neighbors politely, decides which directories are sites of their own, and
    prints the groups of sites that all link to each other. What was fetched is kept: the same command goes on where it
    was, after it was killed or cut off by a budget.
    """
    from ncf import cli_run
    from ncf.ages import seconds
    from ncf.cli_store import rules_of
    from ncf.exclude import Excluded
    from ncf.find import Question
    from ncf.inlinks.sources import chosen
    from ncf.webs import Manner

    if offline and record:
        raise UsageError("--offline asks nobody, so there is nothing to --record")
    Excluded.parse(exclude or ())
    limits = _limits(max_pages, pages_per_site, sites_per_step, minutes, endless=bool(replay) or offline)
    question = Question(
        cli_run.addresses(seeds),
        growth,
        method.value,
        limits,
        tuple(exclude or ()),
        chosen(inlinks or (), replay=bool(replay)),
    )
    printing = Printing(format_, output, quiet, verbose)
    manner = Manner(tuple(replay or ()), record, delay, contact, allow_private, offline)
    judging = Judging(rules_of(rules, quiet=quiet).book, ecfc)
    age = float("inf") if offline else seconds(fresh)
    task = Task(question, cli_run.checked(manner, printing), judging, printing, age, top)
    if plan:
        from ncf.cli_plan import print_plan

        print_plan(task, store)
        return
    _answer(task, store, strict=strict)


def demo(
    store: Annotated[Path | None, typer.Option("--store", help="Keep the pages in this store.")] = None,
    format_: ListChoice = ListFormat.TABLE,
    top: Top = None,
    output: OutputFile = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Find communities in a recorded web that comes with ncf, without a network."""
    import tempfile

    from ncf import cli_run, data
    from ncf.find import Question
    from ncf.rules import RuleBook
    from ncf.webs import Manner

    limits = _limits(None, None, None, None, endless=True)
    question = Question((data.DEMO_SEED,), data.DEMO_GROWTH, limits=limits)
    printing = Printing(format_, output, quiet, verbose)
    manner = cli_run.checked(Manner((data.demo_recording(),)), printing)
    with tempfile.TemporaryDirectory(prefix="ncf-demo-") as folder:
        task = Task(question, manner, Judging(RuleBook()), printing, float("inf"), top)
        _answer(task, store or Path(folder) / "demo.sqlite")


def _limits(
    pages: int | None, per_site: int | None, per_step: int | None, minutes: float | None, *, endless: bool
) -> Limits:
    from ncf.growth import Limits

    caps = {} if per_site is None else {"site_pages": per_site, "server_pages": per_site}
    return Limits(
        max_pages=pages or (UNLIMITED if endless else PAGES),
        sites_per_step=per_step or (UNLIMITED if endless else SITES),
        minutes=minutes if minutes or endless else MINUTES,
        **caps,
    )


def _answer(task: Task, path: Path | None, *, strict: bool = False) -> None:
    """Find, print and remember."""
    from ncf import cli_run
    from ncf.store.store import Store

    with Store.open(path) as store, cli_run.recording(task.manner, quiet=task.printing.quiet) as archive:
        result, stopped = _found(task, store, archive)
        _print(result, task)
    if stopped == "stopped":
        raise typer.Exit(INTERRUPTED)
    if strict and not result.complete:
        raise typer.Exit(CUT_OFF)


def _found(task: Task, store: Store, archive: Archive | None) -> tuple[Result, str]:
    """The result, and why the run ended before its time."""
    from crawler.brake import Brake
    from ncf import cli_run, cli_task
    from ncf.export.json import document, dumps
    from ncf.progress import FindProgress
    from ncf.store import runs, webs

    store.lease()
    if task.manner.replay and not task.printing.quiet and webs.holds_live(store):
        say("this store holds pages of the live Web; the recording's take the place of the same: --store names another")
    brake = Brake()
    progress = FindProgress(
        task.question.growth, task.question.limits, quiet=task.printing.quiet, verbose=task.printing.verbose
    )
    sources = cli_task.opened_sources(task, store, archive)
    with progress.shown():
        result = cli_run.run(_ask(task, store, (archive, brake), sources, progress), brake, progress.stopping)
    stopped = next((cut.what for cut in result.cut if cut.what in ("stopped", "network")), "")
    (runs.note if stopped else runs.finish)(store, result.run, dumps(document(result)))
    return result, stopped


async def _ask(
    task: Task,
    store: Store,
    recorded: tuple[Archive | None, Brake],
    sources: tuple[str, dict[str, InlinkSource]],
    progress: FindProgress,
) -> Result:
    from ncf import cli_run, cli_task, find, webs

    archive, brake = recorded
    async with webs.opened(task.manner, archive) as opened:
        reached = cli_run.access(task.manner, opened, store, brake)
        watch = find.Watch(progress.record, progress.step, progress.surveying)
        return await find.find(task.question, cli_task.means(task, store, reached, sources), watch)


def _print(result: Result, task: Task) -> None:
    from ncf.export import find_csv, output, table
    from ncf.export.json import document, dumps

    printing = task.printing
    match printing.format:
        case ListFormat.JSON:
            output.write(dumps(document(result)) + "\n", printing.output)
        case ListFormat.CSV:
            output.write(find_csv.text(result), printing.output)
        case ListFormat.TABLE:
            table.write(result, printing.output, task.top)
    if printing.format is not ListFormat.TABLE:
        for seed, why in result.seed_failures.items():
            say(f"ncf: {_clean(seed)} could not be used: {_clean(why)}")


def _clean(text: str) -> str:
    from ncf.export.text import clean

    return clean(text)
