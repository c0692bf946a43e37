"""Made-up Webs of several sites, a literal crawler of them, and what a caller keeps of a crawl."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crawler import urls
from crawler.bounds import Bounds
from crawler.copies import Copy, NoCopies
from crawler.model import Alias, Failed, Fetched, Redirect
from tests.support.fakeweb import FakeWeb, Hit, Reply, links, redirect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.model import Record

# Each site's places. The first stands on two servers, the second and third share one.
SITES = {
    "one": ("http://one.test/", "http://uno.test/"),
    "~a": ("http://users.test/~a/",),
    "~b": ("http://users.test/~b/",),
    "four": ("http://four.test/",),
}
STARTS = [places[0] for places in SITES.values()]


def site(url: str) -> str:
    """The site of a URL; its host when it is none of ours."""
    found = [name for name, places in SITES.items() if url.startswith(places)]
    return found[0] if found else urls.server(url)


BOUNDS = Bounds(lambda url: site(url) in SITES, site, stay=True, groups=tuple(SITES))


@dataclass(slots=True)
class MadeWeb:
    """Pages, by URL: their links; a redirect's target; or the status of something else."""

    pages: dict[str, list[str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)  # 200: no HTML

    @classmethod
    def make(cls, seed: int, size: int = 15) -> MadeWeb:
        """A Web of four sites, each of so many addresses, badly kept."""
        chance, web = random.Random(seed), cls()
        names = {
            name: [*places, *(f"{chance.choice(places)}{'d/' * (n % 3)}{n}" for n in range(size))]
            for name, places in SITES.items()
        }
        everything = [url for found in names.values() for url in found]
        for name, found in names.items():
            for url in found:
                anywhere = chance.choice([*found, *found, *found, chance.choice(everything), "http://away.test/"])
                kind = chance.random() if url not in STARTS else 1.0
                if kind < 0.15:
                    web.moved[url] = anywhere
                elif kind < 0.3:
                    web.others[url] = chance.choice((200, 404, 410, 500))
                else:
                    near = chance.sample(found, 3) + [names[name][1]] * (url in STARTS)
                    web.pages[url] = [*near, anywhere]
        return web

    def serve(self, web: FakeWeb, seed: int, *, slowness: float = 0.004, flaky: float = 0.0) -> FakeWeb:
        """Put it on a server that takes its time, another one every time, and fails at first now and then."""
        chance, asked = random.Random(seed), Counter[str]()

        def answer(hit: Hit) -> Reply:
            asked[hit.url] += 1
            wait = chance.random() * slowness
            if asked[hit.url] == 1 and random.Random(f"{seed} {hit.url}").random() < flaky:
                return Reply("busy", status=503, wait=wait)
            return replace(self._reply(hit.url), wait=wait)

        for url in (*self.pages, *self.moved, *self.others):
            web.routes[url] = answer
        return web

    def _reply(self, url: str) -> Reply:
        if url in self.moved:
            return redirect(self.moved[url])
        if url in self.pages:
            return Reply(links(*self.pages[url]))
        status = self.others[url]
        return Reply("%PDF-", status=status, headers={"Content-Type": "application/pdf"} if status == 200 else {})

    # The literal reading of what a crawl fetches: one request at a time, one site after the other.

    def fetched(self, cap: int | None = None, max_pages: int | None = None) -> set[str]:
        """The HTML pages of a crawl with these caps."""
        sites = {name: _LiteralSite(self, name, places[0]) for name, places in SITES.items()}
        left, wanting = max_pages, sorted(sites)
        while wanting and left != 0:
            shares = [len(sites) * 10_000] * len(wanting)
            if left is not None:
                shares = [left // len(wanting) + (place < left % len(wanting)) for place in range(len(wanting))]
            for name, share in zip(wanting, shares, strict=True):
                sites[name].go_on(len(sites[name].had) + share, cap)
            wanting = [name for name in wanting if sites[name].queue and (cap is None or len(sites[name].had) < cap)]
            left = None if max_pages is None else max_pages - sum(len(one.had) for one in sites.values())
        return set().union(*(one.had for one in sites.values()))


class _LiteralSite:
    def __init__(self, web: MadeWeb, name: str, start: str) -> None:
        self._web, self._name = web, name
        self.had: set[str] = set()
        self.seen = {urls.key(start)}
        self.queue = [(0, 1, urls.key(start), start)]

    def go_on(self, share: int, cap: int | None) -> None:
        most = share if cap is None else min(share, cap)
        while self.queue and len(self.had) < most:
            hops, _, _, url = heapq.heappop(self.queue)
            while url in self._web.moved:
                url = self._web.moved[url]
                if site(url) != self._name or urls.key(url) in self.seen:
                    break
                self.seen.add(urls.key(url))
            else:
                self._look_at(url, hops)

    def _look_at(self, url: str, hops: int) -> None:
        if url not in self._web.pages:
            return
        self.had.add(url)
        for link in self._web.pages[url]:
            key = urls.key(link)
            if site(link) == self._name and key not in self.seen:
                self.seen.add(key)
                heapq.heappush(self.queue, (hops + 1, key.count("/"), key, link))


class Kept(NoCopies):
    """What a caller keeps of records: what became of every address, but for what may be over."""

    def __init__(self, records: Iterable[Record] = (), *, mine: bool = True) -> None:
        self.told: dict[str, Fetched | Failed | Redirect] = {}
        self.mine = mine
        for record in records:
            self.keep(record)

    def keep(self, record: Record) -> None:
        for hop in record.redirects:
            self.told[urls.canonical(hop.address) or ""] = hop
        if isinstance(record, Fetched) or (isinstance(record, Failed) and not record.passing):
            self.told.setdefault(urls.canonical(record.address) or "", record)

    def holds(self, url: str) -> bool:
        return url in self.told

    def recall(self, url: str) -> Copy | None:
        return Copy(self.told[url], self.mine) if url in self.told else None


def facts(records: Iterable[Record]) -> list[str]:
    """What records say, but for when and from where."""
    return sorted(map(repr, map(_timeless, records)))


def _timeless(record: Record) -> Record:
    match record:
        case Fetched():
            return replace(record, fetched_at=None, copy=False)  # type: ignore[arg-type]  # only to be compared
        case Failed():
            return replace(record, failed_at=None, copy=False)  # type: ignore[arg-type]  # the same
        case Alias():
            return replace(record, copy=False)


def pages(records: Iterable[Record]) -> set[str]:
    """The HTML pages among records."""
    return {record.url for record in records if isinstance(record, Fetched) and record.is_page}
