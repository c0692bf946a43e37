"""Which sites a server has, by which rule, and what every filter said: all of it as records."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from filters import chain, correction
from filters.base import may_be_page
from ncf.labels import Labels, front
from ncf.sites import REST, Site
from ncf.store import servers
from ncf.widen import widened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from filters.base import Rule, Verdict
    from filters.chain import Decision
    from ncf.aliases import Join
    from ncf.atlas import Atlas
    from ncf.store.servers import KnownPage
    from ncf.store.store import Store

SITES, ONE_SITE, NO_OPINION, WITHDRAWN = "sites", "one site", "no opinion", "withdrawn"
_CUT = "it cannot tell: not every page that is known of the server was asked for"
# Why a filter is silent, for people who wonder.
_SILENT = {
    "rules": "none of your rules speaks of this host",
    "suffixes": "its name is not in the database",
    "tilde": "no path holds a name that begins with ~",
    "conventions": "no directory has a name that means people and directories below it",
    "organisations": "its name is not among the organisations that are known to be one site",
    "one_directory": "more than one directory holds pages",
    "page_count": "it has too many pages to be one site for that alone",
    "learned": "this store has not judged it before, or it has grown by half since",
    "components": "no directories whose pages hang together and not with each other's",
    "backlinks": "no directory with many below it that few pages link to",
    correction.NAME: "nothing to withdraw",
}


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """One site of a server."""

    site: str
    title: str  # of its front page
    pages: int  # fetched
    known: int  # fetched or linked to
    rule: Rule


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule that a filter proposes, and whether it is among those that decide."""

    rule: Rule
    decides: bool


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one filter said."""

    filter: str
    verdict: str
    reason: str
    counts: Mapping[str, float]
    rules: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """All about one server."""

    server: str
    known: bool  # whether the store knows a page of it; if not, only its name tells something
    aliases: tuple[Join, ...]
    complete: bool
    pages: int
    known_pages: int
    sites: tuple[SiteInfo, ...]
    opinions: tuple[Opinion, ...]


@dataclass(frozen=True, slots=True)
class UrlInfo:
    """Which site a URL lies in, and why."""

    url: str
    server: str
    site: str
    rule: Rule
    joined: str  # why its server or site goes by another name; empty when it does not


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to a person who asked about servers and URLs."""

    urls: tuple[UrlInfo, ...]
    servers: tuple[ServerInfo, ...]


@dataclass(slots=True)
class _Heap:
    """The pages of one site."""

    site: Site
    fetched: list[KnownPage] = field(default_factory=list)
    known: int = 0


def explain(store: Store, atlas: Atlas, asked: Iterable[tuple[str, bool]]) -> Explanation:
    """Explain the servers of addresses; an address that is marked is also told its site."""
    given = [(urls.canonical(address) or address, marked) for address, marked in asked]
    by_server: dict[str, list[str]] = defaultdict(list)
    for url, marked in given:
        by_server[atlas.aliases.server(urls.server(url))] += [url] if marked else []
    parts = {server: _Server(store, atlas, server, found) for server, found in by_server.items()}
    marked_urls = dict.fromkeys(url for url, marked in given if marked)
    told = tuple(parts[atlas.aliases.server(urls.server(url))].url(url) for url in marked_urls)
    return Explanation(told, tuple(part.info() for part in parts.values()))


