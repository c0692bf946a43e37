"""A recording taken as a store: every page that it holds, read into a temporary file."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ncf.errors import StoreError
from ncf.store import connection
from ncf.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Watch = Callable[[int, int], None]  # answers read so far, answers in all

_TOGETHER = 500  # records in one transaction


@contextmanager
def opened(path: Path | None, replay: Sequence[Path] = (), watch: Watch | None = None) -> Iterator[Store]:
    """The store to look things up in: a recording's, when one is named, else the file, which must be there."""
    if replay:
        with (
            tempfile.TemporaryDirectory(prefix="ncf-") as folder,
            Store.open(Path(folder) / "recording.sqlite") as kept,
        ):
            load(kept, replay, watch)
            yield kept
        return
    place = path or connection.default_path()
    if not place.exists():
        raise StoreError(
            f"there is no store at {place} yet: `ncf crawl` or `ncf find` makes one, --store names another"
        )
    with Store.open(place) as kept:
        yield kept


def load(store: Store, replay: Sequence[Path], watch: Watch | None = None) -> int:
    """Read recordings into a store; gives how many answers they hold."""
    from crawler.recording.archive import Archive
    from crawler.recording.reading import records

    with Archive.open(replay) as archive:
        total, done, found = len(archive), 0, records(archive)
        while batch := list(islice(found, _TOGETHER)):
            store.keep_all(batch)
            done += len(batch)
            if watch:
                watch(min(done, total), total)
        return total
