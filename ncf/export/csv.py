"""Rows as CSV that a spreadsheet can open without running what strangers wrote."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell that begins so is a formula to spreadsheets


def cell(text: str) -> str:
    """Text of strangers as one cell: a formula gets an apostrophe before it.

    >>> cell("=1+1"), cell("plain"), cell("\\t@x"), cell("\\x1b=1")
    ("'=1+1", 'plain', "'@x", "'=1")
    """
    cleaned = clean(text)  # which can bring a formula to the front
    return f"'{cleaned}" if text.startswith(_FORMULA) or cleaned.startswith(_FORMULA) else cleaned


def rows_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with its head; every text in it is made safe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([cell(one) if isinstance(one, str) else one for one in row] for row in rows)
    return out.getvalue()
