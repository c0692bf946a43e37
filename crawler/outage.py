"""Notices that it is the network which does not answer, and not one server or the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler import urls
from crawler.model import Reason
from crawler.politeness import UNANSWERED

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.frontier import Job

SUSPECT = 5  # failures in a row, whoever failed: dead hosts among living ones do that too, so witnesses are heard
WITNESSES = 3  # that do not answer any more are enough
_ANSWERED = frozenset((Reason.TLS, Reason.PROTOCOL, Reason.ENCODING))  # badly, but by somebody


class Outage:
    """Counts failures since the last answer.

    Many dead hosts that fail in a row look like a dead network. So witnesses are asked before an outage is believed in:
    servers that have answered. One answer, and all is well; where nobody has ever answered, nothing can be told.
    """

    def __init__(self, flying: Callable[[], set[str]], known: dict[str, str] | None = None) -> None:
        """`flying`: servers that are being asked. `known`: those that answered, and their authority; it grows."""
        self._flying = flying
        self._known = dict[str, str]() if known is None else known
        self._failures = 0
        self._nameless = 0
        self._silent: set[str] = set()  # servers that gave no answer since the last one came
        self._unheard = 0  # witnesses that were asked in vain
        self.gone = False

    def hear(self, job: Job, reason: Reason | None, *, final: bool) -> None:
        """What came of a request: an answer, or why there is none; `final` when it is not tried again."""
        if reason is None or reason in _ANSWERED:
            # A robots.txt alone makes no witness: a server that gives nothing else is in trouble itself.
            return self.heard(job.server, "" if job.robots_for else urls.split(job.address).authority)
        self._silent.add(job.server)
        if final and reason in UNANSWERED:
            self._failures += 1
            self._nameless += reason is Reason.NO_DNS
        return None

    @property
    def is_suspect(self) -> bool:
        """Whether witnesses must be heard before the crawl goes on."""
        return self._failures >= SUSPECT and not self.gone

    @property
    def is_silent(self) -> bool:
        """Whether nobody has answered since the last failure."""
        return bool(self._failures) and not self.gone

    def witnesses(self) -> list[tuple[str, str]]:
        """Servers to ask, with their authority: those that answered last first, none that is being asked anyway."""
        flying = self._flying()
        able = [one for one in self._known.items() if one[0] not in self._silent and one[0] not in flying]
        return able[::-1][:WITNESSES]

    def heard(self, server: str, authority: str) -> None:
        """A server has answered: all is well."""
        if authority:
            self._known.pop(server, None)  # to the end: the last that answered
            self._known[server] = authority
        self._failures = self._nameless = self._unheard = 0
        self._silent.clear()

    def unheard(self, server: str) -> None:
        """A witness does not answer any more."""
        self._silent.add(server)
        self._unheard += 1

    def decide(self) -> None:
        """All witnesses that can be heard were heard, and none answered."""
        if self._flying() - self._silent and self._unheard < WITNESSES:
            return  # somebody else is being asked: what comes of that is waited for
        if not self._known:
            self.gone = self._nameless == self._failures  # not the hosts: the name server is out of reach
            self._failures = self._nameless = 0
        elif self._unheard >= WITNESSES or self._known.keys() <= self._silent:
            self.gone = True
