"""Pages dropped on request, with everything that was kept of them, until not a byte of it is left in the file.

What other pages say stays theirs: a link to a forgotten page is a line of the page that holds it. So the bare address
of a forgotten page remains as long as another page links or redirects to it, unless these links are dropped too; its
title, content hash, dates, links, claims and places in a crawl's frontier go. A URL that was known from forgotten pages
alone goes with them. The results of runs were drawn up from all pages together: one that names a forgotten page is
dropped whole, for a community without one of its members would be a wrong answer. A run that began from it goes too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crawler import urls
from ncf.store import rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator

    from ncf.store.store import Store

_MAKE = "CREATE TEMP TABLE gone (page INTEGER PRIMARY KEY)"
_DROP = "DROP TABLE IF EXISTS temp.gone"
_ADD = "INSERT OR IGNORE INTO temp.gone (page) SELECT value FROM json_each(:pages)"
_GONE = "(SELECT page FROM temp.gone)"
_ON = """SELECT p.id, p.url, p.title FROM pages p WHERE p.server IN
    (SELECT id FROM servers WHERE name IN (SELECT value FROM json_each(:names)))"""
_PAGE = "SELECT id, url, title FROM pages WHERE key = :key"
_SERVERS = "SELECT name FROM servers WHERE name IN (SELECT value FROM json_each(:names))"
_AUTHORITIES = "SELECT authority FROM robots"
_STAY = f"""id IN {_GONE} AND (EXISTS (SELECT 1 FROM main.links l WHERE l.target = id AND l.source NOT IN {_GONE})
    OR EXISTS (SELECT 1 FROM main.aliases a WHERE a.target = id AND a.source NOT IN {_GONE}))"""  # noqa: S608  no data in the text
_TALLY = f"""SELECT (SELECT count(*) FROM pages WHERE id IN {_GONE} AND html = 1),
    (SELECT count(*) FROM temp.gone), (SELECT count(*) FROM links WHERE source IN {_GONE}),
    (SELECT count(*) FROM inlinks WHERE target IN {_GONE} OR source IN {_GONE}),
    (SELECT count(*) FROM links WHERE target IN {_GONE} AND source NOT IN {_GONE}),
    (SELECT count(*) FROM pages WHERE {_STAY})"""  # noqa: S608  the same
_RUNS = "SELECT id, settings, result FROM runs ORDER BY id"
_MET = "SELECT run, number, met FROM rounds"

# Foreign keys are looked up from the page that goes: without these, each page would cost a look at every claim.
_BEGIN = (
    "CREATE INDEX main.forget_claims ON inlinks (source)",
    "CREATE INDEX main.forget_frontier ON frontier (page)",
    "CREATE TEMP TABLE loose (page INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE words (rel INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE places (server INTEGER PRIMARY KEY)",
)
_END = (
    "DROP INDEX main.forget_claims", "DROP INDEX main.forget_frontier",
    "DROP TABLE temp.loose", "DROP TABLE temp.words", "DROP TABLE temp.places",
)  # fmt: skip
_LOOSEN = f"""INSERT OR IGNORE INTO temp.loose SELECT page FROM (
    SELECT target AS page FROM main.links WHERE source IN {_GONE}
    UNION SELECT target FROM main.aliases WHERE source IN {_GONE}
    UNION SELECT source FROM main.inlinks WHERE target IN {_GONE}
    UNION SELECT target FROM main.inlinks WHERE source IN {_GONE}
    UNION SELECT page FROM main.frontier WHERE run IN (SELECT value FROM json_each(?))) WHERE page NOT IN {_GONE}"""  # noqa: S608  the same
# What leads to them has then never been asked for, and no failure's words say where it led.
_OF_OTHERS = (
    f"""WITH RECURSIVE leading (page) AS (SELECT source FROM main.aliases WHERE target IN {_GONE}
    UNION SELECT a.source FROM main.aliases a JOIN leading ON a.target = leading.page)
    UPDATE main.pages SET detail = 'it redirects out of scope'
    WHERE reason = 'redirect-out-of-scope' AND id IN (SELECT page FROM leading)""",  # noqa: S608  the same
    f"""UPDATE main.pages SET checked_at = NULL, run = NULL, web = 0
    WHERE html = 0 AND status IS NULL AND reason IS NULL
    AND id IN (SELECT source FROM main.aliases WHERE target IN {_GONE})""",  # noqa: S608  the same
    f"DELETE FROM main.links WHERE target IN {_GONE}",  # noqa: S608  the same
    f"DELETE FROM main.aliases WHERE target IN {_GONE}",  # noqa: S608  the same
)
_CLEAR = (
    f"INSERT OR IGNORE INTO temp.words SELECT rel FROM main.links WHERE source IN {_GONE} AND rel != 0",  # noqa: S608  the same
    f"DELETE FROM main.links WHERE source IN {_GONE}",  # noqa: S608  the same
    f"DELETE FROM main.aliases WHERE source IN {_GONE}",  # noqa: S608  the same
    f"DELETE FROM main.inlinks WHERE target IN {_GONE}",  # noqa: S608  the same
    f"DELETE FROM main.inlinks WHERE source IN {_GONE}",  # noqa: S608  the same
    f"DELETE FROM main.frontier WHERE page IN {_GONE}",  # noqa: S608  the same
    f"INSERT OR IGNORE INTO temp.places SELECT server FROM main.pages WHERE id IN {_GONE}",  # noqa: S608  the same
    # What was learned of a server was learned from these pages too: it is judged anew.
    "DELETE FROM main.verdicts WHERE server IN (SELECT server FROM temp.places)",
)
_DROP_RUNS = (
    "UPDATE main.pages SET run = NULL WHERE run IN (SELECT value FROM json_each(?))",
    "DELETE FROM main.runs WHERE id IN (SELECT value FROM json_each(?))",
)
_DROP_RESULTS = "UPDATE main.runs SET result = NULL WHERE id IN (SELECT value FROM json_each(?))"
_SET_MET = "UPDATE main.rounds SET met = ? WHERE run = ? AND number = ?"
_NULLS = ", ".join(f"{column} = NULL" for column in rows.PAGE_COLUMNS if column != "html")
_PAGES = (
    f"""UPDATE main.pages SET html = 0, {_NULLS}, reason = NULL, detail = NULL, failed_at = NULL, checked_at = NULL,
    run = NULL, web = 0 WHERE {_STAY}""",  # noqa: S608  the same
    f"DELETE FROM main.pages WHERE id IN {_GONE} AND NOT ({_STAY})",  # noqa: S608  the same
    """DELETE FROM temp.loose WHERE page IN (SELECT id FROM main.pages WHERE id IN (SELECT page FROM temp.loose) AND (
        checked_at IS NOT NULL OR EXISTS (SELECT 1 FROM main.links WHERE target = id)
        OR EXISTS (SELECT 1 FROM main.aliases WHERE target = id OR source = id)
        OR EXISTS (SELECT 1 FROM main.inlinks WHERE target = id OR source = id)
        OR EXISTS (SELECT 1 FROM main.frontier WHERE page = id)))""",
    "INSERT OR IGNORE INTO temp.places SELECT server FROM main.pages WHERE id IN (SELECT page FROM temp.loose)",
    "DELETE FROM main.pages WHERE id IN (SELECT page FROM temp.loose)",
)
_DROP_ROBOTS = "DELETE FROM main.robots WHERE authority IN (SELECT value FROM json_each(?))"
_NAMED = "INSERT OR IGNORE INTO temp.places SELECT id FROM main.servers WHERE name IN (SELECT value FROM json_each(?))"
_REST = (
    """DELETE FROM main.servers WHERE id IN (SELECT server FROM temp.places)
    AND NOT EXISTS (SELECT 1 FROM main.pages WHERE server = servers.id)
    AND NOT EXISTS (SELECT 1 FROM main.verdicts WHERE server = servers.id)""",
    "DELETE FROM main.rels WHERE id IN (SELECT rel FROM temp.words) AND id NOT IN (SELECT rel FROM main.links)",
    "UPDATE main.providers SET claims = (SELECT count(*) FROM main.inlinks WHERE provider = providers.name)",
)
_FORGET_CLAIMS = "DELETE FROM main.inlinks WHERE provider = ?"
_FORGET_PROVIDER = "DELETE FROM main.providers WHERE name = ?"


class Naming(Protocol):
    """Knows what is to be forgotten."""

    def began(self, seeds: Any) -> bool:
        """Whether one of a run's seeds is a page that goes."""
        ...

    def named(self, document: Any) -> bool:
        """Whether a kept result names what goes."""
        ...


