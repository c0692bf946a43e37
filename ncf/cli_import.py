"""`ncf import`: recordings and edge lists into the store."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import Format, FormatChoice, OutputFile, Quiet, StoreFile
from ncf.cli_run import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from ncf.imports import Imported

EPILOG = (
    "Examples: ncf import crawl.warc.gz · ncf import archive/ links.csv.gz"
    " · ncf import old.warc.gz && ncf find example.org --offline"
)


def import_(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="A WARC, a folder of them, or an edge list (CSV or TSV).")
    ],
    store: StoreFile = None,
    format_: FormatChoice = Format.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Take recordings and edge lists into the store.

    Of a WARC every page, link and redirect is kept, as old as it was recorded, unless the store has a later copy;
    `ncf find --offline` then answers from it. Of an edge list the links between URLs are kept as claims of who links
    where. A file may be imported again, and an import that was interrupted is repeated without harm.
    """
    from ncf import imports
    from ncf.export import output as out
    from ncf.progress import say
    from ncf.store.store import Store

    out.check(output)
    for path in files:
        imports.kind(path)  # what cannot be read is said before a store is made
    with Store.open(store) as kept, ExitStack() as counting:
        try:
            told = imports.take(kept, files, _watching(counting, quiet=quiet))
        except KeyboardInterrupt:
            say("ncf: stopped; what was read so far is kept, and the same command reads the rest")
            raise typer.Exit(INTERRUPTED) from None
    _print(told, format_, output, quiet=quiet)


def _watching(stack: ExitStack, *, quiet: bool) -> Callable[[str], Callable[[int, int], None]]:
    """A live count for each thing that is done."""
    from ncf.progress import Counting

    return lambda what: stack.enter_context(Counting(what, quiet=quiet)).saw


def _print(told: Imported, form: Format, output: Path | None, *, quiet: bool) -> None:
    """A document on standard output, or a line on standard error, as `ncf crawl` does."""
    from ncf.export import holdings
    from ncf.export import output as out
    from ncf.export.text import clean
    from ncf.progress import say

    summary = clean(holdings.imported_text(told))
    if form is Format.JSON:
        out.write(holdings.imported_json(told), output)
    elif output:
        out.write(summary + "\n", output)
    elif not quiet:
        say(summary)
    for remark in () if quiet else [remark for one in told.edges for remark in one.remarks]:
        say(clean(remark))
