"""Which Web a page came from: the live one, or a recording. A page of one says nothing about the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ncf.store.store import Store

LIVE = 0


def holds_live(store: Store) -> bool:
    """Whether the store has pages of the live Web."""
    return bool(store.select("SELECT EXISTS (SELECT 1 FROM pages WHERE web = 0 AND html = 1)").fetchone()[0])


def web_id(store: Store, name: str) -> int:
    """The number of a Web by its name; empty for the live one."""
    if not name:
        return LIVE
    with store.writing() as db:
        db.execute("INSERT OR IGNORE INTO webs (name) VALUES (?)", (name,))
        return int(db.execute("SELECT id FROM webs WHERE name = ?", (name,)).fetchone()[0])
