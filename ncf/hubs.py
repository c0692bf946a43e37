"""Hubs: what everybody links to. They are seen, and not grown through; data/hubs.tsv lists them.

github.com          host     this host alone, with or without `www.`
wikipedia.org       domain   this host and every host below it
geocities.com       front    this host's root, and the files in it: who has a directory there is no hub
hi.baidu.com        users    no hub, whatever a shorter line says: people have sites here, and on the hosts below it
google.{com,de}     domain   a line for each
gnu.org/licenses    host     only this directory, or file, of the host's root
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from filters.patterns import TableError
from filters.suffixes import private_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DOMAIN, HOST, FRONT, USERS = SCOPES = ("domain", "host", "front", "users")
NO_KIND = "-"  # of a line that says what is no hub
_HOST = re.compile(r"[a-z0-9_.-]+")  # the parser of URLs would take stars and braces, too


@dataclass(frozen=True, slots=True)
class Line:
    """What one line says of its pattern."""

    scope: str
    kind: str

    @property
    def reaches_below(self) -> bool:
        """Whether it speaks of the hosts below its own, too."""
        return self.scope in (DOMAIN, USERS)

    def holds(self, path: str) -> bool:
        """Whether a page of its hosts is the hub's."""
        return self.scope in (DOMAIN, HOST) or (self.scope == FRONT and _is_front(path))


@dataclass(frozen=True, slots=True)
class Hubs:
    """Lines by pattern. The longest that speaks of a page decides alone."""

    lines: Mapping[str, Line] = field(default_factory=dict)

    def of(self, url: str) -> str:
        """The kind of hub that a canonical URL belongs to; empty when it belongs to none.

        >>> table = parse("github.com\\thost\\tcode\\ngeocities.com\\tfront\\thosting")
        >>> [table.of(f"http://{page}") for page in ("github.com/alice", "geocities.com/", "geocities.com/Area51/1/")]
        ['code', 'hosting', '']
        """
        server, path = urls.place(url)
        if path.startswith("/~"):  # a person's, wherever it stands
            return ""
        line = self._about(server.partition(":")[0], path)
        return line.kind if line is not None and line.holds(path) else ""

    def _about(self, host: str, path: str) -> Line | None:
        return self.lines.get(f"{host}/{_first(path)}") or self.lines.get(host) or self._from_above(host)

    def _from_above(self, host: str) -> Line | None:
        """The line of the nearest host above that speaks of the hosts below it."""
        name = host.partition(".")[2]
        while name:
            line = self.lines.get(name)
            if line is not None and line.reaches_below:
                # Hosts that were given away (alice.github.io) are not the domain's own, unless the line names their
                # suffix. Asked last, and of hubs' hosts only, because the list of suffixes is slow.
                return None if private_suffix(host).count(".") > name.count(".") else line
            name = name.partition(".")[2]
        return None


def _is_front(path: str) -> bool:
    """Whether a page is the root, or a file in it; a name without a dot is a directory without its slash, perhaps."""
    name = path[1:]
    return not name or ("/" not in name and "." in name)


def _first(path: str) -> str:
    return path[1:].partition("/")[0]


def parse(text: str) -> Hubs:
    """Read a table: pattern, scope, kind and note, separated by tabs; raises TableError with the line's number.

    >>> sorted(parse("google.{com,co.jp}\\tdomain\\tsearch\\tGoogle").lines)
    ['google.co.jp', 'google.com']
    """
    lines: dict[str, Line] = {}
    for number, row in enumerate(text.splitlines(), 1):
        if row.strip() and not row.startswith("#"):
            try:
                _add(lines, *[*(cell.strip() for cell in row.split("\t")), "", "", ""][:3])
            except TableError as error:
                raise TableError(f"line {number} ({row.strip()!r}): {error}") from None
    return Hubs(lines)


def _add(lines: dict[str, Line], braced: str, scope: str, kind: str) -> None:
    if scope not in SCOPES:
        raise TableError(f"the scope is none of {', '.join(SCOPES)}")
    if (kind == NO_KIND) != (scope == USERS) or not kind:
        raise TableError(f"a hub needs its kind, and {USERS} have none: {NO_KIND}")
    for pattern in _patterns(braced):
        _check(pattern, scope)
        if pattern in lines:
            raise TableError(f"{pattern} has a line already")
        lines[pattern] = Line(scope, "" if kind == NO_KIND else kind)


def _patterns(braced: str) -> Iterator[str]:
    """A pattern, once for each word in its braces."""
    before, _, rest = braced.partition("{")
    words, closed, after = rest.partition("}")
    if ("{" in braced) != bool(closed):
        raise TableError("its braces do not match")
    yield from (before + word.strip() + after for word in words.split(","))


def _check(pattern: str, scope: str) -> None:
    host, slash, name = pattern.partition("/")
    if (
        "." not in host
        or not _HOST.fullmatch(host)
        or not all(host.split("."))
        or urls.address(f"http://{host}/") != f"http://{host}/"
    ):
        raise TableError(f"{host!r} is no host name in lower case")
    if host.startswith("www."):
        raise TableError("a leading `www.` does not count: leave it out")
    if slash and (not name or "/" in name):
        raise TableError("only one name may follow the host, without a last slash")
    if slash and scope not in (HOST, USERS):
        raise TableError(f"a pattern with a name after the host is for {HOST} or {USERS}")
