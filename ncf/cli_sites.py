"""`ncf sites`: which sites a server has, by which rule, and what every filter said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import Ecfc, EcfcChoice, ListChoice, ListFormat, OutputFile, Quiet, Replay, RulesFile, StoreFile
from ncf.errors import NcfError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ncf.explain import Explanation
    from ncf.rules import RuleBook
    from ncf.store.store import Store

EPILOG = (
    "Examples: ncf sites example.org · ncf sites http://example.org/~alice/a.html --format json"
    " · ncf sites example.org --replay crawl.warc.gz --top 100 · cut -f1 urls.tsv | ncf sites --assign -"
)
_CHUNK = 10_000  # lines written at once


def sites(
    asked: Annotated[
        list[str] | None,
        typer.Argument(metavar="HOST|URL", help="A server to explain, or a URL whose site is asked for."),
    ] = None,
    assign: Annotated[
        str, typer.Option("--assign", metavar="FILE", help="Print `url<TAB>site` for each URL of a file; - is stdin.")
    ] = "",
    top: Annotated[
        int | None, typer.Option(min=1, help="Sites of a server that are listed. [default: 30 in a table, else all]")
    ] = None,
    replay: Replay = None,
    store: StoreFile = None,
    rules: RulesFile = None,
    ecfc: EcfcChoice = Ecfc.RULES,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Which sites a server has, by which rule, and what every filter said.

    Tells it from the store, or from a recording with --replay. Of a URL it first tells which site it lies in, and why.
    """
    from ncf.cli_store import looked_at, rules_of
    from ncf.export import output as out

    if bool(asked) == bool(assign):
        raise UsageError("give a host or URL to explain, or --assign FILE, one of the two; see `ncf sites --help`")
    if assign and format_ is not ListFormat.TABLE:
        raise UsageError("--assign writes lines of URL, tab and site, and has no other --format")
    out.check(output)
    wanted = [_wanted(text) for text in asked or ()]
    book = rules_of(rules, quiet=quiet).book
    with looked_at(store, replay, quiet=quiet) as kept:
        if assign:
            _assign(assign, book, kept, ecfc, output, quiet=quiet)
        else:
            _print(_explained(wanted, book, kept, ecfc), format_, output, top)


def _wanted(text: str) -> tuple[str, bool]:
    """The address of what a person typed, and whether it is a URL rather than a host."""
    from ncf.seeds import address

    try:
        return address(text), "/" in text
    except UsageError as error:
        raise UsageError(f"{error}; give a host such as example.org, or a URL") from None


def _explained(wanted: list[tuple[str, bool]], book: RuleBook, store: Store, ecfc: Ecfc) -> Explanation:
    from crawler import urls
    from ncf.atlas import chart
    from ncf.explain import explain

    atlas = chart(store, book, {urls.server(address) for address, _ in wanted}, ecfc.value)
    return explain(store, atlas, wanted)


def _print(told: Explanation, form: ListFormat, output: Path | None, top: int | None) -> None:
    from ncf.export import output as out
    from ncf.export import parts, sites

    match form:
        case ListFormat.JSON:
            out.write(sites.json_text(told, top), output)
        case ListFormat.CSV:
            out.write(sites.csv_text(told, top), output)
        case ListFormat.TABLE:
            parts.show(sites.parts(told, top), output)


def _assign(source: str, book: RuleBook, store: Store, ecfc: Ecfc, output: Path | None, *, quiet: bool) -> None:
    from ncf.assign import Assignment
    from ncf.progress import say

    assignment = Assignment(book, store, ecfc.value)
    _write(assignment.assign(_lines(source)), output)
    if assignment.strange and not quiet:
        verb = "is" if assignment.strange == 1 else "are"
        say(f"{assignment.strange} of the lines {verb} no URL; no site stands after the tab")


def _lines(source: str) -> list[str]:
    """The URLs of a file, one a line; what stands after a tab is left out."""
    import sys

    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "the name is not valid"
        raise NcfError(f"--assign {source} cannot be read: {why}") from None
    text = data.decode("utf-8", "replace").removesuffix("\n")
    return [line.partition("\t")[0].strip() for line in text.split("\n")] if data else []


def _write(pairs: Iterable[tuple[str, str]], output: Path | None) -> None:
    from itertools import islice

    from ncf.export import output as out

    rows = _rows(pairs)
    out.stream(iter(lambda: "".join(islice(rows, _CHUNK)), ""), output)


def _rows(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    from ncf.export.text import clean

    return (f"{text if text.isprintable() else clean(text)}\t{site}\n" for text, site in pairs)
