"""The rules that a person wrote. They come before every filter and are final (SPEC section 4)."""

from __future__ import annotations

from dataclasses import dataclass

from filters.base import ServerView, Verdict
from filters.patterns import Patterns

NAME = "rules"


@dataclass(frozen=True, slots=True)
class OwnRules:
    """The filter, on a person's table."""

    table: Patterns = Patterns()

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """The lines of the longest suffix that speaks of the host."""
        found = self.table.about(view.host)
        if not found:
            return None
        reason = f"your rules speak of {found[0].host}"
        return Verdict(tuple(entry.rule(NAME) for entry in found), NAME, reason, {"lines": len(found)})
