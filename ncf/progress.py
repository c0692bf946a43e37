"""What a person sees while a command works: a live line on standard error, when that is a terminal."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Self

from crawler.model import Failed, Fetched
from ncf.export.text import clean

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from crawler.model import Record, Stats

_LIVE_A_SECOND = 4


class Progress:
    """Shows counts while a crawl runs; says nothing when quiet or not on a terminal."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._live: Any = None
        self._quiet = quiet
        self._verbose = verbose and not quiet
        self._started = 0.0

    def shown(self) -> AbstractContextManager[object]:
        """The live line, while the block runs."""
        if self._quiet or not sys.stderr.isatty():
            return nullcontext()
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(stderr=True), refresh_per_second=_LIVE_A_SECOND, transient=True)
        live: AbstractContextManager[object] = self._live
        return live

    def saw(self, record: Record, stats: Stats, step: int | None = None) -> None:
        """Show what a record changes."""
        if self._verbose:
            self._say(told(record))
        if self._live is not None:
            from rich.text import Text

            self._live.update(Text(line(stats, step)))

    def _say(self, text: str) -> None:
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False)
        else:
            say(text)


class Counting:
    """A live count on standard error while something long is read; nothing when quiet or not on a terminal."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._shown = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._clear()

    def saw(self, done: int, total: int) -> None:
        """Show how far it is."""
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{done:,} of {total:,} {self._what}" if done < total else "\r\x1b[K")
            sys.stderr.flush()

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def say(text: str) -> None:
    """One line on standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def told(record: Record) -> str:
    """A record in one line."""
    match record:
        case Fetched():
            links = len(record.page.links) if record.page else 0
            return f"{record.status} {clean(record.url)} ({links} links)"
        case Failed():
            return f"-   {clean(record.url)} ({clean(record.detail) or record.reason})"
    return f"=   {clean(record.url)} is {clean(record.target)}"


def line(stats: Stats, step: int | None = None) -> str:
    """The counts in one line."""
    rate = stats.fetched / stats.seconds if stats.seconds >= 1 else 0.0
    parts = [
        f"{stats.fetched} pages",
        f"{stats.servers} servers",
        f"{stats.queued + stats.active} queued",
        f"{stats.failed} errors",
        f"{rate:.1f} a second",
    ]
    return " · ".join(parts if step is None else [f"growth step {step}" if step else "seed graph", *parts])
