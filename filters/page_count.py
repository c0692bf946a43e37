"""Filter 4: a small server is one site (NCF 2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from filters.base import ROOT, Rule, ServerView, Verdict

NAME = "page_count"


@dataclass(frozen=True, slots=True)
class PageCount:
    """The filter."""

    most: int = 20  # HTML pages with status 200, queries ignored

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One site; no opinion on a server that was not crawled to its end, for every crawl begins small."""
        pages = int(view.fetched.sum())
        if not view.complete or pages > self.most:
            return None
        reason = f"it has {pages} page{'' if pages == 1 else 's'} in all"
        return Verdict((Rule(ROOT, 1, NAME, reason),), NAME, reason, {"pages": pages})
