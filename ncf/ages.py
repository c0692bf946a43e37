"""How old a page may be, as a person types it."""

from __future__ import annotations

import re

from ncf.errors import UsageError

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_AGE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smhdw]?)", re.ASCII)


def seconds(text: str) -> float:
    """An age in seconds; a number alone is days.

    >>> seconds("30d"), seconds("12h"), seconds("0"), seconds("2")
    (2592000.0, 43200.0, 0.0, 172800.0)
    """
    found = _AGE.fullmatch(text.strip().lower())
    if not found:
        raise UsageError(f"--fresh {text!r} is no age: a number with s, m, h, d or w, such as 30d or 12h")
    return float(found[1]) * UNITS[found[2] or "d"]
