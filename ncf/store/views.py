"""What the store knows of one server, as the filters want to see it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from crawler import urls
from crawler.model import Reason
from filters.base import ServerView, is_entry, known_directories

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from filters.base import Numbers
    from ncf.store.store import Store

# Failures after which nothing is left to learn from an address; after any other the page may yet be there.
_SETTLED = (
    Reason.STATUS, Reason.BAD_URL, Reason.REDIRECT_LOOP, Reason.REDIRECT_LIMIT, Reason.REDIRECT_BAD,
    Reason.REDIRECT_SCOPE,
)  # fmt: skip
_IN = "(SELECT id FROM servers WHERE name IN (SELECT value FROM json_each(:names)))"
_PAGES = f"SELECT id, url, html, status, reason, title, links_dropped, truncated FROM pages WHERE server IN {_IN}"  # noqa: S608  no data in the text
_ALIASES = f"""SELECT a.source, a.target FROM aliases a JOIN pages s ON s.id = a.source
    JOIN pages t ON t.id = a.target AND (a.kind = 'redirect' OR t.html = 1) WHERE s.server IN {_IN}"""  # noqa: S608  the same
# Where a link leads is looked up among the server's own rows: a second join costs more than all the rest.
_LINKS = f"SELECT l.source, l.target FROM pages s JOIN links l ON l.source = s.id WHERE s.server IN {_IN}"  # noqa: S608  the same
_OUTSIDE = f"""SELECT l.target, count(DISTINCT l.source) FROM pages t JOIN links l ON l.target = t.id
    JOIN pages s ON s.id = l.source WHERE t.server IN {_IN} AND s.server NOT IN {_IN} GROUP BY l.target"""  # noqa: S608  the same


@dataclass(slots=True)
class _Names:
    """The rows of a server's URLs, path by path."""

    ids: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    fetched: set[str] = field(default_factory=set)
    titles: dict[str, str] = field(default_factory=dict)
    unasked: set[int] = field(default_factory=set)
    cut: bool = False


def server_view(store: Store, server: str, names: Iterable[str] = ()) -> ServerView:
    """See a server, under all the names that it has."""
    wanted = json.dumps(sorted({server, *names}))
    leads = dict(store.select(_ALIASES, {"names": wanted}).fetchall())
    found = _read(store, wanted, leads)
    paths = tuple(sorted(set(found.paths)))
    place = {path: number for number, path in enumerate(paths)}
    ids = np.array(found.ids, dtype=np.int64)
    order = np.argsort(ids)
    pages = np.array([place[path] for path in found.paths], dtype=np.int64)[order]
    end = _Ends(ids[order], pages, leads)
    sources, targets = _links(store, wanted, end, len(paths))
    return ServerView(
        server,
        paths,
        np.array([path in found.fetched for path in paths], dtype=np.bool_),
        sources,
        targets,
        _outside(store, wanted, end, len(paths)),
        known_directories(paths, found.fetched) | _redirected(found, leads),
        complete=not found.cut and found.unasked <= leads.keys(),
        titles=found.titles,
    )


def _read(store: Store, wanted: str, leads: dict[int, int]) -> _Names:
    found = _Names()
    for number, url, html, status, reason, title, dropped, truncated in store.select(_PAGES, {"names": wanted}):
        path = urls.place(url)[1]
        if status == 200 and not html:
            continue  # a picture or a text: no page, and no sign of a directory of pages
        found.ids.append(number)
        found.paths.append(path)
        if html and number not in leads:
            found.fetched.add(path)
            if title and is_entry(path):
                found.titles[path] = title
        if status is None and reason not in _SETTLED:
            found.unasked.add(number)
        found.cut = found.cut or bool(dropped) or truncated not in (None, "", "skipped")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """From the number of a row to the place of its path; -1 when it is not on this server."""

    ids: Numbers
    places: Numbers
    leads: dict[int, int]

    def __call__(self, rows: Numbers) -> Numbers:
        if self.leads and len(rows):
            some, back = np.unique(rows, return_inverse=True)
            rows = np.array([self._led(row) for row in some.tolist()], dtype=np.int64)[back]
        if not len(self.ids):
            return np.full(len(rows), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, rows), len(self.ids) - 1)
        return np.where(self.ids[at] == rows, self.places[at], -1)

    def _led(self, row: int) -> int:
        seen = {row}
        while (target := self.leads.get(row)) is not None and target not in seen:
            seen.add(target)
            row = target
        return row


def _links(store: Store, wanted: str, end: _Ends, pages: int) -> tuple[Numbers, Numbers]:
    rows = _columns(store.select(_LINKS, {"names": wanted}))
    sources, targets = end(rows[:, 0]), end(rows[:, 1])
    kept = (sources >= 0) & (targets >= 0) & (sources != targets)
    pairs = np.unique(sources[kept] * max(pages, 1) + targets[kept])
    return pairs // max(pages, 1), pairs % max(pages, 1)


def _outside(store: Store, wanted: str, end: _Ends, pages: int) -> Numbers:
    rows = _columns(store.select(_OUTSIDE, {"names": wanted}))
    places = end(rows[:, 0])
    counts: Numbers = np.bincount(places[places >= 0], weights=rows[places >= 0, 1], minlength=pages).astype(np.int64)
    return counts


def _columns(rows: Iterable[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Two columns of numbers, streamed: a large server has more links than Python objects would fit."""
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 2)


def _redirected(found: _Names, leads: dict[int, int]) -> frozenset[str]:
    """Directories that a redirect from the same name without a slash showed."""
    path = dict(zip(found.ids, found.paths, strict=True))
    pairs = ((path[source], path.get(target, "")) for source, target in leads.items() if source in path)
    return frozenset(new for old, new in pairs if new == f"{old}/")
