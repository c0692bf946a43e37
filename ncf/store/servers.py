"""The servers of a store by name, and the pages that are known of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncf.store import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ncf.store.store import Store

_NAMES = "SELECT name FROM servers v WHERE EXISTS (SELECT 1 FROM pages p WHERE p.server = v.id) ORDER BY name"
_IN = "(SELECT id FROM servers WHERE name IN (SELECT value FROM json_each(:names)))"
# Left out: what turned out to be no page (a picture, an address that is gone), and names that lead to another page.
_PAGES = f"""SELECT p.url, p.address, p.title, p.html FROM pages p WHERE p.server IN {_IN}
    AND (p.html = 1 OR p.status IS NULL) AND NOT EXISTS (SELECT 1 FROM aliases a JOIN pages t ON t.id = a.target
    AND (a.kind = 'redirect' OR t.html = 1) WHERE a.source = p.id) ORDER BY p.key"""  # noqa: S608  no data in the text
_SHARING = f"""SELECT DISTINCT v.name FROM pages p JOIN servers v ON v.id = p.server WHERE p.html = 1
    AND p.hash IN (SELECT hash FROM pages WHERE html = 1 AND hash != '' AND server IN {_IN})"""  # noqa: S608  the same


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of a server: fetched, or only linked to."""

    url: str
    address: str
    title: str
    fetched: bool


def names(store: Store) -> list[str]:
    """The servers that a page is known of."""
    return [name for (name,) in store.select(_NAMES)]


def pages(store: Store, servers: Iterable[str]) -> Iterator[KnownPage]:
    """The pages that are known of these servers, by name."""
    for url, address, title, html in store.select(_PAGES, _wanted(servers)):
        yield KnownPage(url, address, title or "", bool(html))


def sharing(store: Store, servers: Iterable[str]) -> set[str]:
    """These servers, and those that hold a page with the same content as one of theirs."""
    given = set(servers)
    return given.union(name for (name,) in store.select(_SHARING, _wanted(given)))


def _wanted(servers: Iterable[str]) -> dict[str, str]:
    return {"names": json.dumps(sorted(map(rows.storable, servers)))}
