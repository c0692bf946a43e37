"""What a crawl wants to remember from one run to the next. The caller decides where it is kept."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What a server said when it was asked for robots.txt."""

    at: datetime  # when, UTC
    status: int | None  # None: no usable answer came (network failure, refused redirect)
    body: bytes = b""  # only of a 2xx, cut at the parse limit


class Notebook(Protocol):
    """Kept by the caller, so that a restart is as polite as one long run."""

    def next_turn(self, server: str) -> float:
        """Earliest time (seconds since 1970) of the next request to a server; 0 when it was never asked."""
        ...

    def set_next_turn(self, server: str, at: float) -> None:
        """Called before every request, so it must be lasting when it returns."""
        ...

    def robots(self, authority: str) -> RobotsAnswer | None:
        """The last robots.txt answer of scheme://host:port."""
        ...

    def keep_robots(self, authority: str, answer: RobotsAnswer) -> None:
        """Remember an answer."""
        ...


class MemoryNotebook:
    """A notebook that lasts as long as the process; the least recently used of 10,000 entries goes first."""

    LIMIT = 10_000

    def __init__(self) -> None:
        self._turns: OrderedDict[str, float] = OrderedDict()
        self._robots: OrderedDict[str, RobotsAnswer] = OrderedDict()

    def next_turn(self, server: str) -> float:
        """See Notebook."""
        return self._turns.get(server, 0.0)

    def set_next_turn(self, server: str, at: float) -> None:
        """See Notebook."""
        self._turns[server] = at
        self._turns.move_to_end(server)
        if len(self._turns) > self.LIMIT:
            self._turns.popitem(last=False)

    def robots(self, authority: str) -> RobotsAnswer | None:
        """See Notebook."""
        return self._robots.get(authority)

    def keep_robots(self, authority: str, answer: RobotsAnswer) -> None:
        """See Notebook."""
        self._robots[authority] = answer
        self._robots.move_to_end(authority)
        if len(self._robots) > self.LIMIT:
            self._robots.popitem(last=False)
