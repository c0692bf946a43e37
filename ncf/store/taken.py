"""The pages that a run has taken so far, asked for now or had before; and the store seen as if it held no others.

A run that was killed finds pages of its own later rounds in the store when it goes on. What it decides between rounds
must not depend on them, so it looks through `lens`: temporary views in place of the tables, which every query here then
reads.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ncf.store.store import Store

_MAKE = "CREATE TEMP TABLE taken (page INTEGER PRIMARY KEY, hops INTEGER NOT NULL)"
_TAKE = "INSERT OR IGNORE INTO temp.taken (page, hops) VALUES (?, ?)"
_DROP = "DROP TABLE IF EXISTS temp.taken"
_OTHERS = """SELECT EXISTS (SELECT 1 FROM main.pages WHERE checked_at IS NOT NULL
    AND id NOT IN (SELECT page FROM temp.taken)) OR EXISTS (SELECT 1 FROM main.inlinks)"""
_MINE = "(SELECT page FROM temp.taken)"
_PAGE_COLUMNS = "p.id, p.key, p.url, p.address, p.server, p.title, p.hash, p.links_dropped, p.truncated"
_VIEWS = {
    "links": f"SELECT l.source, l.target, l.rel, l.count FROM main.links l WHERE l.source IN {_MINE}",  # noqa: S608  no data in the text
    "aliases": f"SELECT a.* FROM main.aliases a WHERE a.source IN {_MINE}",  # noqa: S608  the same
    "pages": f"""SELECT {_PAGE_COLUMNS}, iif(p.id IN {_MINE}, p.html, 0) AS html,
        iif(p.id IN {_MINE}, p.status, NULL) AS status, iif(p.id IN {_MINE}, p.reason, NULL) AS reason
        FROM main.pages p WHERE +p.id IN (SELECT page FROM temp.met)""",  # noqa: S608  the same
}
# Once for a whole look through the lens: asked page by page, it costs more than all the rest.
_MET = f"""CREATE TEMP TABLE met AS SELECT page FROM temp.taken
    UNION SELECT target FROM main.links WHERE source IN {_MINE}
    UNION SELECT target FROM main.aliases WHERE source IN {_MINE}"""  # noqa: S608  the same
_MET_INDEX = "CREATE UNIQUE INDEX temp.met_pages ON met (page)"


def begin(store: Store) -> None:
    """A run begins: nothing is taken yet."""
    store.select(_DROP)
    store.select(_MAKE)


def add(store: Store, given: Iterable[tuple[str, int]]) -> None:
    """Take pages, by key, with the growth step in which they were met; the first step counts."""
    found = ((store.id_of(key), hops) for key, hops in given)
    with store.writing() as db:
        db.executemany(_TAKE, [(page, hops) for page, hops in found if page is not None])


@contextmanager
def lens(store: Store) -> Iterator[None]:
    """See the store as if it held only what was taken."""
    if not store.select(_OTHERS).fetchone()[0]:
        yield  # there is nothing else: the tables are faster
        return
    store.select(_MET)
    store.select(_MET_INDEX)
    for name, text in _VIEWS.items():
        store.select(f"CREATE TEMP VIEW {name} AS {text}")
    try:
        yield
    finally:
        for name in _VIEWS:
            store.select(f"DROP VIEW temp.{name}")
        store.select("DROP TABLE temp.met")
