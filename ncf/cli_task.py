"""Everything that a find, or the plan of one, needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncf.cli_options import Ecfc

if TYPE_CHECKING:
    from crawler.recording.archive import Archive
    from ncf.cli_options import Printing
    from ncf.find import Means, Question
    from ncf.growth import Access
    from ncf.inlinks.base import InlinkSource
    from ncf.rules import RuleBook
    from ncf.store.store import Store
    from ncf.webs import Manner


@dataclass(frozen=True, slots=True)
class Judging:
    """How servers are divided into sites."""

    book: RuleBook
    ecfc: Ecfc = Ecfc.RULES


@dataclass(frozen=True, slots=True)
class Task:
    """Everything that a find needs to know."""

    question: Question
    manner: Manner
    judging: Judging
    printing: Printing
    fresh: float  # seconds
    top: int | None = None


def opened_sources(task: Task, store: Store, archive: Archive | None) -> tuple[str, dict[str, InlinkSource]]:
    """The name of the Web in the store, and the in-link sources by name."""
    from ncf.inlinks import recording, sources
    from ncf.progress import Counting

    web = recording.name_of(archive) if archive is not None else ""
    with Counting("answers read for in-links", quiet=task.printing.quiet) as counting:
        return web, sources.opened(task.question.inlinks, store, (archive, web), counting.saw)


def means(task: Task, store: Store, reached: Access, sources: tuple[str, dict[str, InlinkSource]]) -> Means:
    """What a question is answered with."""
    from ncf.find import Means

    web, named = sources
    judging = task.judging
    return Means(store, reached, judging.book.patterns, judging.ecfc.value, judging.book.said, web, task.fresh, named)
