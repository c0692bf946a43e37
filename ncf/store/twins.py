"""What the store knows of names that may mean the same server: permanent redirects, and pages of the same content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crawler import urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ncf.store.store import Store

_MOVED = """SELECT s.url, t.url FROM aliases a JOIN pages s ON s.id = a.source JOIN pages t ON t.id = a.target
    WHERE a.kind = 'redirect' AND a.permanent = 1 AND s.server != t.server ORDER BY s.key"""
_OWN = """SELECT v.name, count(*) FROM pages p JOIN servers v ON v.id = p.server WHERE p.html = 1
    AND p.id NOT IN (SELECT source FROM aliases) GROUP BY p.server"""
_IN = "(SELECT id FROM servers WHERE name IN (SELECT value FROM json_each(:names)))"
# Only pages of servers that share a page with another: one body under one path.
_ALIKE = f"""WITH mine AS (SELECT id, server, url, hash FROM pages WHERE html = 1 AND hash != '' AND server IN {_IN}),
    shared AS (SELECT hash FROM mine GROUP BY hash HAVING count(DISTINCT server) > 1),
    hosts AS (SELECT DISTINCT server FROM mine WHERE hash IN shared)
    SELECT v.name, m.url, m.hash FROM mine m JOIN servers v ON v.id = m.server WHERE m.server IN hosts
    ORDER BY m.url"""  # noqa: S608  no data in the text


def moved(store: Store) -> list[tuple[str, str]]:
    """Addresses that moved for good to another server, and where to."""
    return store.select(_MOVED).fetchall()


def own_pages(store: Store) -> dict[str, int]:
    """How many HTML pages each server gave us under names that lead nowhere else."""
    return dict(store.select(_OWN).fetchall())


def contents(store: Store, servers: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Server, path and content hash of the pages of these servers, as far as two of them share a page."""
    for server, url, content in store.select(_ALIKE, {"names": json.dumps(sorted(servers))}):
        parts = urls.split(url)
        if not parts.query:
            yield server, parts.path, content
