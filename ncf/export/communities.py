"""What `ncf communities` tells, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ncf.export.csv import rows_text
from ncf.export.json import SCHEMA, cuts, dumps
from ncf.export.parts import add, line, table
from ncf.export.table import count, cut_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.model import Cut
    from ncf.export.parts import Part

TOP = 30  # communities in a table
_CSV = ("community", "size", "site")


@dataclass(frozen=True, slots=True)
class Listing:
    """Communities as they are told: the largest first, then by the names of their sites."""

    method: str
    communities: Sequence[tuple[str, ...]]
    cut: tuple[Cut, ...] = ()
    noun: str = "site"  # what stands in a community

    @property
    def complete(self) -> bool:
        """Whether these are all communities that there are."""
        return not self.cut


def json_text(told: Listing, top: int | None = None) -> str:
    """The contract's document."""
    listed = told.communities[:top]
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "method": told.method,
        "complete": told.complete,
        "cut": cuts(told.cut),
        "communities": [{"size": len(sites), "sites": list(sites)} for sites in listed],
        "not_listed": len(told.communities) - len(listed),
    }
    return dumps(document) + "\n"


def csv_text(told: Listing, top: int | None = None) -> str:
    """One line for each site of each community; communities are numbered from 1."""
    listed = enumerate(told.communities[:top], 1)
    return rows_text(_CSV, ((number, len(sites), site) for number, sites in listed for site in sites))


def parts(told: Listing, top: int | None = None) -> Iterator[Part]:
    """A table and sentences for people."""
    top = top or TOP
    if told.communities:
        found = table("#", "size", told.noun, right=("#", "size"))
        for number, sites in enumerate(told.communities[:top], 1):
            for place, site in enumerate(sites):
                add(found, *(("", "") if place else (number, len(sites))), site)
            found.add_section()
        yield found
    for sentence in remarks(told, top):
        yield line(sentence)


def remarks(told: Listing, top: int | None = None) -> Iterator[str]:
    """How many there are, how many of them are not listed, and what was cut off."""
    sites = {site for community in told.communities for site in community}
    if told.communities:
        found = count(len(told.communities), "community", "communities")
        largest = len(told.communities[0])
        yield f"{found} among {count(len(sites), told.noun)}; {count(largest, told.noun)} in the largest."
    else:
        yield "no communities found"
    if top is not None and len(told.communities) > top:
        more = len(told.communities) - top
        yield f"{more} more {'is' if more == 1 else 'are'} not listed; --top shows more."
    yield from cut_lines(told.cut)
