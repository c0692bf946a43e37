"""When a page was last changed: what its server says, and what stands at its foot."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tests.support.demoweb.chance import Chance
from tests.support.demoweb.people import SOCIETY
from tests.support.demoweb.shelf import shelf

if TYPE_CHECKING:
    from tests.support.demoweb.people import Site


def changed(site: Site, path: str) -> datetime:
    """When a page was last changed; a person's not before the last page of the diary was begun."""
    chance = Chance("changed", site.key, path)
    if site.is_personal or site.kind == SOCIETY:
        last = shelf(site).diary[-1]
        year, month = last.year + (last.month == 12), last.month % 12 + 1
    else:
        year, month = chance.number(2001, 2006), chance.number(1, 12)
    return datetime(year, month, chance.number(1, 28), chance.number(7, 23), chance.number(0, 59), tzinfo=UTC)
