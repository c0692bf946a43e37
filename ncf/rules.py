"""A person's own rules: one line each, checked, refused with the reason. They come first and are final (SPEC 4).

cs.example.edu/people<TAB>3<TAB>one directory a person
mirror.example.org<TAB>apart<TAB>never another name of a server
old.example.org<TAB>=new.example.org<TAB>another name of that server
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from filters import patterns
from filters.patterns import Entry, Patterns, TableError
from filters.suffixes import is_public_suffix, is_registry
from ncf.aliases import Said
from ncf.errors import RulesError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

APART, SAME = "apart", "="
_HOSTLESS = "it does not begin with a host name, such as example.org"


@dataclass(frozen=True, slots=True)
class Statement:
    """One line: where users live (with an entry), or what a host's name means (without)."""

    pattern: str
    value: str  # a level, `apart`, or `=host`
    note: str = ""
    entry: Entry | None = None
    line: int = 0  # where it stands in the file; 0: nowhere yet

    @property
    def of(self) -> str:
        """The host that this one is another name of; empty when it says nothing of the kind."""
        return self.value.removeprefix(SAME) if self.value.startswith(SAME) else ""

    @property
    def key(self) -> tuple[str, bool]:
        """What may be said only once: a level of a pattern, and what a host's name means."""
        return self.pattern, self.entry is None

    @property
    def text(self) -> str:
        """The line, as it stands in the file."""
        return "\t".join((self.pattern, self.value, self.note)).rstrip("\t")

    def speaks_of(self, server: str) -> bool:
        """Whether a server, which may have a port, is one that the line is about."""
        host = urls.split(f"http://{server}/").host
        if self.entry is None:
            return host in (self.pattern, self.of)
        return host.endswith(f".{self.entry.host}") or (host == self.entry.host and not self.entry.below)


