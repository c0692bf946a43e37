"""How right the filters are: pages, servers and prefixes against gold (SPEC section 9, NCF section 2.2)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ncf.evaluation.gold import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ncf.evaluation.gold import Label
    from ncf.sites import Site

USERS = (Kind.TILDE, Kind.USER)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    part: int = 0
    whole: int = 0

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.part / self.whole if self.whole else None


@dataclass(frozen=True, slots=True)
class BCubed:
    """How alike two partitions of the pages are (Bagga and Baldwin 1998)."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.precision else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """Of one server or of many. Neutral pages are in no count."""

    pages: int
    exact: Mapping[Kind, Share]  # pages that were given exactly their gold site
    bcubed: BCubed | None
    servers: Share = field(default_factory=Share)  # wrongly called single or multi, of those the gold is sure of
    prefixes: Share = field(default_factory=Share)  # without ~: all pages of all sites below one are right

    @property
    def users(self) -> Share:
        """Users' pages, with or without a ~."""
        shares = [self.exact[kind] for kind in USERS if kind in self.exact]
        return Share(sum(share.part for share in shares), sum(share.whole for share in shares))

    @property
    def split_off(self) -> Share:
        """Administrators' pages that were given to a user's site."""
        share = self.exact.get(Kind.ADMIN, Share())
        return Share(share.whole - share.part, share.whole)


@dataclass(frozen=True, slots=True)
class Placed:
    """A page, the site that it was given, and the one that it belongs to, both after aliases."""

    label: Label
    server: str
    site: str
    gold: str
    filter: str = ""  # that decided; empty: none did


def place(labels: Iterable[Label], site: Callable[[str], Site], server: Callable[[str], str]) -> list[Placed]:
    """Give every page its site; gold sites are put under the same server names."""
    found = []
    for label in labels:
        host, slash, path = label.site.partition("/")
        given = site(label.url)
        decider = given.rule.filter if given.rule else ""
        found.append(Placed(label, server(label.server), given.key, server(host) + slash + path, decider))
    return found


def score(placed: Sequence[Placed]) -> Score:
    """Count what is right."""
    counted = [one for one in placed if one.label.kind is not Kind.NEUTRAL]
    exact: dict[Kind, Counter[bool]] = defaultdict(Counter)
    for one in counted:
        exact[one.label.kind][one.site == one.gold] += 1
    shares = {kind: Share(count[True], count.total()) for kind, count in sorted(exact.items())}
    return Score(len(counted), shares, bcubed(counted), _server_errors(placed), _prefixes(counted))


def bcubed(placed: Sequence[Placed]) -> BCubed | None:
    """B-cubed precision and recall over pages: of each page's companions, the share that are so in gold, and back."""
    if not placed:
        return None
    both = Counter((one.site, one.gold) for one in placed)
    ours, gold = Counter(one.site for one in placed), Counter(one.gold for one in placed)
    precision = sum(count * count / ours[site] for (site, _), count in both.items())
    recall = sum(count * count / gold[site] for (_, site), count in both.items())
    return BCubed(precision / len(placed), recall / len(placed))


def _server_errors(placed: Sequence[Placed]) -> Share:
    """NCF's own figure. The gold is sure of a server that has users, or that has no neutral page."""
    users, neutral, divided = set(), set(), set()
    for one in placed:
        if one.label.kind in USERS:
            users.add(one.server)
        if one.label.kind is Kind.NEUTRAL:
            neutral.add(one.server)
        if one.site != f"{one.server}/":
            divided.add(one.server)
    sure = users | ({one.server for one in placed} - neutral)
    return Share(len((users ^ divided) & sure), len(sure))


def _prefixes(counted: Sequence[Placed]) -> Share:
    """The directories that users without ~ stand in, and how many of them are right with all their pages."""
    right: dict[str, bool] = {}
    for one in counted:
        if one.label.kind is Kind.USER:
            prefix = one.gold[: one.gold.rindex("/", 0, -1) + 1]
            right[prefix] = right.get(prefix, True) and one.site == one.gold
    return Share(sum(right.values()), len(right))


def by_server(placed: Iterable[Placed]) -> dict[str, Score]:
    """The score of every server, those with most pages first."""
    found: dict[str, list[Placed]] = defaultdict(list)
    for one in placed:
        found[one.server].append(one)
    return {server: score(found[server]) for server in sorted(found, key=lambda name: (-len(found[name]), name))}
