"""Lines that say where users live: a host, perhaps a directory, and the level. The form of filter 0 and of a person's
own rules.

    geocities.co.jp      the host itself and every host below it
    .tumblr.com          only the hosts below it
    youtube.com/user     only what stands in this directory
    github.com/*         names, also without their last slash; medium.com/@* only those that begin with @,
                         geocities.com/Tokyo/#* only those that begin with a digit
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from filters.base import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Entry:
    """One line."""

    host: str  # a suffix, on a label boundary
    below: bool  # only hosts below it
    prefix: str  # the directory that the level is about
    level: int
    note: str = ""
    only: str = ""
    bare: bool = False

    @property
    def pattern(self) -> str:
        """The line's first field.

        >>> parse_entry("medium.com/@*", "2").pattern
        'medium.com/@*'
        """
        star = f"{self.only}*" if self.bare else ""
        path = self.prefix + star if star else self.prefix.rstrip("/")
        return ("." if self.below else "") + self.host + path

    def rule(self, name: str) -> Rule:
        """The rule that the line makes for a server that it speaks of."""
        where = self.pattern
        note = f" ({self.note})" if self.note else ""
        if self.level == 1:
            reason = f"{where} is one site{note}" if self.prefix == "/" else f"{where} is the administrator's{note}"
        else:
            reason = f"{where} has its users at level {self.level}{note}"
        return Rule(self.prefix, self.level, name, reason, only=self.only, bare=self.bare)


class TableError(ValueError):
    """A line that cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Lines by host."""

    entries: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)

    def about(self, host: str) -> tuple[Entry, ...]:
        """The lines of the longest suffix that speaks of a host.

        >>> table = parse(".tripod.com\\t1\\ntripod.com\\t2\\n")
        >>> [table.about(host)[0].level for host in ("alice.tripod.com", "tripod.com")]
        [1, 2]
        """
        name = host
        while name:
            found = self.entries.get(name, ())
            below = tuple(entry for entry in found if entry.below)
            fitting = below if below and name != host else tuple(entry for entry in found if not entry.below)
            if fitting:
                return fitting
            name = name.partition(".")[2]
        return ()


def table(entries: Iterable[Entry]) -> Patterns:
    """Lines, put where a host finds them."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        found[entry.host].append(entry)
    return Patterns({host: tuple(lines) for host, lines in found.items()})


def parse(text: str) -> Patterns:
    """Read a table: pattern, level and note, separated by tabs; raises TableError with the line's number.

    >>> parse("sites.google.com/view\\t3\\tGoogle Sites").about("sites.google.com")[0].prefix
    '/view/'
    """
    return table(_entries(text))


def _entries(text: str) -> list[Entry]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            fields = [field.strip() for field in line.split("\t")]
            try:
                found.append(parse_entry(*[*fields, "", ""][:3]))
            except TableError as error:
                raise TableError(f"line {number} ({line.strip()!r}): {error}") from None
    return found


def parse_entry(pattern: str, level: str, note: str = "") -> Entry:
    """Read one line's fields; raises TableError when they make no sense."""
    host, _, path = pattern.partition("/")
    below, host = host.startswith("."), host.removeprefix(".").lower()
    if not host or not all(host.split(".")) or not host.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise TableError("it does not begin with a host name")
    if not level.isdecimal() or len(level) > 2 or int(level) < 1:
        raise TableError("the level is not a number from 1 to 99")
    only, bare, prefix = _place(path)
    lowest = prefix.count("/") + bare
    if int(level) < lowest and (bare or int(level) != 1):
        raise TableError(f"the level is {level}, and {prefix} itself stands at level {lowest}")
    if bare and int(level) != lowest:
        raise TableError(f"the level is {level}, and the star stands at level {lowest}")
    return Entry(host, below, prefix, int(level), note, only, bare)


def _place(path: str) -> tuple[str, bool, str]:
    """The names that are meant, whether a star says so, and the directory that they stand in."""
    segments = [segment for segment in path.split("/") if segment]
    bare = bool(segments) and segments[-1].endswith("*")
    only = segments.pop()[:-1] if bare else ""
    if any("*" in segment for segment in (*segments, only)):
        raise TableError("a star may stand only at the end")
    return only, bare, "/" + "".join(f"{segment}/" for segment in segments)
