"""Notices that it is the network which does not answer, and not one server or the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.model import Reason
from crawler.politeness import UNANSWERED

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.frontier import Job

FAILURES, SERVERS = 8, 3  # in a row, over so many servers
FEW_FAILURES, FEW_SERVERS = 5, 2  # of a crawl that knows no more servers, after a page was answered
_ANSWERED = frozenset((Reason.TLS, Reason.PROTOCOL, Reason.ENCODING))  # badly, but by somebody


class Outage:
    """Counts failures since the last answer.

    Many dead hosts that fail at one moment look like a dead network, while the living ones wait for their turn. So
    before it believes in an outage, it hears the witnesses: those that are being asked, and those that have answered
    before and are still to be asked. Three of these that fail too are enough; one answer, and all is well.
    """

    def __init__(
        self, working: Callable[[], set[str]], flying: Callable[[], set[str]], known: set[str] | None = None
    ) -> None:
        """`working`: servers that something is to be asked of. `flying`: those that are being asked. `known`: those
        that have answered, perhaps another crawl: it grows."""
        self._working = working
        self._flying = flying
        self._alive: set[str] = set()
        self._known = set[str]() if known is None else known
        self._gave_pages = False
        self._failures = 0
        self._failed: set[str] = set()  # servers, for good
        self._silent: set[str] = set()  # these, and those that are tried again
        self._witnesses: set[str] | None = None
        self.gone = False

    def hear(self, job: Job, reason: Reason | None, *, final: bool) -> None:
        """What came of a request: an answer, or why there is none; `final` when it is not tried again."""
        if reason is None or reason in _ANSWERED:
            self._gave_pages |= not job.robots_for
            return self._answered(job.server)
        self._silent.add(job.server)
        if final and reason in UNANSWERED:
            self._failures += 1
            self._failed.add(job.server)
        if self._is_suspect():
            self._judge()
        return None

    def _answered(self, server: str) -> None:
        self._alive.add(server)
        self._known.add(server)
        self._failures, self._witnesses = 0, None
        self._failed.clear()
        self._silent.clear()

    def _is_suspect(self) -> bool:
        if self._failures < FEW_FAILURES:
            return False
        if self._failures >= FAILURES and len(self._failed) >= SERVERS:
            return True
        others = self._working() | self._flying()
        if self._gave_pages and len(self._alive | self._silent | others) <= FEW_SERVERS:
            return True
        return self._failures >= FAILURES and len(self._failed) > 1 and others <= self._silent

    def _judge(self) -> None:
        working, flying = self._working(), self._flying()
        if self._witnesses is None:
            self._witnesses = flying | (self._known & working)
        self._witnesses &= working | flying
        self._witnesses -= self._silent
        self.gone = not self._witnesses or len(self._failed & self._known) >= SERVERS

    def end(self) -> None:
        """All was asked for. When several servers were silent at the end, one that had answered before among them, it
        was not they: so few failures cannot be judged sooner, but a crawl must not pass for whole without its end."""
        self.gone |= len(self._failed) >= FEW_SERVERS and bool(self._failed & self._known)
