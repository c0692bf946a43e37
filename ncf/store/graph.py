"""The graph of a run as the store holds it, in arrays: pages by number, links, and where names lead."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from crawler.urls import key as url_key
from ncf.store import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ncf.store.store import Store

Numbers: TypeAlias = "npt.NDArray[np.int64]"

_TAKEN = "SELECT p.url, k.hops, p.html FROM temp.taken k JOIN main.pages p ON p.id = k.page ORDER BY p.key"
# rel=canonical is believed when the page that it names is there.
_LEADS = """SELECT a.source, a.target FROM temp.taken k JOIN main.aliases a ON a.source = k.page
    JOIN main.pages t ON t.id = a.target AND (a.kind = 'redirect' OR t.html = 1)"""
_PAGES = """SELECT p.id, p.url, p.address, p.title, k.hops FROM temp.taken k JOIN main.pages p ON p.id = k.page
    WHERE p.html = 1 AND NOT EXISTS (SELECT 1 FROM main.aliases a JOIN main.pages t ON t.id = a.target
    AND (a.kind = 'redirect' OR t.html = 1) WHERE a.source = p.id) ORDER BY p.key"""
_LINKS = """SELECT l.source, l.target, l.count FROM temp.taken k JOIN main.pages p ON p.id = k.page AND p.html = 1
    JOIN main.links l ON l.source = k.page"""
_OUTWARD = """SELECT l.target, l.source, l.count FROM temp.taken k JOIN main.links l ON l.source = k.page
    WHERE l.target NOT IN (SELECT page FROM temp.taken)"""
_URLS = "SELECT id, url, address FROM main.pages WHERE id IN (SELECT value FROM json_each(:ids))"
_SERVERS = """SELECT DISTINCT v.name, v.www FROM temp.taken k JOIN main.pages p ON p.id = k.page AND p.html = 1
    JOIN servers v ON v.id = p.server"""
_UNTAKEN = """SELECT key, address FROM main.pages WHERE key IN (SELECT value FROM json_each(:keys))
    AND id NOT IN (SELECT page FROM temp.taken)"""
_KEYS = """SELECT p.key FROM temp.taken k JOIN main.pages p ON p.id = k.page
    WHERE p.server IN (SELECT id FROM main.servers WHERE name IN (SELECT value FROM json_each(:names)))"""
_AT_ONCE = 50_000  # numbers in one question


@dataclass(frozen=True, slots=True)
class Node:
    """A page of the graph."""

    id: int
    url: str
    address: str
    title: str
    hops: int


def taken(store: Store) -> Iterator[tuple[str, int, int]]:
    """Every URL that the run took, the step in which it did, and whether it is a page."""
    yield from store.select(_TAKEN)


def pages(store: Store) -> list[Node]:
    """The HTML pages of the graph, under the names that lead nowhere else, by name."""
    return [Node(number, url, address, title or "", hops) for number, url, address, title, hops in store.select(_PAGES)]


def leads(store: Store) -> dict[int, int]:
    """Where names lead, hop by hop."""
    return dict(store.select(_LEADS).fetchall())


def links(store: Store) -> Numbers:
    """Source, target and count of every link of the graph's pages, as rows."""
    return _columns(store.select(_LINKS), 3)


def outward(store: Store) -> Numbers:
    """Target, source and count of the links that lead out of what was taken, as rows."""
    return _columns(store.select(_OUTWARD), 3)


def urls(store: Store, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """The canonical URLs and addresses of pages."""
    wanted, found = list(ids), dict[int, tuple[str, str]]()
    for start in range(0, len(wanted), _AT_ONCE):
        given = {"ids": json.dumps(wanted[start : start + _AT_ONCE])}
        found.update((number, (url, address)) for number, url, address in store.select(_URLS, given))
    return found


def untaken(store: Store, urls: Iterable[str]) -> dict[str, str]:
    """Those of the canonical URLs that have a row and were not taken, with their addresses."""
    keys = {rows.storable(url_key(url)): url for url in urls}
    found = store.select(_UNTAKEN, {"keys": json.dumps(sorted(keys))})
    return {keys[key]: address for key, address in found}


def keys_of(store: Store, names: Iterable[str]) -> set[str]:
    """The keys of what was taken of some servers."""
    return {key for (key,) in store.select(_KEYS, {"names": json.dumps(sorted(names))})}


def servers(store: Store) -> dict[str, bool]:
    """The servers that gave the graph a page, and whether they were met under a name with `www.` too."""
    return {name: bool(www) for name, www in store.select(_SERVERS)}


def _columns(found: Iterable[Sequence[int]], width: int) -> Numbers:
    """Streamed: the rows as Python objects would not fit."""
    return np.fromiter(chain.from_iterable(found), dtype=np.int64).reshape(-1, width)
