"""What a crawl has spent of its budget, and what that left undone."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from crawler.model import Cut, Failed, Fetched, Reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.model import Budget, Record

_UNASKED = (Reason.ROBOTS, Reason.PARKED)  # failures that cost no request


class Ledger:
    """Counts pages, requests, hops and seconds against a budget. Pages under way count as if they were had."""

    def __init__(self, budget: Budget, group: Callable[[str], str]) -> None:
        self._budget = budget
        self._group = group
        self._pages = 0
        self._requests = 0
        self._flying = 0
        self._by_group: Counter[str] = Counter()
        self._skipped_by_group: Counter[str] = Counter()
        self._beyond_hops = 0
        self._left = 0
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
        pages, requests = self._budget.max_pages, self._budget.requests
        return (pages is None or self._pages + self._flying < pages) and (
            requests is None or self._requests + self._flying < requests
        )

    def admits(self, url: str) -> bool:
        """Whether a page's group has pages left; the ones it has not are counted."""
        limit = self._budget.max_pages_per_group
        if limit is None or self._by_group[self._group(url)] < limit:
            return True
        self._skipped_by_group[self._group(url)] += 1
        return False

    def within_hops(self, hops: int) -> bool:
        """Whether a link is near enough; the ones that are not are counted."""
        near = hops <= self._budget.max_hops
        self._beyond_hops += not near
        return near

    def started(self) -> None:
        """A page is asked for."""
        self._flying += 1

    def landed(self) -> None:
        """A page request is over, whatever came of it."""
        self._flying -= 1

    def emitted(self, record: Record) -> None:
        """Count a record."""
        if isinstance(record, Fetched) or (isinstance(record, Failed) and record.reason not in _UNASKED):
            self._requests += 1
        if isinstance(record, Fetched) and (record.unchanged or (record.page is not None and record.status == 200)):
            self._pages += 1
            if self._budget.max_pages_per_group is not None:
                self._by_group[self._group(record.url)] += 1

    def close(self, left: int) -> None:
        """The crawl ends with so many pages unasked."""
        self._left = left

    def cut(self) -> list[Cut]:
        """What the budget left undone, each limit with its count."""
        cut = []
        if self._left:
            cut.append(Cut(self._stopper(), f"{self._left} known pages were not asked for"))
        for name, count in sorted(self._skipped_by_group.items()):
            cut.append(Cut("pages-per-site", f"{count} known pages of {name} were not asked for"))
        if self._beyond_hops:
            cut.append(Cut("max-hops", f"{self._beyond_hops} links lead further than {self._budget.max_hops} hops"))
        return cut

    def _stopper(self) -> str:
        if not self.in_time():
            return "minutes"
        pages = self._budget.max_pages
        return "max-pages" if pages is not None and self._pages >= pages else "max-requests"
