"""Text of strangers, made safe for a terminal."""

from __future__ import annotations

import re
import unicodedata

# Controls, formats (bidi overrides, zero-width, tags), surrogates and private use draw nothing honest on a terminal.
UNSAFE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_SPACES = re.compile(r"[\t\n\r\v\f\x85\u2028\u2029 ]+")
_MAX_MARKS = 4  # combining marks on one letter; piled higher, they paint over other lines


def clean(text: str) -> str:
    """One line without anything that steers a terminal or changes the direction of writing.

    >>> clean("a\\x1b[31m\\u202eb\\nc")
    'a[31mb c'
    """
    text = _SPACES.sub(" ", text).strip()
    if text.isascii() and text.isprintable():
        return text
    return _without_piles("".join(char for char in text if unicodedata.category(char) not in UNSAFE))


def _without_piles(text: str) -> str:
    out, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= _MAX_MARKS:
            out.append(char)
    return "".join(out)
