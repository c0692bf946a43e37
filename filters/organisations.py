"""Filter 2: known companies and organisations whose server is one site (NCF 2.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from filters.base import ROOT, Rule, ServerView, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "organisations"


@dataclass(frozen=True, slots=True)
class Organisations:
    """The filter, on its table: host suffix and who that is."""

    table: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One site, when a suffix of the host is in the table."""
        name = view.host
        while name and name not in self.table:
            name = name.partition(".")[2]
        if not name:
            return None
        reason = f"{name} is known to be one site ({self.table[name]})" if self.table[name] else f"{name} is one site"
        return Verdict((Rule(ROOT, 1, NAME, reason),), NAME, reason, {"lines": 1})


def parse(text: str) -> Mapping[str, str]:
    """Read the table: host suffix and note, separated by a tab.

    >>> parse("sony.co.jp\\tSony")
    {'sony.co.jp': 'Sony'}
    """
    lines = (line.partition("\t") for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return {host.strip().lower(): note.strip() for host, _, note in lines}
