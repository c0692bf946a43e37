"""Answers made of tables and sentences: drawn on a terminal, or as plain text where there is none."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ncf.export import output
from ncf.export.table import FILE_WIDTH
from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Part = Table | Text


def table(*heads: str, right: Iterable[str] = ()) -> Table:
    """An empty table; the columns that are named hold numbers."""
    found = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    numbers = frozenset(right)
    for head in heads:
        if head in numbers:
            found.add_column(head, justify="right", no_wrap=True)
        else:
            found.add_column(head, overflow="fold")
    return found


def add(to: Table, *cells: object) -> None:
    """Add a row. Text, never a string: rich would read [/] in a title as markup."""
    to.add_row(*(Text(clean(str(one))) for one in cells))


def line(text: str = "", *, inset: int = 0) -> Text:
    """A sentence, or a line that belongs to the one before."""
    return Text(" " * inset + clean(text))


def plain(parts: Iterable[Part]) -> str:
    """The parts as they stand in a file."""
    out = io.StringIO()
    _draw(parts, Console(file=out, width=FILE_WIDTH, color_system=None))
    return "\n".join(one.rstrip() for one in out.getvalue().splitlines()) + "\n"


def show(parts: Iterable[Part], path: Path | None) -> None:
    """Draw on the terminal, or write to a file or a pipe."""
    if path is None and sys.stdout.isatty():
        _draw(parts, Console(highlight=False))
    else:
        output.write(plain(parts), path)


def _draw(parts: Iterable[Part], console: Console) -> None:
    for part in parts:
        # In a file a sentence stays on one line, where a program finds it whole.
        console.print(part, highlight=False, soft_wrap=isinstance(part, Text) and not console.is_terminal)
