"""Where a crawl begins and how far it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler import urls

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


def everywhere(url: str) -> bool:
    """The scope without borders."""
    return True


@dataclass(frozen=True, slots=True)
class Start:
    """Where a crawl begins; one with hops comes after what is nearer."""

    address: str
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a crawl goes. `scope` and `group` take canonical URLs, and say the same of all names of one page.

    With `stay`, the groups are crawls of their own that share servers and budget: which pages are fetched then depends
    on what the Web answers, never on when. Without it, a link into another group may come sooner or later.
    """

    scope: Callable[[str], bool] = everywhere
    group: Callable[[str], str] = urls.server  # what pages per group are counted by
    stay: bool = False  # follow links and redirects within the page's own group only
    groups: Collection[str] = ()  # where known beforehand: they share the budget equally
