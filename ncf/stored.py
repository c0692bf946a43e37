"""All that the store holds, whichever run it came from: its inter-site graph, and what is forgotten on request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import networkx as nx

from crawler import urls
from ncf import knowledge, sites
from ncf.atlas import chart
from ncf.errors import NcfError
from ncf.seeds import address
from ncf.store import forget, taken
from ncf.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ncf.atlas import Atlas
    from ncf.rules import RuleBook
    from ncf.sitegraph import SiteGraph
    from ncf.store.forget import Kept, Tally
    from ncf.store.store import Store

_TAKE_ALL = """INSERT INTO temp.taken (page, hops) SELECT id, 0 FROM main.pages
    WHERE checked_at IS NOT NULL OR id IN (SELECT source FROM main.aliases)"""
_MARKS = "\"'()[]<>,;!"  # around an address in a sentence


class _Everything(Survey):
    """A survey of all pages, as if one run had taken them."""

    def named(self) -> SiteGraph:
        """The inter-site graph, its sites by the names that people see."""
        return nx.relabel_nodes(self.graph(), self.labels)


def graph_of(store: Store, book: RuleBook) -> SiteGraph:
    """The inter-site graph of all HTML pages in the store, of the live Web or not, by a person's rules.

    Its sites are the nodes, by the names that people see; an edge has a count of links, and two pages as evidence.
    """
    taken.begin(store)
    store.select(_TAKE_ALL)
    return _Everything(store, knowledge.filters(store, book.patterns), book.said).named()


class What(StrEnum):
    """What a person can name."""

    SERVER = "server"
    SITE = "site"
    DIRECTORY = "directory"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class Meant:
    """What a HOST or URL means in a store."""

    what: What
    name: str  # for people
    servers: tuple[str, ...]  # of a server: all its names
    pages: tuple[tuple[int, str, str], ...]  # number, URL and title, also of what was only linked to
    sites: frozenset[str]  # keys of the sites that hold them
    remarks: tuple[str, ...] = ()

    @property
    def touched(self) -> frozenset[str]:
        """The servers that the pages lie on."""
        return frozenset(self.servers) | {urls.server(url) for _, url, _ in self.pages}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be forgotten, and what is kept of it."""

    meant: tuple[Meant, ...]
    tally: Tally
    kept: Kept
    pointing: bool  # also the links of other pages to them


def plan(store: Store, book: RuleBook, texts: Sequence[str], *, pointing: bool = False) -> Plan:
    """See what a person wants to be forgotten, and change nothing; raises NcfError when nothing is known of it."""
    found = tuple(meant(store, book, texts))
    tally = forget.choose(store, (number for one in found for number, _, _ in one.pages))
    return Plan(found, tally, forget.speaking(store, Naming(found)), pointing)


def carry_out(store: Store, planned: Plan) -> bool:
    """Forget what was planned; False when another process holds on to the old text until it ends."""
    servers = {name for one in planned.meant for name in one.servers}
    touched = {name for one in planned.meant for name in one.touched}
    forget.drop(store, forget.Order(planned.kept, servers, touched, planned.pointing))
    return forget.scrub(store)


def meant(store: Store, book: RuleBook, texts: Sequence[str]) -> list[Meant]:
    """What each text means; raises NcfError when the store knows nothing of one of them.

    A host is its whole server, with the names that ncf has found to be the same one. A URL that names the top of a
    site, as ncf sees it, is the site. Any other URL that ends in / is what lies below it; and else a URL is one page.
    """
    asked = [(text, address(text)) for text in texts]
    atlas = chart(store, book, {urls.server(found) for _, found in asked})
    found = [_meant(store, atlas, text.strip(), place) for text, place in asked]
    unknown = [text for (text, _), one in zip(asked, found, strict=True) if one is None]
    if unknown:
        raise NcfError("\n".join(f"the store {store.path} knows nothing of {text}" for text in unknown))
    return [one for one in found if one is not None]


def _meant(store: Store, atlas: Atlas, text: str, place: str) -> Meant | None:
    if "/" not in text:
        return _server(store, atlas, urls.server(place))
    url = urls.canonical(place) or place
    parts, is_directory = urls.split(url), urls.split(place).path.endswith("/")
    # Whoever writes /~alice/index.html means the page, although it has the same identity as /~alice/.
    if parts.query or parts.path.endswith("/") != is_directory:
        return _page(store, atlas, url)
    site = atlas.site(url)
    if site.prefix == (parts.path if is_directory else f"{parts.path}/"):
        return _site(store, atlas, site)
    return _directory(store, atlas, url) if is_directory else _page(store, atlas, url)


