"""Servers and sites with several names: what joins them, and how a person says otherwise.

`www.` and the bare host, and http and https, are one by the form of their URLs (crawler.urls). This module joins hosts
that a permanent redirect joins, hosts that serve the same pages, and the same user's directory on two hosts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from crawler import urls
from filters.suffixes import is_public_suffix
from ncf.store import twins

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ncf.sites import Site
    from ncf.store.store import Store

    Content = tuple[str, str, str]  # server, path, content hash

SAME_PATHS = 2  # pages that moved to the same path, or that have the same content: one could be chance
AGREEMENT = 0.8  # share of the paths that two names have in common which must hold the same page
MOST_NAMES = 8  # a page that more servers share is a template: a parked domain, an error, a default page


@dataclass(frozen=True, slots=True)
class Join:
    """Two names of one server or site, and why they are one."""

    name: str  # a server, or a site's key
    of: str  # the name that is used
    reason: str


@dataclass(frozen=True)
class Aliases:
    """Names that mean another server or site. Every name leads to the one that is used, in one step."""

    servers: Mapping[str, Join] = field(default_factory=dict)
    sites: Mapping[str, Join] = field(default_factory=dict)

    @cached_property
    def _others(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for join in self.servers.values():
            found[join.of] = (*found.get(join.of, ()), join.name)
        return found

    def server(self, name: str) -> str:
        """The name that is used for a server."""
        join = self.servers.get(name)
        return join.of if join else name

    def names(self, server: str) -> tuple[str, ...]:
        """The other names of a server."""
        return self._others.get(server, ())

    def site(self, site: Site) -> Site:
        """The site that is meant."""
        join = self.sites.get(site.key)
        return replace(site, server=join.of.partition("/")[0]) if join else site


@dataclass(frozen=True, slots=True)
class Said:
    """What a person said about names; it comes before what is found."""

    apart: frozenset[str] = frozenset()  # hosts that are never another name
    same: Mapping[str, str] = field(default_factory=dict)


def of_store(store: Store, said: Said = Said(), servers: Collection[str] | None = None) -> Aliases:
    """The names of servers: what a person said, permanent redirects, and, of these servers, the same pages."""
    own = twins.own_pages(store)
    joins = [Join(name, of, "your rules say so") for name, of in said.same.items()]
    joins += moved_servers(twins.moved(store), own)
    if servers:
        joins += same_servers(twins.contents(store, servers), own)
    return Aliases(settle(joins, said))


def of_person(said: Said) -> Aliases:
    """The names of servers that a person joined."""
    return Aliases(settle([Join(name, of, "your rules say so") for name, of in said.same.items()], said))


def moved_servers(moved: Iterable[tuple[str, str]], own: Mapping[str, int]) -> Iterator[Join]:
    """Servers whose pages moved for good: the home page, or several, to the same path of one other server.

    A server that still serves pages of its own has not moved, and nobody moves into a public suffix.
    """
    homes: dict[str, str] = {}
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for old, new in moved:
        path, target = urls.split(old).path, urls.split(new).path
        if path == target:
            votes[urls.server(old)][urls.server(new)] += 1
            if path == "/":
                homes[urls.server(old)] = urls.server(new)
    for old, found in sorted(votes.items()):
        new = homes.get(old) or min(found, key=lambda name: (-found[name], name))
        enough = old in homes or (len(found) == 1 and found[new] >= SAME_PATHS)
        if enough and not own.get(old) and not is_public_suffix(_host(new)):
            yield Join(old, new, f"its {'home page' if old in homes else 'pages'} moved for good to {new}")


def same_servers(contents: Iterable[Content], own: Mapping[str, int]) -> Iterator[Join]:
    """Servers that have the same pages under the same paths."""
    pages: dict[str, dict[str, str]] = defaultdict(dict)
    for server, path, content in contents:
        pages[server][path] = content
    for first, second in sorted(_alike({server: set(found.items()) for server, found in pages.items()})):
        common = pages[first].keys() & pages[second].keys()
        equal = {pages[first][path] for path in common if pages[first][path] == pages[second][path]}
        agreeing = sum(pages[first][path] == pages[second][path] for path in common)
        if len(equal) >= SAME_PATHS and agreeing >= AGREEMENT * len(common):
            name, of = sorted((first, second), key=lambda one: (own.get(one, 0), -len(one), one))
            yield Join(name, of, f"{agreeing} of the {len(common)} pages that both have are the same on {of}")


def same_sites(contents: Iterable[Content], site: Callable[[str, str], Site], said: Said = Said()) -> dict[str, Join]:
    """Users' sites in the same directory of two servers, with the same pages: two names of one machine."""
    pages: dict[str, dict[str, str]] = defaultdict(dict)
    paths: dict[str, set[str]] = defaultdict(set)
    for server, path, content in contents:
        found = site(server, path)
        paths[content].add(path)
        if found.prefix != "/" and found.server == server and _host(server) not in said.apart:
            pages[found.key][path] = content
    # A body that stands under several paths is a form letter, not a page of one's own.
    own = {key: {item for item in found.items() if len(paths[item[1]]) == 1} for key, found in pages.items()}
    joins = []
    for first, second in sorted(_alike(own)):
        common = pages[first].keys() & pages[second].keys()
        agreeing = sum(pages[first][path] == pages[second][path] for path in common)
        if agreeing >= AGREEMENT * len(common):
            name, of = sorted((first, second), key=lambda key: (len(pages[key]), -len(key), key))
            joins.append(Join(name, of, f"{agreeing} of the {len(common)} pages that both have are the same on {of}"))
    return settle(joins)


def _alike(pages: Mapping[str, Collection[tuple[str, str]]]) -> set[tuple[str, str]]:
    """The pairs of names that have a page in common; what very many share joins nobody."""
    holders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in sorted(pages):
        for page in pages[name]:
            holders[page].append(name)
    return {pair for names in holders.values() if len(names) <= MOST_NAMES for pair in combinations(names, 2)}


def settle(joins: Iterable[Join], said: Said = Said()) -> dict[str, Join]:
    """Lead every name to its end in one step. The first word on a name counts, and circles are not closed."""
    found: dict[str, Join] = {}
    leads: dict[str, str] = {}
    for join in joins:
        apart = not said.apart.isdisjoint((_host(join.name), _host(join.of)))
        if not apart and join.name not in found and _end(join.of, leads) != join.name:
            found[join.name] = join
            leads[join.name] = join.of
    return {name: replace(join, of=_end(name, leads)) for name, join in found.items()}


def _end(name: str, leads: dict[str, str]) -> str:
    """Where a name leads in the end; the names on the way are led there at once, so that long chains stay cheap."""
    end = name
    while end in leads:
        end = leads[end]
    while name != end:
        leads[name], name = end, leads[name]
    return end


def _host(server: str) -> str:
    return server.rpartition(":")[0] or server if server.rpartition(":")[2].isdigit() else server
