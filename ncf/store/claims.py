"""Who links to a page: the store's own links reversed, and what others claim."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from typing import TYPE_CHECKING

from crawler import urls
from ncf.store import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ncf.store.store import Store

_WANTED = "SELECT id FROM pages WHERE key IN (SELECT value FROM json_each(:keys))"
_CLAIMED = f"""SELECT target, url, source FROM (SELECT i.target, s.url, i.source,
    row_number() OVER (PARTITION BY i.target ORDER BY s.key) AS place FROM inlinks i JOIN pages s ON s.id = i.source
    WHERE i.provider = :provider AND i.target IN ({_WANTED})) WHERE place <= :most"""  # noqa: S608  no data in the text
# Pages that a run of this very question asked for are left out: whoever goes on with it must not find more than it did.
_LINKING = f"""SELECT target, url, source FROM (SELECT l.target, s.url, l.source,
    row_number() OVER (PARTITION BY l.target ORDER BY s.key) AS place FROM links l JOIN pages s ON s.id = l.source
    WHERE l.target IN ({_WANTED}) AND s.web = :web AND s.html = 1
    AND (s.run IS NULL OR s.run NOT IN (SELECT id FROM runs WHERE question = :question))) WHERE place <= :most"""  # noqa: S608  the same
_OTHERS = """SELECT EXISTS (SELECT 1 FROM pages WHERE html = 1 AND web = :web
    AND (run IS NULL OR run NOT IN (SELECT id FROM runs WHERE question = :question)))"""
_NAMES = "SELECT id, url FROM pages WHERE id IN (SELECT value FROM json_each(:ids))"
_ADD = "INSERT OR IGNORE INTO main.inlinks (target, source, provider, at) VALUES (?, ?, ?, ?)"
_DONE = """INSERT OR REPLACE INTO providers (name, at, claims)
    VALUES (?, ?, (SELECT count(*) FROM inlinks WHERE provider = ?))"""
_KNOWN = "SELECT name, claims FROM providers ORDER BY name"
# Claims about pages of the graph: how many, of how many the page was fetched, and on how many the link was there.
_HELD = """SELECT count(*), coalesce(sum(s.html = 1 AND s.id IN (SELECT page FROM temp.taken)), 0),
    coalesce(sum(EXISTS (SELECT 1 FROM links l WHERE l.source = i.source AND l.target = i.target)
        AND s.id IN (SELECT page FROM temp.taken)), 0)
    FROM inlinks i JOIN pages s ON s.id = i.source WHERE i.target IN (SELECT page FROM temp.taken)
    AND i.provider IN (SELECT value FROM json_each(:providers))"""
TOGETHER = 20_000  # claims in one transaction


def claimed(store: Store, pages: Iterable[str], provider: str, most: int) -> Mapping[str, list[str]]:
    """By canonical URL: the pages that a provider says link to it."""
    given = list(pages)
    return _by_url(store, _CLAIMED, given, {"provider": provider, "most": most})


def has_others(store: Store, question: str, web: int) -> bool:
    """Whether the store holds pages that other questions asked for."""
    return bool(store.select(_OTHERS, {"question": question, "web": web}).fetchone()[0])


def linking(store: Store, pages: Iterable[str], question: str, web: int, most: int) -> Mapping[str, list[str]]:
    """By canonical URL: the stored pages that link to it, but for those that this question's runs asked for."""
    return _by_url(store, _LINKING, list(pages), {"question": question, "web": web, "most": most})


def _by_url(store: Store, text: str, pages: list[str], more: dict[str, object]) -> Mapping[str, list[str]]:
    keys = {rows.storable(urls.key(page)): page for page in pages}
    found: dict[int, list[str]] = defaultdict(list)
    for target, url, _ in store.select(text, {"keys": json.dumps(list(keys)), **more}):
        found[target].append(url)
    names = store.select(_NAMES, {"ids": json.dumps(list(found))})
    return {keys[rows.storable(urls.key(url))]: sorted(found[number]) for number, url in names}


def add(store: Store, provider: str, links: Iterable[tuple[str, str]]) -> int:
    """Keep claims, source and target, until they are done; gives how many there are."""
    now, waiting = int(time.time()), list[tuple[str, str]]()
    for link in links:
        waiting.append(link)
        if len(waiting) >= TOGETHER:
            _add(store, provider, waiting, now)
            waiting.clear()
    _add(store, provider, waiting, now)
    with store.writing() as db:
        db.execute(_DONE, (provider, now, provider))
    return known(store)[provider]


def _add(store: Store, provider: str, links: list[tuple[str, str]], now: int) -> None:
    with store.writing() as db:
        sources = store.keep_names(source for source, _ in links)
        targets = store.keep_names(target for _, target in links)
        pairs = sorted({(target, source) for source, target in zip(sources, targets, strict=True) if source != target})
        db.executemany(_ADD, [(target, source, provider, now) for target, source in pairs])


def known(store: Store) -> dict[str, int]:
    """The providers whose claims were read to the end, and how many there are."""
    return dict(store.select(_KNOWN).fetchall())


def tally(store: Store, providers: Iterable[str]) -> tuple[int, int, int]:
    """Claims about pages that the run took; of how many the page was fetched; on how many of these the link stands."""
    row = store.select(_HELD, {"providers": json.dumps(sorted(providers))}).fetchone()
    return int(row[0]), int(row[1]), int(row[2])
