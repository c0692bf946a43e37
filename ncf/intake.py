"""Records on their way into the store, a batch at a time: one by one, committing would cost more than crawling."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ncf.store import rows, taken

if TYPE_CHECKING:
    from crawler.model import Record
    from ncf.store.store import Store

TOGETHER = 64  # records in one transaction, at most
SECONDS = 0.5  # that a record waits for others, at most, while others come


class Intake:
    """What a kill can cost is one batch, and the pages in flight."""

    def __init__(self, store: Store, run: int, web: int) -> None:
        self._store = store
        self._run, self._web = run, web
        self._records: list[Record] = []
        self._taken: list[tuple[str, int]] = []
        self._since = time.monotonic()

    def take(self, record: Record, hops: int) -> None:
        """Keep a record, and note that it belongs to the run's graph; of a copy only the way to it may be new."""
        if not record.copy or record.redirects:
            self._records.append(record)
        self._taken += [(key, hops) for key in rows.keys(record)]
        if len(self._taken) >= TOGETHER or time.monotonic() - self._since >= SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit what waits."""
        records, found = self._records, self._taken
        self._records, self._taken = [], []
        with self._store.writing():
            self._store.keep_all(records, run=self._run, web=self._web)
            taken.add(self._store, found)
        self._since = time.monotonic()
