"""Only crawl: pages and links into the store, or into a recording."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from crawler import urls
from crawler.bounds import everywhere
from crawler.crawl import Crawl
from crawler.model import Budget, Cut, Fetched, Stats
from ncf.growth import Access, why_useless
from ncf.intake import SECONDS, TOGETHER
from ncf.store.webs import web_id

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from crawler.model import Record
    from ncf.store.store import Store

SCOPES = ("server", "any")


@dataclass(frozen=True, slots=True)
class Errand:
    """What is asked for."""

    starts: tuple[str, ...]
    scope: str = "server"
    budget: Budget = field(default_factory=Budget)


class Collecting:
    """One crawl; its counts can be read while it runs and after it was stopped."""

    def __init__(self, errand: Errand, store: Store | None = None) -> None:
        self.errand = errand
        self.stats = Stats()
        self.cut: list[Cut] = []
        self.failures: dict[str, str] = {}  # of start URLs: why nothing came of them
        self.stopped = ""  # why it ended before its time
        self._store = store
        self._records: list[Record] = []
        self._web = 0
        self._since = time.monotonic()

    async def run(self, access: Access, watch: Callable[[Record, Stats], None] | None = None, web: str = "") -> None:
        """Crawl until it is done or stopped; `web` is the name of a recording."""
        if self._store and web:
            self._web = web_id(self._store, web)
        crawl = Crawl(
            self.errand.starts,
            scope=self._scope(),
            budget=self.errand.budget,
            settings=access.settings,
            web=access.web,
            recorder=access.recorder,
            notebook=access.notebook,
            brake=access.brake,
        )
        self.stats = crawl.stats
        try:
            async with aclosing(cast("AsyncGenerator[Record]", crawl.records())) as records:
                async for record in records:
                    self._take(record)
                    if watch:
                        watch(record, crawl.stats)
        finally:
            self._flush()
            self.cut, self.stopped = crawl.cut, crawl.stopped

    def _scope(self) -> Callable[[str], bool]:
        servers = {urls.server(start) for start in self.errand.starts}
        return everywhere if self.errand.scope == "any" else lambda url: urls.server(url) in servers

    def _take(self, record: Record) -> None:
        self._records.append(record)
        if len(self._records) >= TOGETHER or time.monotonic() - self._since >= SECONDS:
            self._flush()
        if record.hops == 0 and (why := why_useless(record)):
            self.failures[urls.key(record.asked if isinstance(record, Fetched) else record.url)] = why

    def _flush(self) -> None:
        """Commit what waits."""
        records, self._records = self._records, []
        if self._store:
            self._store.keep_all(records, web=self._web)
        self._since = time.monotonic()

    def hopeless(self) -> list[str]:
        """A sentence for each start URL, when nothing came of any of them."""
        found = {start: self.failures.get(urls.key(start)) for start in self.errand.starts}
        if not all(found.values()):
            return []
        return [f"{start} could not be used: {why}" for start, why in found.items()]
