"""Filter 0: host suffixes whose users' level is known, and the hosts that platforms give to their users."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from filters.base import Rule, ServerView, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import tldextract

NAME = "suffixes"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the database."""

    suffix: str  # of the host, on a label boundary
    prefix: str  # the directory that the level is about
    level: int
    note: str = ""


class TableError(ValueError):
    """A line of the database that cannot be read."""


def parse(text: str) -> Mapping[str, tuple[Entry, ...]]:
    """Read the database: suffix with an optional path, level and note, separated by tabs.

    >>> parse("sites.google.com/view\\t3\\tGoogle Sites")["sites.google.com"]
    (Entry(suffix='sites.google.com', prefix='/view/', level=3, note='Google Sites'),)
    """
    table: dict[str, tuple[Entry, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            entry = _entry(line, number)
            table[entry.suffix] = (*table.get(entry.suffix, ()), entry)
    return table


def _entry(line: str, number: int) -> Entry:
    name, level, note, *_ = [*line.split("\t"), "", ""]
    suffix, _, path = name.strip().partition("/")
    prefix = f"/{path.strip('/')}/" if path else "/"
    if not suffix or not level.strip().isdigit() or int(level) < prefix.count("/"):
        raise TableError(f"line {number} of the suffix database is not `suffix<TAB>level<TAB>note`: {line!r}")
    return Entry(suffix.lower(), prefix, int(level), note.strip())


@dataclass(frozen=True, slots=True)
class Suffixes:
    """The filter, on a parsed table."""

    table: Mapping[str, tuple[Entry, ...]]

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """The longest suffix in the table decides; else a host that a platform gave away is a server of its own."""
        known = self._longest(view.host)
        given = _private_suffix(view.host)
        if known and (not given or known[0].suffix.count(".") >= given.count(".")):
            return _from_table(known)
        if given:
            reason = f"{given} gives every user a host"
            return Verdict((Rule("/", 1, NAME, reason),), NAME, reason)
        return None

    def _longest(self, host: str) -> tuple[Entry, ...]:
        labels = host.split(".")
        names = (".".join(labels[start:]) for start in range(len(labels)))
        return next((self.table[name] for name in names if name in self.table), ())


def _from_table(entries: tuple[Entry, ...]) -> Verdict:
    suffix = entries[0].suffix
    rules = tuple(Rule(entry.prefix, entry.level, NAME, _reason(entry)) for entry in entries)
    return Verdict(rules, NAME, f"{suffix} is in the database")


def _reason(entry: Entry) -> str:
    where = "" if entry.prefix == "/" else f" below {entry.prefix}"
    note = f" ({entry.note})" if entry.note else ""
    return f"{entry.suffix}{where} has its users at level {entry.level}{note}"


@lru_cache(maxsize=65536)
def _private_suffix(host: str) -> str:
    """The private public suffix that a host stands below, such as github.io; empty when there is none."""
    found = _public_suffixes()(host)
    return found.suffix if found.is_private and found.domain else ""


@lru_cache(maxsize=1)
def _public_suffixes() -> tldextract.TLDExtract:
    # The packaged list, never fetched; loaded late, because it brings 90 ms of imports with it.
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
