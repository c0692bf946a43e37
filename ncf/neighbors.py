"""Which sites come next: those that the graph links to or that link to it, the best known first (NCF, section 3)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ncf.inlinks.base import asked
from ncf.store import graph

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ncf.exclude import Excluded
    from ncf.homes import Homes
    from ncf.hubs import Hubs
    from ncf.inlinks.base import InlinkSource
    from ncf.store.store import Store


@dataclass(slots=True)
class Neighbor:
    """A site beside the graph."""

    starts: dict[str, str] = field(default_factory=dict)  # canonical URLs, and what to ask for
    beside: set[str] = field(default_factory=set)  # the sites of the graph that it is linked with
    links: int = 0


@dataclass(slots=True)
class Passed:
    """A site that is not grown through."""

    kind: str  # of hub; empty when a pattern excludes it
    pattern: str = ""
    beside: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Beside:
    """What stands beside a graph."""

    neighbors: dict[str, Neighbor] = field(default_factory=lambda: defaultdict(Neighbor))
    passed: dict[str, Passed] = field(default_factory=dict)

    def ranked(self) -> list[tuple[str, Neighbor]]:
        """Those that most sites of the graph are linked with first, then by links, then by name."""
        return sorted(self.neighbors.items(), key=lambda item: (-len(item[1].beside), -item[1].links, item[0]))


@dataclass(frozen=True, slots=True)
class Gate:
    """What is not grown through."""

    hubs: Hubs
    excluded: Excluded

    def judge(self, url: str) -> Passed | None:
        """Why a URL is passed by; None when it is not."""
        pattern = self.excluded.matches(url)
        if pattern:
            return Passed("", pattern)
        kind = self.hubs.of(url)
        return Passed(kind) if kind else None


@dataclass(frozen=True, slots=True)
class Search:
    """Where to look for neighbors."""

    store: Store
    homes: Homes
    is_open: Callable[[str], bool]  # whether a site may have more pages: it is new, or below its cap
    gate: Gate
    sources: Sequence[InlinkSource] = ()

    def around(self) -> Beside:
        """Everything beside the pages that were taken."""
        found = Beside()
        self._by_outlinks(found)
        if self.sources:
            self._by_inlinks(found)
        return found

    def _by_outlinks(self, found: Beside) -> None:
        rows = graph.outward(self.store)
        targets, sources = set(rows[:, 0].tolist()), set(rows[:, 1].tolist())
        names = graph.urls(self.store, sorted(targets | sources))
        home = {number: self.homes.of(url).key for number, (url, _) in names.items()}
        outside = {number for number in targets if self.is_open(home[number])}
        for target, source, count in rows.tolist():
            if target in outside:
                self._meet(found, home[target], names[target], home[source], count)

    def _by_inlinks(self, found: Beside) -> None:
        pages = [page.url for page in graph.pages(self.store)]
        for source in self.sources:
            linking = sorted(asked(source, pages).items())
            unseen = graph.untaken(self.store, {url for _, urls in linking for url in urls})
            for page, urls in linking:
                for url in urls:
                    home = self.homes.of(url).key
                    if url in unseen and self.is_open(home):
                        self._meet(found, home, (url, unseen[url]), self.homes.of(page).key, 1)

    def _meet(self, found: Beside, home: str, name: tuple[str, str], beside: str, links: int) -> None:
        url, address = name
        known = found.neighbors.get(home)
        if known is None or url not in known.starts:
            passed = self.gate.judge(url)
            if passed is not None:
                found.passed.setdefault(home, passed).beside.add(beside)
                return
        neighbor = found.neighbors[home]
        neighbor.starts[url] = address
        neighbor.beside.add(beside)
        neighbor.links += links