@dataclass(frozen=True, slots=True)
class RuleBook:
    """All that a person said."""

    patterns: Patterns = Patterns()
    apart: frozenset[str] = frozenset()  # hosts that are never another name of a server
    same: Mapping[str, str] = field(default_factory=dict)  # hosts that are another name of a host
    statements: tuple[Statement, ...] = ()  # the lines, in order

    @property
    def said(self) -> Said:
        """What it says about names of servers."""
        return Said(self.apart, self.same)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A line that cannot be used, and why."""

    line: int
    text: str
    reason: str


def book(statements: Iterable[Statement]) -> RuleBook:
    """Lines, put where they are looked for."""
    given = tuple(statements)
    table = patterns.table(one.entry for one in given if one.entry)
    apart = frozenset(one.pattern for one in given if one.value == APART)
    return RuleBook(table, apart, {one.pattern: one.of for one in given if one.of}, given)


def parse(text: str, place: str = "the rules file") -> RuleBook:
    """Read a file's text; raises RulesError with the place, the line and the reason.

    >>> parse("# mine\\nWWW.h.example/users\\t3\\tpeople").patterns.about("h.example")[0].prefix
    '/users/'
    """
    found, troubles = examine(text)
    if troubles:
        first = troubles[0]
        raise RulesError(f"line {first.line} of {place} ({first.text!r}) cannot be used: {first.reason}")
    return book(found)


def examine(text: str) -> tuple[list[Statement], list[Trouble]]:
    """Every line that can be used, and every line that cannot."""
    found: dict[tuple[str, bool], Statement] = {}
    troubles = []
    for number, line in enumerate(lines(text), 1):
        if is_rule(line):
            try:
                new = _read(line, number)
                check_fits(new, found)
                found[new.key] = new
            except RulesError as error:
                troubles.append(Trouble(number, line.strip(), str(error)))
    return list(found.values()), troubles


def lines(text: str) -> list[str]:
    """The lines of a text, without their ends; str.splitlines would also break at rarer signs."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def is_rule(line: str) -> bool:
    """Whether a line is neither empty nor a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _read(line: str, number: int) -> Statement:
    fields = [part.strip() for part in line.strip().split("\t")]
    if len(fields) == 1:
        raise RulesError("a tab must stand between the pattern and the level")
    return statement(fields[0], fields[1], fields[2] if len(fields) > 2 else "", line=number)


def statement(pattern: str, value: str, note: str = "", *, line: int = 0) -> Statement:
    """Check one rule; raises RulesError with the reason why it is refused."""
    pattern, value = normal(pattern), value.strip()
    if value == APART or value.startswith(SAME):
        return _on_names(pattern, value, note, line)
    if not value.isdecimal():
        raise RulesError(f"the level {value!r} is not a number from 1 to 99, `apart` or `=host`")
    try:
        entry = patterns.parse_entry(pattern, value, note)
    except TableError as error:
        raise RulesError(str(error)) from None
    return Statement(entry.pattern, str(entry.level), note, entry, line)


def _on_names(pattern: str, value: str, note: str, line: int) -> Statement:
    if pattern.startswith(".") or "/" in pattern:
        raise RulesError(f"`{APART}` and `{SAME}host` speak of one whole host; write it without dot and path")
    if value == APART:
        return Statement(pattern, APART, note, None, line)
    of = _host(value.removeprefix(SAME).strip())
    _refuse_suffix(of, below=False)
    if of == pattern:
        raise RulesError(f"{pattern} cannot be another name of itself")
    return Statement(pattern, SAME + of, note, None, line)


def check_fits(new: Statement, others: Mapping[tuple[str, bool], Statement]) -> None:
    """Raise RulesError when a line says again what another says, or closes a circle of names."""
    other = others.get(new.key)
    if other is not None:
        raise RulesError(f"{new.pattern} stands on line {other.line} already, with {told(other)}")
    end = new.of
    while end and end != new.pattern and (leading := others.get((end, True))):
        end = leading.of
    if end and end == new.pattern:
        raise RulesError(f"{new.of} leads back to {new.pattern}: names of servers must not form a circle")


def told(one: Statement) -> str:
    """What a line says, in words."""
    note = f" ({one.note})" if one.note else ""
    if one.entry:
        return f"level {one.value}{note}"
    return f"`{one.value}`{note}"


def normal(pattern: str) -> str:
    """A pattern as it is compared: the host by the one URL parser, the path in canonical form.

    >>> normal("HTTP://www.Bücher.example/%7Eteam/"), normal(".Tumblr.com"), normal("h.example/Tokyo/#*")
    ('xn--bcher-kva.example/~team', '.tumblr.com', 'h.example/Tokyo/#*')
    """
    scheme, colon, rest = pattern.strip().partition("://")
    text = rest if colon and scheme.lower() in ("http", "https") else pattern.strip()
    name, _, path = text.partition("/")
    below = name.startswith(".")
    host = _host(name.removeprefix("."))
    _refuse_suffix(host, below=below)
    return ("." if below else "") + host + _path(path)


def _host(name: str) -> str:
    if "*" in name:
        raise RulesError("a star may stand only at the end of a path; .example.org means the hosts below example.org")
    found = urls.address(f"http://{name}/") if name else None
    if found is None or set(name) & set("@?#\\ "):
        raise RulesError(_HOSTLESS)
    if name.startswith("["):
        raise RulesError("a rule speaks of a host by its name, not of an IPv6 address")
    if urls.split(found).port is not None or ":" in name:
        raise RulesError("a rule speaks of a host on all its ports; leave the port out")
    return urls.server(found)


def _refuse_suffix(host: str, *, below: bool) -> None:
    told = f"{host} is a public suffix, never a site: what stands below it belongs to different people"
    if is_registry(host):
        raise RulesError(told)
    if is_public_suffix(host) and not below:
        raise RulesError(f"{told}; write .{host} to speak of the hosts below it")


def _path(path: str) -> str:
    """The path of a pattern in canonical form, a star at its end left as it is."""
    if "?" in path:
        raise RulesError("only the path of a URL counts, never its query")
    head, slash, last = path.rstrip("/").rpartition("/")
    starred = last.endswith("*")
    directory = f"{head}{slash}" if starred else f"{path.rstrip('/')}/"
    if "#" in directory or ("#" in last and last != "#*"):
        raise RulesError("a # may stand only in #*, which means names that begin with a digit")
    found = _canonical(directory.strip("/"))
    if not starred:
        return found.rstrip("/")
    only = last if last == "#*" else _canonical(last[:-1]).strip("/") + "*"
    return (found if found.endswith("/") else f"{found}/") + only


def _canonical(path: str) -> str:
    end = "/" if path else ""
    return urls.split(urls.canonical(f"http://h.example/{path}{end}") or "http://h.example/").path
