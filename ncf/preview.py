"""What a change of a person's rules does to what is stored: which pages go to another site."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from filters import own_rules
from ncf.atlas import chart
from ncf.labels import Labels
from ncf.store import servers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ncf.atlas import Atlas
    from ncf.rules import RuleBook, Statement
    from ncf.store.store import Store

EXAMPLES = 3  # pages that are shown of a server


@dataclass(frozen=True, slots=True)
class Move:
    """A page that goes to another site."""

    url: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to the fetched pages of one server."""

    server: str
    pages: int
    moved: int
    sites_before: int
    sites_after: int
    examples: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What happens to the servers that a change speaks of, those with the most pages that move first."""

    servers: int  # that are stored and that it speaks of
    changes: tuple[Change, ...]  # of those where a page moves
    remarks: tuple[str, ...] = ()

    @property
    def moved(self) -> int:
        """Pages that go to another site."""
        return sum(change.moved for change in self.changes)

    @property
    def sites(self) -> tuple[int, int]:
        """The sites of the servers where a page moves, before and after."""
        return sum(one.sites_before for one in self.changes), sum(one.sites_after for one in self.changes)


@dataclass(frozen=True, slots=True)
class Effect:
    """What one line decides: servers that it speaks of, and the pages and sites that it is the reason for."""

    statement: Statement
    servers: int
    pages: int
    sites: int


def preview(store: Store, before: RuleBook, after: RuleBook, changed: Iterable[Statement]) -> Preview:
    """Compare the sites of the stored pages that the changed lines speak of."""
    lines = tuple(changed)
    names = [name for name in servers.names(store) if any(line.speaks_of(name) for line in lines)]
    if not names:
        return Preview(0, ())
    comparison = _Comparison(chart(store, before, names), chart(store, after, names))
    for page in servers.pages(store, names):
        if page.fetched:
            comparison.saw(page.url, page.address)
    return Preview(len(names), comparison.changes(), tuple(_remarks(comparison.after, lines, names)))


def _remarks(after: Atlas, lines: Iterable[Statement], names: Iterable[str]) -> Iterable[str]:
    """A rule for a name that means another server says nothing: the server is judged by the name that is used."""
    levels = [line for line in lines if line.entry]
    for name in names:
        used = after.aliases.server(name)
        if used != name and any(one.speaks_of(name) and not one.speaks_of(used) for one in levels):
            yield f"{name} is another name of {used}, and only rules for {used} count there"


@dataclass(slots=True)
class _Tally:
    pages: int = 0
    moved: int = 0
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)
    moves: list[tuple[str, str, str]] = field(default_factory=list)


class _Comparison:
    """Pages seen by two atlases."""

    def __init__(self, before: Atlas, after: Atlas) -> None:
        self.before, self.after = before, after
        self._tallies: dict[str, _Tally] = defaultdict(_Tally)
        self._labels = Labels(), Labels()

    def saw(self, url: str, address: str) -> None:
        old, new = self.before.site(url).key, self.after.site(url).key
        self._labels[0].saw(old, address)
        self._labels[1].saw(new, address)
        tally = self._tallies[urls.server(url)]
        tally.pages += 1
        tally.before.add(old)
        tally.after.add(new)
        if old != new:
            tally.moved += 1
            # Examples of different sites tell more than pages of one.
            if len(tally.moves) < EXAMPLES and (old, new) not in {move[1:] for move in tally.moves}:
                tally.moves.append((url, old, new))

    def changes(self) -> tuple[Change, ...]:
        found = [self._change(server, tally) for server, tally in self._tallies.items() if tally.moved]
        return tuple(sorted(found, key=lambda one: (-one.moved, one.server)))

    def _change(self, server: str, tally: _Tally) -> Change:
        before, after = self._labels
        moves = tuple(Move(url, before.name(old), after.name(new)) for url, old, new in tally.moves)
        return Change(server, tally.pages, tally.moved, len(tally.before), len(tally.after), moves)


def effects(store: Store, book: RuleBook) -> list[Effect]:
    """What each line decides in the store, in the order of the file."""
    known = servers.names(store)
    spoken = {one: [name for name in known if one.speaks_of(name)] for one in book.statements}
    names = sorted({name for found in spoken.values() for name in found})
    seen = chart(store, book, names)
    pages: dict[object, int] = defaultdict(int)
    sites: dict[object, set[str]] = defaultdict(set)
    for page in servers.pages(store, names):
        if page.fetched:
            site, name = seen.site(page.url), urls.server(page.url)
            for reason in (site.rule, (name, name in seen.aliases.servers)):
                pages[reason] += 1
                sites[reason].add(site.key)
    return [_effect(one, len(found), pages, sites) for one, found in spoken.items()]


def _effect(one: Statement, names: int, pages: dict[object, int], sites: dict[object, set[str]]) -> Effect:
    """What a line is the reason for: its rule, or that a host is, or is not, another name of a server."""
    reason = one.entry.rule(own_rules.NAME) if one.entry else (one.pattern, bool(one.of))
    return Effect(one, names, pages[reason], len(sites[reason]))
