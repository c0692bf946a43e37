"""What a person sees while a command works: lines on standard error, live where that is a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol, Self

from crawler.model import Failed, Fetched, Stats
from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from rich.text import Text

    from crawler.model import Record
    from ncf.growth import Limits

_LIVE_A_SECOND = 4
_SAMPLED = 0.2  # seconds between two looks at the counts
_PLAIN_EVERY = 10.0  # seconds between two plain lines
_PACE_OVER = 5.0  # seconds
_ENDLESS = 1 << 32  # pages: who may have so many has no budget


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
            self._live.console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)
        else:
            say(text)


class Growing(Protocol):
    """What is known of a graph while it grows."""

    @property
    def sites(self) -> int:
        """How many sites it has."""
        ...

    @property
    def stats(self) -> Stats:
        """The counts so far."""
        ...


class FindProgress:
    """Shows how far a find is: lines that change on a terminal, and a plain line now and then elsewhere.

    A record costs next to nothing: it leaves its counts behind, and who draws looks at them four times a second.
    """

    def __init__(self, steps: int, limits: Limits, *, quiet: bool = False, verbose: bool = False) -> None:
        self._steps = steps
        self._limits = limits
        self._quiet = quiet
        self._verbose = verbose and not quiet
        self._live: Any = None
        self._growth: Growing | None = None
        self._stats = Stats()
        self._sites = 0
        self._phase = "starting"
        self._growing = False
        self._stopping = False
        self._started = self._told_at = time.monotonic()
        self._pace = Pace()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """The live lines, while the block runs."""
        if self._quiet or not _can_redraw():
            yield
            return
        from rich.console import Console
        from rich.live import Live

        self._live = Live(
            console=Console(stderr=True),
            get_renderable=_Sampled(self.lines).drawn,
            refresh_per_second=_LIVE_A_SECOND,
            transient=True,
            redirect_stdout=False,
        )
        try:
            with self._live:
                yield
        finally:
            self._live = None

    def record(self, record: Record, stats: Stats) -> None:
        """Note a record and the counts that it changed."""
        self._stats = stats
        if self._growth is not None:  # counted here, for between steps the graph is put in order and counts anew
            self._sites = self._growth.sites
        if self._verbose:
            self._say(told(record))
        if self._live is None and not self._quiet and time.monotonic() - self._told_at >= _PLAIN_EVERY:
            self._tell()

    def step(self, number: int, growth: Growing) -> None:
        """A growth step begins; 0 is the seed graph."""
        if not self._growing:
            self._started = time.monotonic()
        self._growth, self._sites, self._stats, self._growing = growth, growth.sites, growth.stats, True
        self._phase = f"growth step {number} of {self._steps}" if number else "seed graph"
        self._tell()

    def surveying(self) -> None:
        """The crawl is over; sites and communities are looked for."""
        self._growing = False
        self._phase = "dividing servers into sites, finding communities"
        self._tell()

    def stopping(self) -> None:
        """A person wants an end: say what happens now, also when quiet, for whoever waits presses again."""
        self._stopping = True
        self._say("finishing the pages in hand, then showing what there is; Ctrl-C again stops at once")

    def lines(self) -> list[str]:
        """What is known now."""
        self._pace.saw(time.monotonic(), _had(self._stats))
        phase = f"{self._phase}, stopping" if self._stopping and self._growing else self._phase
        parts = ([phase, *self._graph()], self._counts(), self._ahead())
        return [" · ".join(part) for part in parts if part]

    def _graph(self) -> list[str]:
        if not self._sites:
            return []
        return [f"{_some(self._sites, 'site')} on {_some(self._stats.servers, 'server')}"]

    def _counts(self) -> list[str]:
        """Pages, also those that cost nothing, and what went wrong."""
        stats, budget = self._stats, self._limits.max_pages
        of = f" of {budget:,}" if budget < _ENDLESS else ""
        held = [f"{stats.copies:,} from the store"] if stats.copies else []
        rate = [f"{self._pace.rate:,.1f} a second"] if self._growing else []
        return [f"{stats.html + stats.unchanged:,}{of} pages", *held, _some(stats.failed, "error"), *rate]

    def _ahead(self) -> list[str]:
        """What waits, and what is left of the minutes."""
        if not self._growing:
            return []
        queued, active = self._stats.queued, self._stats.active
        waiting = [f"{queued:,} queued", f"{active:,} under way"] if queued or active else []
        if self._limits.minutes is None:
            return waiting
        left = max(0, round(self._limits.minutes * 60 - (time.monotonic() - self._started)))
        return [*waiting, f"{left // 60}:{left % 60:02} left of {self._limits.minutes:g} minutes"]

    def _tell(self) -> None:
        """One plain line, where nothing can be drawn anew."""
        self._told_at = time.monotonic()
        if self._live is None and not self._quiet:
            say(" · ".join(self.lines()))

    def _say(self, text: str) -> None:
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)
        else:
            say(text)


class Pace:
    """Pages a second over the last few seconds."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def saw(self, now: float, pages: int) -> None:
        """Note how many pages there are, in all, at a time."""
        self._seen.append((now, pages))
        while self._seen[0][0] < now - _PACE_OVER and len(self._seen) > 2:  # a pace has two ends, however far apart
            self._seen.popleft()

    @property
    def rate(self) -> float:
        """How many came in a second.

        >>> pace = Pace()
        >>> pace.saw(10.0, 5), pace.saw(12.0, 11)
        (None, None)
        >>> pace.rate
        3.0
        """
        if not self._seen:
            return 0.0
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / max(1.0, last - first)  # the first moments are no measure


class _Sampled:
    """Lines made anew a few times a second at most, however often they are drawn: each line above them draws them."""

    def __init__(self, lines: Callable[[], list[str]]) -> None:
        self._lines = lines
        self._made = float("-inf")
        self._text: Text | None = None

    def drawn(self) -> Text:
        """The lines, each cut at the terminal's edge."""
        from rich.text import Text

        now = time.monotonic()
        if self._text is None or now - self._made >= _SAMPLED:
            self._made = now
            self._text = Text("\n".join(self._lines()), no_wrap=True, overflow="ellipsis")
        return self._text


def _some(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _had(stats: Stats) -> int:
    """Pages that came, wherever from."""
    return stats.fetched + stats.unchanged + stats.copies


def _can_redraw() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


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
