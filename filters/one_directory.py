"""Filter 3: a server with at most one directory is one site (NCF 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

from filters.base import ROOT, Rule, ServerView, Verdict

NAME = "one_directory"


@dataclass(frozen=True, slots=True)
class OneDirectory:
    """The filter."""

    most: int = 1  # directories that directly hold a page, the root left out

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One site; no opinion on a server that was not crawled to its end, for what is missing could be users."""
        if not view.complete:
            return None
        holding = {path[: path.rindex("/") + 1] for path in compress(view.paths, view.fetched.tolist())} - {ROOT}
        if len(holding) > self.most:
            return None
        reason = f"it has {len(holding)} director{'y' if len(holding) == 1 else 'ies'} with pages besides the root"
        return Verdict((Rule(ROOT, 1, NAME, reason),), NAME, reason, {"directories": len(holding)})
