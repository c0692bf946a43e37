"""What is true of the demo web by construction: its sites, its communities, and good places to begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.demoweb.links import communities
from tests.support.demoweb.people import Site, sites

if TYPE_CHECKING:
    from collections.abc import Iterable

# Six people and four organisations, in nine topics, on servers of every kind.
SEEDS = ("vera", "ken", "lev", "ruth", "maud", "marta", "patchbay", "birdring", "bryology", "halden")
_SITES = ("site", "topic", "kind", "title", "language")
_COMMUNITIES = ("topics", "sites")


def seeds() -> tuple[Site, ...]:
    """Ten sites to begin at."""
    return tuple(sites()[key] for key in SEEDS)


def is_related(topic: str, members: Iterable[str]) -> bool:
    """Whether at least half of these sites, named by their addresses, are about a topic."""
    topics = {one.url: one.topic for one in sites().values()}
    told = [topics.get(url) == topic for url in members]
    return 2 * sum(told) >= len(told)


def site_table() -> str:
    """`sites.tsv`: every site, in the order of the plan."""
    rows = ((one.url, one.topic, one.kind, one.title, one.language) for one in sites().values())
    return _table(_SITES, rows)


def community_table() -> str:
    """`communities.tsv`: every maximal group of sites that all link to each other, and the topics of its members."""
    rows = []
    for group in communities():
        members = [sites()[key] for key in group]
        topics = dict.fromkeys(one.topic for one in members)
        rows.append((" ".join(topics), " ".join(sorted(one.url for one in members))))
    return _table(_COMMUNITIES, rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (head, *rows))