class _Server:
    """One server under judgement. Addresses that are asked about count as known, as if a page linked to them."""

    def __init__(self, store: Store, atlas: Atlas, server: str, asked: Collection[str]) -> None:
        self._atlas = atlas
        self._server = server
        stored = atlas.view(server)
        self._known = bool(stored.paths)
        self._view = widened(stored, (urls.split(url).path for url in asked))
        # Before anything is crawled only some filters can speak: the others would judge a server by one address.
        filters = atlas.filters if self._known else chain.known_from_url(atlas.filters)
        self._decision = chain.judge(self._view, filters, everyone=True)
        self._labels = Labels()
        self._heaps = self._collected(store)

    def _collected(self, store: Store) -> dict[str, _Heap]:
        joined = self._atlas.aliases
        own = {self._server, *joined.names(self._server)}
        guests = {_server(join.name) for join in joined.sites.values() if _server(join.of) == self._server}
        heaps: dict[str, _Heap] = {}
        for page in servers.pages(store, own | guests):
            server, path = urls.place(page.url)
            site = self._site(page.url)
            if site.server == self._server or server in own:
                heap = heaps.get(site.key) or heaps.setdefault(site.key, _Heap(site))
                self._take(page, path, heap)
        return {key: heap for key, heap in heaps.items() if heap.known}

    def _take(self, page: KnownPage, path: str, heap: _Heap) -> None:
        heap.known += page.fetched or may_be_page(path)
        if page.fetched:
            heap.fetched.append(page)
            self._labels.saw(heap.site.key, page.address)

    def _site(self, url: str) -> Site:
        host, path = urls.place(url)
        server = self._atlas.aliases.server(host)
        if server != self._server:
            return self._atlas.site(url)
        return self._atlas.aliases.site(Site(server, *self._decision.layout.site(path)))

    def url(self, url: str) -> UrlInfo:
        """Which site a URL lies in."""
        site, joined = self._site(url), self._atlas.aliases
        why = joined.servers.get(urls.server(url)) or joined.sites.get(urls.server(url) + site.prefix)
        return UrlInfo(
            url, self._server, self._labels.name(site.key, url), site.rule or REST, why.reason if why else ""
        )

    def info(self) -> ServerInfo:
        """All about the server."""
        found = sorted(map(self._site_info, self._heaps.values()), key=lambda one: (-one.pages, -one.known, one.site))
        return ServerInfo(
            self._server,
            self._known,
            self._joins(),
            self._known and self._view.complete,
            sum(one.pages for one in found),
            sum(one.known for one in found),
            tuple(found),
            self._opinions(),
        )

    def _opinions(self) -> tuple[Opinion, ...]:
        found = opinions(self._decision, complete=self._view.complete)
        return found if self._known else tuple(one for one in found if one.filter != correction.NAME)

    def _site_info(self, heap: _Heap) -> SiteInfo:
        first = front(heap.fetched)
        site, rule = heap.site, self._decision.layout.site(heap.site.prefix)[1]
        return SiteInfo(
            self._labels.name(site.key), first.title if first else "", len(heap.fetched), heap.known, rule or REST
        )

    def _joins(self) -> tuple[Join, ...]:
        joined = self._atlas.aliases
        sites = (join for join in joined.sites.values() if self._server in (_server(join.name), _server(join.of)))
        return (*(join for join in joined.servers.values() if join.of == self._server), *sites)


def _server(key: str) -> str:
    return key.partition("/")[0]


def opinions(decision: Decision, *, complete: bool = True) -> tuple[Opinion, ...]:
    """What every filter said, in order."""
    deciding = frozenset(decision.layout.rules)
    return tuple(_opinion(name, verdict, deciding, complete=complete) for name, verdict in decision.opinions)


def _opinion(name: str, verdict: Verdict | None, deciding: frozenset[Rule], *, complete: bool) -> Opinion:
    if verdict is None:
        counting = name in ("one_directory", "page_count") and not complete
        return Opinion(name, NO_OPINION, _CUT if counting else _SILENT.get(name, ""), {}, ())
    told = tuple(Proposal(rule, rule in deciding) for rule in verdict.rules)
    return Opinion(name, _verdict(name, verdict.rules), verdict.reason, dict(verdict.counts), told)


def _verdict(name: str, rules: tuple[Rule, ...]) -> str:
    if name == correction.NAME:
        return WITHDRAWN
    return SITES if any(rule.level > 1 for rule in rules) else ONE_SITE
