"""What `find` finds: frozen records, in the words of the contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.model import Cut
    from filters.base import Rule


@dataclass(frozen=True, slots=True)
class SiteRow:
    """A site of the graph."""

    site: str
    server: str
    title: str
    pages: int
    hops: int  # growth steps from the seeds
    rule: Rule


@dataclass(frozen=True, slots=True)
class LinkRow:
    """All links from one site to another."""

    source: str
    target: str
    count: int
    mutual: bool
    evidence: tuple[str, str]  # a page and the page that it links to


@dataclass(frozen=True, slots=True)
class Community:
    """Sites that all link to each other."""

    rank: int
    sites: tuple[str, ...]
    seeds: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many sites."""
        return len(self.sites)


@dataclass(frozen=True, slots=True)
class HubRow:
    """A site that was seen and not grown through: what everybody links to, or what a pattern excludes."""

    site: str
    kind: str  # of hub; empty when it was excluded
    pattern: str  # that excludes it; empty of a hub
    linked: int  # sites of the graph that it is linked with


@dataclass(frozen=True, slots=True)
class Result:
    """The communities around the seeds, and what they were made from."""

    run: int
    seeds: tuple[str, ...]
    growth: int
    method: str
    cut: tuple[Cut, ...]
    sites: tuple[SiteRow, ...]
    aliases: Mapping[str, str]
    links: tuple[LinkRow, ...]
    communities: tuple[Community, ...]
    stats: Mapping[str, float]
    seed_failures: Mapping[str, str] = field(default_factory=dict)  # why a seed could not be had
    hubs: tuple[HubRow, ...] = ()
    claims: tuple[int, int, int] = (0, 0, 0)  # of in-link sources: how many, checked, held

    @property
    def complete(self) -> bool:
        """Whether no budget cut anything off."""
        return not self.cut
