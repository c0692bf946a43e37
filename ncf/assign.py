"""Many URLs given to their sites at once: the URLs of a server are judged together, with what the store knows of it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from crawler import urls
from filters import chain, correction, own_rules
from filters.base import ServerView, known_directories
from filters.layout import Layout
from ncf import knowledge
from ncf.atlas import chart
from ncf.errors import UsageError
from ncf.labels import Labels
from ncf.seeds import address
from ncf.sites import Site
from ncf.store import servers
from ncf.widen import widened

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ncf.rules import RuleBook
    from ncf.store.store import Store

# An address that the one URL parser would leave as it is, told quickly (a test compares the two): a host that is no
# number and no A-label, segments that are not relative, and no default document but the usual one, which is dropped as
# the query is. All else goes to the parser.
_PLAIN = re.compile(
    r"http(s?)://(?:www\.(?=[^/]*\.))?((?:(?!xn--)[a-z0-9-]++\.)++(?!xn--)[a-z][a-z0-9-]*+)"
    r"((?:/(?!\.)[\w~.@-]*+(?=/))*+/"
    r"(?:(?=(?i:index\.html?)(?:[?#]|$))|(?!\.|(?i:index|default)\.)[\w~.@-]*+))(?i:index\.html?)?(?:[?#].*)?",
    re.ASCII,
)
# These look at fetched pages, now or on an earlier visit; asked about addresses alone, they have no opinion.
_BY_PAGES = frozenset(("one_directory", "page_count", "learned", "components", "backlinks"))
_NO_LINKS = np.zeros(0, dtype=np.int64)
_NOWHERE = -1


def place(text: str) -> tuple[str, str, str] | None:
    """What a URL tells: `s` when it is https, its server, its path; None when it is no URL.

    >>> place("https://www.h.example/%7Ealice/?q"), place("h.example/a"), place("hello")
    (('s', 'h.example', '/~alice/'), ('', 'h.example', '/a'), None)
    """
    url = urls.canonical(text) or _typed(text)
    return ("s" if url.startswith("https:") else "", *urls.place(url)) if url else None


def _typed(text: str) -> str | None:
    """What a person means who leaves out the scheme."""
    try:
        return urls.canonical(address(text))
    except UsageError:
        return None


class Assignment:
    """URLs and their sites. Two passes: which site a URL lies in may depend on URLs that come later."""

    def __init__(self, book: RuleBook, store: Store | None = None, ecfc: str = correction.RULES) -> None:
        self._book, self._store, self._ecfc = book, store, ecfc
        filters = knowledge.filters(store, book.patterns)
        silent = _BY_PAGES if book.patterns.entries else _BY_PAGES | {own_rules.NAME}
        self._by_address = chain.Chain(tuple(one for one in filters.filters if one.name not in silent), correction.OFF)
        self._numbers: dict[str, dict[str, int]] = defaultdict(dict)  # of pages, by server and path
        self._secure = bytearray()  # of every page: whether it was met by https alone
        self.strange = 0  # texts that are no URL

    def assign(self, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each text and the name of its site, in order; the name is empty when the text is no URL."""
        given = list(texts)
        numbers = self._collect(given)
        names = [*self._names(), ""]  # the last is for those that lie nowhere
        return ((text, names[number]) for text, number in zip(given, numbers, strict=True))

    def _collect(self, texts: Iterable[str]) -> list[int]:
        """Number the pages."""
        match, pages, secure = _PLAIN.fullmatch, self._numbers, self._secure
        numbers = []
        for text in texts:
            plain = match(text)
            found = plain.groups() if plain else place(text)
            if found is None:
                numbers.append(_NOWHERE)
                self.strange += 1
                continue
            scheme, server, path = found
            number = pages[server].setdefault(path, len(secure))
            if number == len(secure):
                secure.append(True)
            if not scheme:
                secure[number] = False
            numbers.append(number)
        return numbers

    def _names(self) -> list[str]:
        """The name of every page's site."""
        secure, keys = self._secure, [""] * len(self._secure)
        plain: set[str] = set()  # sites with a page that was met by http
        stored = _Stored(self._store, self._book, self._numbers, self._ecfc) if self._store else None
        for server, pages in self._numbers.items():
            key_of = (stored and stored.key_of(server)) or self._key_of(server, pages)
            for path, number in pages.items():
                keys[number] = key = key_of(path)
                if not secure[number]:
                    plain.add(key)
        labels = stored.labels if stored else Labels()
        names = {key: labels.name(key, "http://" if key in plain else "https://") for key in set(keys)}
        return [names[key] for key in keys]

    def _key_of(self, server: str, paths: Collection[str]) -> Callable[[str], str]:
        """What the addresses of a server alone tell: of most servers nothing, and that is soon seen."""
        none, nobody = np.zeros(len(paths), dtype=np.bool_), np.zeros(len(paths), dtype=np.int64)
        seen = ServerView(server, tuple(sorted(paths)), none, _NO_LINKS, _NO_LINKS, nobody)
        rules = chain.decide(seen, self._by_address).rules
        if not rules:
            whole = f"{server}/"
            return lambda path: whole
        site = Layout(rules, known_directories(paths, ())).site
        return lambda path: server + site(path)[0]


class _Stored:
    """Those of the given servers that the store knows, or that are another name of one."""

    def __init__(self, store: Store, book: RuleBook, given: Mapping[str, Collection[str]], ecfc: str) -> None:
        known = given.keys() & set(servers.names(store))
        atlas = chart(store, book, known, ecfc)
        self._aliases = atlas.aliases
        paths: dict[str, set[str]] = defaultdict(set)
        for server in known.union(given.keys() & self._aliases.servers.keys()):
            paths[self._aliases.server(server)].update(given[server])
        self._layouts = {
            server: chain.decide(widened(atlas.view(server), found), atlas.filters) for server, found in paths.items()
        }
        self.labels = self._labels(store)

    def _labels(self, store: Store) -> Labels:
        """The names that these servers' sites have by the pages that are stored."""
        labels = Labels()
        hosts = {*self._layouts, *(name for name in self._aliases.servers if self.key_of(name))}
        for page in servers.pages(store, hosts):
            key_of = self.key_of(urls.server(page.url))
            if page.fetched and key_of:
                labels.saw(key_of(urls.split(page.url).path), page.address)
        return labels

    def key_of(self, server: str) -> Callable[[str], str] | None:
        """From a path of a server to its site; None when the server is not among them."""
        used = self._aliases.server(server)
        layout = self._layouts.get(used)
        return (lambda path: self._aliases.site(Site(used, *layout.site(path))).key) if layout else None
