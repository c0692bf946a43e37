"""What a crawl has spent of its budget, and what that left undone."""

from __future__ import annotations

import time
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING

from crawler.model import Cut, Fetched

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawler.model import Budget, Record


class Leave(Enum):
    """Whether a page may be asked for."""

    YES = "yes"
    NOT_YET = "not yet"  # its group has had its share of the budget until the others have had theirs
    NO = "no"  # its group has all the pages that it may have


class Cost(Enum):
    """What a record cost in this run."""

    NOTHING = 0  # a copy
    REQUEST = 1  # a request that led to no page, or to a copy of one
    PAGE = 2


class Purse:
    """One number of the budget, spent by groups; dealt out in equal shares where they are known beforehand.

    >>> purse = Purse(7, ["a", "b", "c"])
    >>> [purse.share(name) for name in "abc"]
    [3, 2, 2]
    >>> purse.spend("b"); purse.spend("b"); purse.deal(["a", "b"])
    >>> [purse.share(name) for name in "abc"]
    [3, 4, 2]
    """

    def __init__(self, limit: int | None, groups: Collection[str]) -> None:
        self._limit = limit
        self._shared = limit is not None and bool(groups)
        self._shares: Counter[str] = Counter()
        self._by_group: Counter[str] = Counter()
        self.spent = 0
        self.deal(groups)

    @property
    def left(self) -> int | None:
        """What is not spent; None when there is no limit."""
        return None if self._limit is None else max(0, self._limit - self.spent)

    def deal(self, groups: Collection[str]) -> None:
        """Give what is left to the groups that want more."""
        wanting = sorted(set(groups))
        if not self._shared or not wanting:
            return
        share, more = divmod(self.left or 0, len(wanting))
        for place, name in enumerate(wanting):
            self._shares[name] = self._by_group[name] + share + (place < more)

    def share(self, group: str) -> int:
        """How much a group may spend in all, until the next dealing."""
        return self._shares[group]

    def allows(self, group: str, flying: int) -> bool:
        """Whether a group may spend one more, while so many are under way."""
        return not self._shared or self._by_group[group] + flying < self._shares[group]

    def covers(self, flying: int) -> bool:
        """Whether one more may be spent, whoever does; where there are shares, they see to it."""
        return self._shared or self._limit is None or self.spent + flying < self._limit

    def spend(self, group: str) -> None:
        """One less."""
        self.spent += 1
        if self._shared:
            self._by_group[group] += 1


class Ledger:
    """Counts pages, requests, hops and seconds against a budget. Pages under way count as if they were had.

    Where the groups are known beforehand, pages and requests are dealt out to them in equal shares, and what is left
    of that again: so the same pages are asked for whoever answers first.
    """

    def __init__(self, budget: Budget, groups: Collection[str] = ()) -> None:
        self._budget = budget
        self._pages = Purse(budget.max_pages, groups)
        self._requests = Purse(budget.requests, groups)
        self._dealt = bool(groups) and budget.requests is not None  # which max_pages alone sets too
        self._had: Counter[str] = Counter()  # pages by group, copies included
        self._flying: Counter[str] = Counter()
        self._aloft = 0
        self._refused: Counter[str] = Counter()
        self._beyond_hops = 0
        self._unheld = 0
        self._left = 0
        self._stopper = ""
        self._started = time.monotonic()

    def start(self) -> None:
        """The clock runs from here."""
        self._started = time.monotonic()

    def seconds(self) -> float:
        """How long the crawl runs."""
        return time.monotonic() - self._started

    def in_time(self) -> bool:
        """Whether there is time left."""
        return self._budget.max_seconds is None or self.seconds() < self._budget.max_seconds

    def clip(self, wait: float | None) -> float | None:
        """No wait beyond the end of the time."""
        if self._budget.max_seconds is None:
            return wait
        left = max(0.0, self._budget.max_seconds - self.seconds())
        return left if wait is None else min(wait, left)

    def open(self) -> bool:
        """Whether another page may be asked for."""
        return self._pages.covers(self._aloft) and self._requests.covers(self._aloft)

    def deal(self, groups: Collection[str]) -> bool:
        """Deal out what is left to the groups that want more; False when nothing is left to deal."""
        if self._dealt and (self._pages.left == 0 or self._requests.left == 0):
            return False
        self._pages.deal(groups)
        self._requests.deal(groups)
        return True

    def admits(self, group: str, *, free: bool = False) -> Leave:
        """Whether a group may have another page; the ones it may not are counted. What is free costs no share."""
        cap, flying = self._cap(group), self._flying[group]
        if cap is not None and self._had[group] >= cap:
            self._refused[group] += 1
            return Leave.NO
        if cap is not None and self._had[group] + flying >= cap:
            return Leave.NOT_YET  # what is under way may come to nothing
        if free or (self._pages.allows(group, flying) and self._requests.allows(group, flying)):
            return Leave.YES
        return Leave.NOT_YET

    def _cap(self, group: str) -> int | None:
        cap = self._budget.max_pages_per_group
        return cap(group) if callable(cap) else cap

    def within_hops(self, hops: int) -> bool:
        """Whether a link is near enough; the ones that are not are counted."""
        near = hops <= self._budget.max_hops
        self._beyond_hops += not near
        return near

    def started(self, group: str) -> None:
        """A page is asked for."""
        self._flying[group] += 1
        self._aloft += 1

    def landed(self, group: str) -> None:
        """A page request is over, whatever came of it."""
        self._flying[group] -= 1
        self._aloft -= 1

    def emitted(self, record: Record, group: str, cost: Cost) -> None:
        """Count a record."""
        page = isinstance(record, Fetched) and record.is_page
        self._had[group] += page
        if page and cost is Cost.PAGE:
            self._pages.spend(group)
        if cost is not Cost.NOTHING:
            self._requests.spend(group)

    def unheld(self) -> None:
        """Nobody may be asked for a page, and there is no copy of it."""
        self._unheld += 1

    def close(self, left: int, stopped: str = "") -> None:
        """The crawl ends with so many pages unasked; `stopped` says by whom, if it was none of the budget's limits."""
        self._left, self._stopper = left, stopped or self._limit()

    def _limit(self) -> str:
        if not self.in_time():
            return "minutes"
        if self._pages.left == 0:
            return "max-pages"
        return "max-requests" if self._requests.left == 0 else "stopped"  # by who iterated, and left

    def cut(self) -> list[Cut]:
        """What was left undone, each cause with its count."""
        cut = []
        unasked = f"{self._left} known pages were not asked for"
        if self._stopper == "network":
            what = unasked if self._left else "the last pages could not be had"
            cut.append(Cut("network", f"the network does not answer: {what}"))
        elif self._left:
            cut.append(Cut(self._stopper, unasked))
        if self._unheld:
            cut.append(Cut("offline", f"{self._unheld} known pages are not in the store"))
        for name, count in sorted(self._refused.items()):
            cut.append(Cut("pages-per-site", f"{count} known pages of {name} were not asked for"))
        if self._beyond_hops:
            cut.append(Cut("max-hops", f"{self._beyond_hops} links lead further than {self._budget.max_hops} hops"))
        return cut
