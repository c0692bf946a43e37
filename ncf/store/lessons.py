"""What was learned about servers, kept and read: the store's own part of the filter database (NCF 3.2, step 3a)."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from filters.base import Rule
from filters.learned import Lesson
from ncf.store import rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ncf.store.store import Store

_RULES = """SELECT s.name, r.prefix, r.level, r.filter, r.reason FROM rules r JOIN servers s ON s.id = r.server"""
_VERDICTS = "SELECT s.name, v.pages FROM verdicts v JOIN servers s ON s.id = v.server"
_ADD_SERVER = "INSERT OR IGNORE INTO servers (name) VALUES (?)"
_FORGET = "DELETE FROM verdicts WHERE server = (SELECT id FROM servers WHERE name = ?)"
_LEARN = "INSERT INTO verdicts (server, pages, at) SELECT id, ?, ? FROM servers WHERE name = ?"
_ADD_RULE = """INSERT INTO rules (server, prefix, level, filter, reason)
    SELECT id, ?, ?, ?, ? FROM servers WHERE name = ?"""


def lessons(store: Store) -> Mapping[str, Lesson]:
    """Every lesson, by server."""
    rules: dict[str, list[Rule]] = defaultdict(list)
    for server, prefix, level, name, reason in store.select(_RULES):
        rules[server].append(Rule(prefix, level, name, reason))
    return {server: Lesson(pages, tuple(rules[server])) for server, pages in store.select(_VERDICTS)}


def learn(store: Store, found: Mapping[str, Lesson]) -> None:
    """Keep lessons in place of older ones on the same servers, all or nothing."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    names = {server: rows.storable(server) for server in found}
    with store.writing() as db:
        for server, lesson in found.items():
            name = names[server]
            db.execute(_ADD_SERVER, (name,))
            db.execute(_FORGET, (name,))
            db.execute(_LEARN, (lesson.pages, now, name))
            db.executemany(
                _ADD_RULE, [(rule.prefix, rule.level, rule.filter, rule.reason, name) for rule in lesson.rules]
            )
