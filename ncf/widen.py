"""A server seen with some paths more than the store knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from filters.base import known_directories, view

if TYPE_CHECKING:
    from collections.abc import Iterable

    from filters.base import ServerView


def widened(seen: ServerView, paths: Iterable[str]) -> ServerView:
    """A view in which these paths are known too, as if somebody linked to them."""
    more = set(paths).difference(seen.paths)
    if not more:
        return seen
    if not seen.paths:
        return view(seen.server, more)
    names = tuple(sorted(more.union(seen.paths)))
    place = {path: number for number, path in enumerate(names)}
    moved = np.array([place[path] for path in seen.paths], dtype=np.int64)
    fetched, outside = np.zeros(len(names), dtype=np.bool_), np.zeros(len(names), dtype=np.int64)
    fetched[moved], outside[moved] = seen.fetched, seen.outside
    return replace(
        seen,
        paths=names,
        fetched=fetched,
        sources=moved[seen.sources],
        targets=moved[seen.targets],
        outside=outside,
        directories=seen.directories | known_directories(more, ()),
    )