def _server(store: Store, atlas: Atlas, server: str) -> Meant | None:
    names = (server, *sorted(atlas.aliases.names(server)))
    known = forget.known_servers(store, names)
    pages = tuple(forget.pages_on(store, names))
    if not known and not pages:
        return None
    remarks = [f"{name} is another name of {server}: it goes too" for name in names[1:]]
    if (used := atlas.aliases.server(server)) != server:
        remarks.append(f"{server} is another name of {used}, which stays: name it too if it is to go")
    return Meant(What.SERVER, server, names, pages, _sites(atlas, pages), tuple(remarks))


def _site(store: Store, atlas: Atlas, site: sites.Site) -> Meant | None:
    joined = {join.name.partition("/")[0] for join in atlas.aliases.sites.values() if join.of == site.key}
    names = {site.server, *joined}
    names |= {other for name in names for other in atlas.aliases.names(name)}
    pages, others = [], set[str]()
    for row in forget.pages_on(store, names):
        key = atlas.site(row[1]).key
        if key == site.key:
            pages.append(row)
        elif key.startswith(f"{site.server}/"):
            others.add(key)
    if not pages:
        return None
    remarks = (
        [f"{_others(len(others), site.server)} not meant; `ncf forget {site.server}` forgets the whole server"]
        if others and site.prefix == "/"
        else []
    )
    return Meant(What.SITE, sites.name(site.key), (), tuple(pages), frozenset([site.key]), tuple(remarks))


def _others(number: int, server: str) -> str:
    return f"1 other site of {server} is" if number == 1 else f"{number} other sites of {server} are"


def _directory(store: Store, atlas: Atlas, url: str) -> Meant | None:
    top = urls.key(url)
    server = urls.server(url)
    pages = tuple(row for row in forget.pages_on(store, [server]) if urls.key(row[1]).startswith(top))
    return Meant(What.DIRECTORY, url, (), pages, _sites(atlas, pages)) if pages else None


def _page(store: Store, atlas: Atlas, url: str) -> Meant | None:
    found = forget.page(store, url)
    if found is None:
        return None
    site = sites.name(atlas.site(url).key)
    remark = f"only this page is meant; its site is {site}"
    return Meant(What.PAGE, url, (), (found,), _sites(atlas, (found,)), (remark,))


def _sites(atlas: Atlas, pages: Sequence[tuple[int, str, str]]) -> frozenset[str]:
    return frozenset(atlas.site(url).key for _, url, _ in pages)


class Naming:
    """Tells whether a document names something that was meant: an address, its site, or its title beside its server."""

    def __init__(self, what: Collection[Meant]) -> None:
        self._servers = frozenset(name for one in what for name in one.servers)
        self._touched = frozenset(name for one in what for name in one.touched)
        self._pages = frozenset(urls.key(url) for one in what for _, url, _ in one.pages)
        self._keys = self._pages.union(key for one in what for key in one.sites)
        self._titles = frozenset(title for one in what for _, _, title in one.pages if title)

    def began(self, seeds: Any) -> bool:
        """Whether one of the seeds is a page that was meant."""
        found = (place for text in _texts(seeds) for place in _addresses(text))
        return any(server in self._servers or key in self._pages for server, key in found)

    def named(self, document: Any) -> bool:
        """Whether any text in a JSON value names what was meant."""
        near = titled = False
        for text in _texts(document):
            titled = titled or text in self._titles
            for server, key in _addresses(text):
                if server in self._servers or key in self._keys:
                    return True
                near = near or server in self._touched
        return near and titled


def _texts(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for name, value in document.items():
            yield name
            yield from _texts(value)
    elif isinstance(document, list):
        for value in document:
            yield from _texts(value)


def _addresses(text: str) -> Iterator[tuple[str, str]]:
    """Server and key of every address in a text, with or without http://.

    >>> list(_addresses("12 known pages of h.example/~a/ were not asked for"))
    [('h.example', 'h.example/~a/')]
    """
    for word in text.split():
        bare = word.strip(_MARKS)
        if "." not in bare and "://" not in bare and not bare.startswith("localhost"):
            continue
        if url := urls.canonical(bare if "://" in bare else f"http://{bare}"):
            yield urls.server(url), urls.key(url)