@dataclass(frozen=True, slots=True)
class Tally:
    """What is kept of the pages that are to go."""

    pages: int  # HTML pages
    known: int  # URLs of every kind, these included
    links: int  # from them
    claims: int  # from and to them
    pointing: int  # links of other pages to them
    stay: int  # addresses that other pages link or redirect to


@dataclass(frozen=True, slots=True)
class Kept:
    """The runs that speak of the pages that are to go, by number."""

    runs: tuple[int, ...]  # that began from one of them
    results: tuple[int, ...]  # of other runs, that name one of them


@dataclass(frozen=True, slots=True)
class Order:
    """What goes, besides the pages that were chosen."""

    kept: Kept
    servers: Collection[str] = ()  # that go as a whole
    touched: Collection[str] = ()  # all servers that lose a page
    pointing: bool = False  # also the links of other pages to them


def pages_on(store: Store, names: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Number, URL and title of everything that is known of some servers."""
    for number, url, title in store.select(_ON, {"names": _list(names)}):
        yield number, url, title or ""


def page(store: Store, url: str) -> tuple[int, str, str] | None:
    """Number, URL and title of one page."""
    found = store.select(_PAGE, {"key": rows.storable(urls.key(url))}).fetchone()
    return (found[0], found[1], found[2] or "") if found else None


def known_servers(store: Store, names: Iterable[str]) -> set[str]:
    """Those of the servers of which anything is kept."""
    given = set(names)
    robots = {name for (one,) in store.select(_AUTHORITIES) if (name := urls.server(f"{one}/")) in given}
    return robots | {name for (name,) in store.select(_SERVERS, {"names": _list(given)})}


def choose(store: Store, pages: Iterable[int]) -> Tally:
    """The pages that are to go; gives what is kept of them."""
    store.select(_DROP)
    store.select(_MAKE)
    store.select(_ADD, {"pages": json.dumps(list(pages))})
    return Tally(*store.select(_TALLY).fetchone())


def speaking(store: Store, naming: Naming) -> Kept:
    """The runs that began from a page that goes, and those whose kept result names one."""
    runs, results = list[int](), list[int]()
    for number, settings, result in store.select(_RUNS):
        if naming.began(_read(settings, {}).get("seeds", [])):
            runs.append(number)
        elif result is not None and naming.named(_read(result, result)):
            results.append(number)
    return Kept(tuple(runs), tuple(results))


def _read(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return otherwise


def drop(store: Store, order: Order) -> None:
    """Drop the pages that were chosen, and everything that is kept of them, all or nothing."""
    runs = json.dumps(order.kept.runs)
    store.select("PRAGMA secure_delete = ON").fetchall()
    with store.writing() as db:
        _each(db, _BEGIN)
        db.execute(_LOOSEN, (runs,))
        _each(db, _OF_OTHERS if order.pointing else ())
        _each(db, _CLEAR)
        _drop_runs(db, order)
        _each(db, _PAGES)
        if order.servers:
            db.execute(_DROP_ROBOTS, (_list(_authorities(store, order.servers)),))
            db.execute(_NAMED, (_list(order.servers),))
        _each(db, _REST)
        _each(db, _END)
    store.forget_numbers()
    store.select(_DROP)


def _each(db: sqlite3.Connection, statements: Iterable[str]) -> None:
    for statement in statements:
        db.execute(statement)


def _drop_runs(db: sqlite3.Connection, order: Order) -> None:
    if order.kept.runs:
        for statement in _DROP_RUNS:
            db.execute(statement, (json.dumps(order.kept.runs),))
    db.execute(_DROP_RESULTS, (json.dumps(order.kept.results),))
    for run, number, text in db.execute(_MET).fetchall():
        met = json.loads(text)
        cleared = {name: [] if name in order.touched else met[name] for name in met if name not in order.servers}
        if cleared != met:
            db.execute(_SET_MET, (json.dumps(cleared, sort_keys=True), run, number))


def _authorities(store: Store, servers: Collection[str]) -> list[str]:
    return [one for (one,) in store.select(_AUTHORITIES).fetchall() if urls.server(f"{one}/") in servers]


def scrub(store: Store) -> bool:
    """Write the file anew, so that nothing deleted is left between its rows; False when another process reads it still.

    Deleting alone leaves old text behind where SQLite once moved rows about, and in the log beside the file.
    """
    store.select("VACUUM").fetchall()
    busy = store.select("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    return not busy


def claims_of(store: Store, provider: str) -> None:
    """Forget what a provider said."""
    with store.writing() as db:
        db.execute(_FORGET_CLAIMS, (provider,))
        db.execute(_FORGET_PROVIDER, (provider,))


def _list(names: Iterable[str]) -> str:
    return json.dumps(sorted(map(rows.storable, names)))
