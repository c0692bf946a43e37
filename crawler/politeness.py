"""Whose turn it is. Politeness answers "not now, but then"; it never sleeps, so a waiting server holds no worker."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from crawler.model import Failed, Reason

if TYPE_CHECKING:
    from crawler.model import Fetched, Redirect
    from crawler.notebook import Notebook
    from crawler.settings import Settings

UNANSWERED = frozenset((Reason.CONNECT, Reason.TIMEOUT, Reason.NO_DNS))  # worth another try
OVERLOAD = frozenset((429, 503))  # the server, not the page, is in trouble
_MARGIN = 0.02  # of the delay: a late start of one request must not bring the next too near to it
_MAX_REST = 30.0  # seconds that a slow server may rest after an answer


@dataclass(slots=True)
class _Manners:
    """How we stand with one server."""

    next_turn: float  # seconds since 1970
    delay: float
    failures: int = 0  # in a row
    parked: str = ""  # why nothing more is asked of it


class Politeness:
    """One request at a time and a delay for every server; what it learns lasts in the notebook."""

    def __init__(self, settings: Settings, notebook: Notebook) -> None:
        self._settings = settings
        self._notebook = notebook
        self._manners: dict[str, _Manners] = {}
        self._random = random.Random()  # noqa: S311  # jitter is no secret

    def _of(self, server: str) -> _Manners:
        known = self._manners.get(server)
        if known is None:
            noted = self._notebook.next_turn(server) if self._settings.delay else 0.0
            known = self._manners[server] = _Manners(noted, self._settings.delay)
        return known

    def next_turn(self, server: str) -> float:
        """When the next request to a server may start, in seconds since 1970."""
        return self._of(server).next_turn

    def start(self, server: str) -> None:
        """A request starts now: the next may not before the delay, which is jittered upwards only."""
        manners = self._of(server)
        if manners.delay:
            wait = manners.delay * (1 + _MARGIN + self._random.random() * self._settings.jitter)
            self._set(server, time.time() + wait)

    def finish(self, server: str, seconds: float) -> None:
        """A request took so long: a server that is slow to answer rests at least as long as it worked."""
        manners = self._of(server)
        if manners.delay and seconds > manners.delay / 2:
            self._set(server, time.time() + min(seconds, _MAX_REST))

    def hold(self, server: str, seconds: float) -> None:
        """The server asked for silence (Retry-After): a minimum."""
        if seconds <= self._settings.patience:
            self._set(server, time.time() + seconds)
        elif self._settings.patience:
            self.park(server, f"the server asks to come back in {seconds:.0f} seconds (Retry-After)")

    def ask_for_delay(self, server: str, crawl_delay: float | None) -> None:
        """The server's robots.txt asks for a delay. Never less than ours; above the limit the server is parked."""
        if crawl_delay is None or not self._settings.delay:
            return
        if crawl_delay > self._settings.max_crawl_delay:
            self.park(server, f"its robots.txt asks for {crawl_delay:g} seconds between requests (Crawl-delay)")
            return
        manners = self._of(server)
        manners.delay = max(manners.delay, crawl_delay)
        self._set(server, time.time() + manners.delay)

    def failed(self, server: str) -> None:
        """A request failed for good, for a reason that is the server's: too many in a row park it."""
        manners = self._of(server)
        manners.failures += 1
        if manners.failures >= self._settings.max_failures:
            self.park(server, f"{manners.failures} requests in a row failed")

    def worked(self, server: str) -> None:
        """The server answered as servers do."""
        self._of(server).failures = 0

    def relive(self, server: str, told: Fetched | Failed | Redirect) -> None:
        """An answer that this very run got before it was interrupted: it counts as it did then."""
        if isinstance(told, Failed) and told.reason is Reason.PARKED:
            self.park(server, told.detail)
        elif isinstance(told, Failed) and (told.reason in UNANSWERED or told.status in OVERLOAD):
            self.failed(server)
        elif not isinstance(told, Failed) or (told.status is not None and told.status < 500):
            self.worked(server)

    def park(self, server: str, why: str) -> None:
        """Ask nothing more of a server in this crawl."""
        self._of(server).parked = why

    def parked(self, server: str) -> str:
        """Why a server is parked; empty when it is not."""
        return self._of(server).parked

    def _set(self, server: str, at: float) -> None:
        manners = self._of(server)
        manners.next_turn = max(manners.next_turn, at)
        self._notebook.set_next_turn(server, manners.next_turn)


class Addresses:
    """Many servers may share one IP address: so many connections and requests a second, and no more."""

    def __init__(self, connections: int, rate: float) -> None:
        self._connections = connections
        self._gap = 1 / rate if rate else 0.0
        self._open: dict[str, int] = {}
        self._next: dict[str, float] = {}

    def wait(self, ip: str) -> float:
        """Seconds until a request may go to an address; 0 takes the place, which `leave` gives back."""
        now = time.monotonic()
        if self._connections and self._open.get(ip, 0) >= self._connections:
            return max(self._gap, 0.05)
        ahead = self._next.get(ip, 0.0) - now
        if ahead > 0:
            return ahead
        self._next[ip] = now + self._gap
        self._open[ip] = self._open.get(ip, 0) + 1
        return 0.0

    def leave(self, ip: str) -> None:
        """A request to an address is over."""
        self._open[ip] -= 1
        if not self._open[ip]:
            del self._open[ip]
            if len(self._next) > 10_000:
                now = time.monotonic()
                self._next = {ip: at for ip, at in self._next.items() if at > now}


def retry_after(value: str) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None when it says nothing.

    >>> retry_after("7"), retry_after("soon"), retry_after("Sun, 06 Nov 1994 08:49:37 GMT")
    (7.0, None, 0.0)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:12])
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
