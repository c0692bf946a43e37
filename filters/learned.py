"""What filters 5, 6 and ECFC found on an earlier visit (NCF 3.2, step 3a), until the server has grown by half."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from filters.base import Rule, ServerView, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "learned"
GROWTH = 1.5  # a verdict on n pages holds while the server has fewer than this times n


@dataclass(frozen=True, slots=True)
class Lesson:
    """What was found on one server, and on how many fetched pages."""

    pages: int
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Learned:
    """The filter, on the lessons of a store."""

    lessons: Mapping[str, Lesson] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """The rules of the last visit, also when there were none; no opinion once the server has outgrown them."""
        lesson = self.lessons.get(view.server)
        if lesson is None or int(view.fetched.sum()) >= GROWTH * max(lesson.pages, 1):
            return None
        reason = f"judged before, on {lesson.pages} page{'' if lesson.pages == 1 else 's'}"
        return Verdict(lesson.rules, NAME, reason, {"pages": lesson.pages, "rules": len(lesson.rules)})
