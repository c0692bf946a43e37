"""What commands look things up in: the store, a recording taken as one, or nothing yet."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ncf.rules_file import RulesFile
    from ncf.store.store import Store


@contextmanager
def looked_at(path: Path | None, replay: list[Path] | None = None, *, quiet: bool = False) -> Iterator[Store]:
    """The store, or a recording as one; where nothing was crawled yet, an empty one that leaves no trace."""
    from ncf import recorded
    from ncf.progress import Counting
    from ncf.store import connection

    if path is None and not replay and not connection.default_path().exists():
        with _nothing(quiet=quiet) as empty:
            yield empty
        return
    with (
        Counting("pages read", quiet=quiet) as reading,
        recorded.opened(path, tuple(replay or ()), reading.saw) as kept,
    ):
        yield kept


@contextmanager
def _nothing(*, quiet: bool) -> Iterator[Store]:
    import tempfile
    from pathlib import Path

    from ncf.progress import say
    from ncf.store import connection
    from ncf.store.store import Store

    if not quiet:
        say(f"there is no store at {connection.default_path()} yet; `ncf find` or `ncf crawl` makes one")
    with tempfile.TemporaryDirectory(prefix="ncf-") as folder, Store.open(Path(folder) / "empty.sqlite") as empty:
        yield empty


def rules_of(path: Path | None, *, quiet: bool = False) -> RulesFile:
    """A person's rules; a file that was named and is not there is said to be missing."""
    from ncf import rules_file
    from ncf.progress import say

    found = rules_file.read(path)
    if path is not None and not found.exists and not quiet:
        say(f"the rules file {path} does not exist: it counts as empty")
    return found
