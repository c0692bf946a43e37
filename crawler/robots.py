"""robots.txt by RFC 9309.

protego matches paths; what it lacks stands here: the byte order mark, the exact product token, groups that only the
next rule closes, lines cut at a limit, and what each kind of answer means (section 2.3.1).

Three things follow Google's reference parser where the RFC leaves room: a line may lack its colon, a user-agent value
counts up to the first character that cannot be in a token, and `/dir/index.html` speaks for `/dir/` too, which is how
we name that page.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from protego import Protego

from crawler import urls

if TYPE_CHECKING:
    from crawler.notebook import Notebook, RobotsAnswer
    from crawler.web import Fault

MAX_BYTES = 512_000  # 500 KiB, the least that section 2.5 asks for
MAX_LINE = 16_663  # bytes; what Google's parser reads of a line
MAX_REDIRECTS = 5  # section 2.3.1.2
FRESH = timedelta(hours=24)  # section 2.4
STALE = timedelta(days=30)  # section 2.3.1.4: how long an old copy stands in for an unreachable one
RETRY_UNREACHABLE = timedelta(hours=1)

_TOKEN = re.compile(r"[A-Za-z_-]+")
_LINE = re.compile(r"\s*([A-Za-z_-]+)\s*(?::|\s)\s*(.*?)\s*$", re.DOTALL)
_AGENT_NAMES = {"user-agent", "useragent", "user agent"}
_RULE_NAMES = {"allow": "Allow", "disallow": "Disallow", "dissallow": "Disallow", "dissalow": "Disallow"}
_INDEX = re.compile(r"(?<=/)index\.html?$")


@dataclass(slots=True)
class _Group:
    agents: set[str] = field(default_factory=set)
    rules: list[tuple[str, str]] = field(default_factory=list)
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What one robots.txt says to us."""

    crawl_delay: float | None
    _matcher: Protego | None

    def allows(self, address: str) -> bool:
        """Whether an address may be fetched; robots.txt itself always may."""
        if self._matcher is None or urls.split(address).path == "/robots.txt":
            return True
        return bool(self._matcher.can_fetch(address, "*"))


ALLOW_ALL = Rules(None, None)


def parse(body: bytes, agent: str) -> Rules:
    """Read a robots.txt for one product token.

    >>> rules = parse(b"User-agent: ncf\\nDisallow: /private/\\nCrawl-delay: 2", "ncf")
    >>> rules.allows("http://h/private/x"), rules.allows("http://h/"), rules.crawl_delay
    (False, True, 2.0)
    """
    groups = _groups(_text(body))
    ours = [group for group in groups if agent.lower() in group.agents]
    ours = ours or [group for group in groups if "*" in group.agents]
    rules = [rule for group in ours for rule in group.rules]
    delays = [group.delay for group in ours if group.delay is not None]
    # protego gets one group that is for everybody: which groups are ours is decided above.
    text = "\n".join(["User-agent: *", *(f"{name}: {path}" for name, path in rules)])
    return Rules(max(delays, default=None), Protego.parse(text) if rules else None)


def _text(body: bytes) -> str:
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]  # half a line must not become a rule
    return body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\x00", "")


def _groups(text: str) -> list[_Group]:
    groups: list[_Group] = []
    open_group = False  # consecutive user-agent lines share a group until a rule closes their list
    for line in re.split(r"\r\n|\r|\n", text):
        name, value = _split_line(line)
        if name in _AGENT_NAMES:
            if not open_group:
                groups.append(_Group())
            open_group = True
            groups[-1].agents |= _agents(value)
        elif groups and name in _RULE_NAMES:
            open_group = False
            groups[-1].rules += _rule(_RULE_NAMES[name], value)
        elif groups and name in ("crawl-delay", "crawldelay"):  # not a rule: it leaves the list of agents open
            groups[-1].delay = _delay(value) if _delay(value) is not None else groups[-1].delay
    return groups


def _split_line(line: str) -> tuple[str, str]:
    found = _LINE.match(line.partition("#")[0][:MAX_LINE])
    return (found[1].lower(), found[2]) if found else ("", "")


def _agents(value: str) -> set[str]:
    if value.startswith("*"):
        return {"*"} if value[1:2].strip() == "" else set()
    found = _TOKEN.match(value)
    return {found[0].lower()} if found else set()


def _rule(name: str, path: str) -> list[tuple[str, str]]:
    if not path or path[0] not in "/*":
        return []
    rules = [(name, path)]
    if name == "Allow" and _INDEX.search(path):
        rules.append((name, _INDEX.sub("$", path)))
    return rules


def _delay(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


@dataclass(frozen=True, slots=True)
class Standing:
    """How we stand with one authority: its rules, or why nothing may be fetched from it."""

    rules: Rules
    closed: Fault | None = None  # robots.txt could not be had, so everything is disallowed


class RobotsBook:
    """Remembers answers, a day each, in the caller's notebook; asks nobody itself."""

    def __init__(self, notebook: Notebook, agent: str) -> None:
        self._notebook = notebook
        self._agent = agent
        self._standings: dict[str, tuple[Standing, datetime]] = {}  # and until when each is good

    def standing(self, authority: str) -> Standing | None:
        """How we stand; None when robots.txt must be asked for first."""
        known = self._standings.get(authority)
        if known is None:
            answer = self._notebook.robots(authority)
            if answer is None:
                return None
            known = self._remember(authority, self._read(answer), answer.at + FRESH)
        return known[0] if datetime.now(UTC) < known[1] else None

    def answered(self, authority: str, answer: RobotsAnswer) -> Standing:
        """A usable answer came: 2xx is read, anything else that is not a server's failure allows everything."""
        self._notebook.keep_robots(authority, answer)
        return self._remember(authority, self._read(answer), answer.at + FRESH)[0]

    def unreachable(self, authority: str, fault: Fault) -> Standing:
        """No usable answer came: an old copy goes on, else everything is disallowed (section 2.3.1.4)."""
        now = datetime.now(UTC)
        old = self._notebook.robots(authority)
        if old is not None and now - old.at < STALE:
            return self._remember(authority, self._read(old), now + RETRY_UNREACHABLE)[0]
        return self._remember(authority, Standing(ALLOW_ALL, fault), now + RETRY_UNREACHABLE)[0]

    def _read(self, answer: RobotsAnswer) -> Standing:
        is_file = answer.status is not None and 200 <= answer.status < 300
        return Standing(parse(answer.body, self._agent) if is_file else ALLOW_ALL)

    def _remember(self, authority: str, standing: Standing, until: datetime) -> tuple[Standing, datetime]:
        if len(self._standings) >= 10_000:
            self._standings.clear()  # the notebook still knows them
        self._standings[authority] = (standing, until)
        return self._standings[authority]
