"""How a crawl behaves: every number has a name, a unit and a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

from crawler.errors import SettingsError

VERSION = "0.1.0"
PROJECT_PAGE = "https://pypi.org/project/ncf/"
_TOKEN = re.compile(r"[A-Za-z_-]+")

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """Polite defaults. `REPLAY` below is the profile for recordings."""

    agent: str = "ncf"  # product token, RFC 9309 section 2.2.1
    contact: str = ""  # a URL or an e-mail address of the person who crawls
    # Limits of one request
    max_body: int = 10 * MIB  # decoded, and on the wire
    max_seconds: float = 30.0  # one deadline for name, connection, headers and body
    max_redirects: int = 10
    max_codings: int = 2  # Content-Encoding: more than two is a bomb
    max_text: int = 2 * MIB  # characters that are parsed
    max_links: int = 10_000  # a page
    retries: int = 2  # on network errors, 429 and 5xx
    # Politeness
    delay: float = 1.0  # seconds between the starts of two requests to one server
    jitter: float = 0.1  # up to this share of the delay is added, never taken off
    max_crawl_delay: float = 30.0  # seconds; a server that asks for more is parked
    patience: float = 120.0  # seconds; a server whose Retry-After asks for more is parked
    max_failures: int = 5  # a server that fails so often in a row, after retries, is parked
    backoff: float = 2.0  # seconds before the first retry, doubled for the next
    connections: int = 64  # requests under way in all
    connections_per_address: int = 4  # an IP address may hold many servers; 0 is no limit
    requests_per_address: float = 4.0  # a second; 0 is no limit
    # Safety
    allow_private: bool = False
    offline: bool = False  # nothing is asked for: copies only

    def __post_init__(self) -> None:
        if not _TOKEN.fullmatch(self.agent):
            raise SettingsError(
                f"the agent name {self.agent!r} is not a product token: use letters, '-' and '_' only (RFC 9309)"
            )
        if not self.contact.isprintable() or not self.contact.isascii():
            raise SettingsError("the contact must be plain printable ASCII: a URL or an e-mail address")
        if self.delay < 0:
            raise SettingsError("the delay cannot be negative")

    @property
    def user_agent(self) -> str:
        """What we call ourselves: name, version, and where to ask or complain."""
        return f"{self.agent}/{VERSION} (+{self.contact or PROJECT_PAGE})"


# A recording is on this machine: nobody is disturbed, all hosts share one address, and waiting changes nothing. One
# request at a time costs an eighth of the speed and gives the same records in the same order every time.
REPLAY = Settings(
    delay=0.0, backoff=0.0, retries=0, connections_per_address=0, requests_per_address=0.0, patience=0.0, connections=1
)
