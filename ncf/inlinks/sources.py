"""The in-link sources by name, opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ncf.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawler.recording.archive import Archive
    from ncf.inlinks.base import InlinkSource
    from ncf.store.store import Store

    Watch = Callable[[int, int], None]

NONE = "none"
RECORDING = "recording"


def chosen(names: Sequence[str], *, replay: bool) -> tuple[str, ...]:
    """The sources that are meant, each once; the store's own links are always among them and need no name."""
    if NONE in names and len(names) > 1:
        raise UsageError(f"--inlinks {NONE} means that there is no source, so leave out the others")
    for name in names:
        _check(name, replay=replay)
    return tuple(dict.fromkeys(name for name in names if name != NONE))


def _check(name: str, *, replay: bool) -> None:
    if name == RECORDING and not replay:
        raise UsageError(f"--inlinks {RECORDING} takes the in-links of a recording: name one with --replay")
    if name not in (NONE, RECORDING) and not Path(name).is_file():
        raise UsageError(
            f"--inlinks {name}: there is no such source, nor a file of links; use {RECORDING}, {NONE} or a file"
        )


def opened(
    names: Sequence[str], store: Store, recording: tuple[Archive | None, str], watch: Watch | None = None
) -> dict[str, InlinkSource]:
    """The sources, ready to be asked; what they say is read into the store once."""
    from ncf.inlinks import edge_list
    from ncf.inlinks import recording as recorded

    archive, web = recording
    found: dict[str, InlinkSource] = {}
    for name in names:
        if name == RECORDING and archive is not None:
            found[name] = recorded.source(store, archive, web, watch)
        else:
            found[name] = edge_list.source(store, Path(name), watch)
    return found
