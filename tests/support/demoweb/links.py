"""Who links to whom: communities and links of one way from `plan/`, and the lists that organisations keep."""

from __future__ import annotations

from functools import cache

from tests.support.demoweb.people import SOCIETY, Site, on_server, sites
from tests.support.demoweb.words import lines, split

FEATURED = ("arlo", "flora")  # whom the free host's own pages recommend; these two do not link back to it
SPAMMER = "bargains"  # whose links stand in guestbooks
LISTING = frozenset((SOCIETY, "college", "department"))  # kinds whose pages list everybody on their server
_UNLISTED = frozenset(("farm", "pastimes", "portal"))  # topics that the portal has never heard of


@cache
def communities() -> tuple[tuple[str, ...], ...]:
    """The planted communities: keys of sites that all link to each other."""
    return tuple(tuple(line.split()) for line in lines("plan/communities.txt"))


@cache
def _one_way() -> dict[str, list[str]]:
    return {key: targets.split() for key, targets in map(split, lines("plan/links.txt"))}


def friends(key: str) -> list[str]:
    """Whom a site links to by its owner's choice: its communities, then links that nobody returns."""
    mutual = (other for group in communities() if key in group for other in group if other != key)
    return list(dict.fromkeys((*mutual, *_one_way().get(key, ()))))


def listed(site: Site) -> list[str]:
    """Whom an organisation lists because that is what it is for."""
    if site.kind in LISTING:
        return [one.key for one in on_server(site)]
    if site.kind == "portal":
        return [one.key for one in sites().values() if one.topic not in _UNLISTED]
    if site.kind == "ring":
        return list(ring())
    return list(FEATURED) if site.kind == "freehost-admin" else []


@cache
def ring() -> tuple[str, ...]:
    """The members of the web ring in their order; each is mutually linked with the next, the last with the first."""
    return ("nell", "fiona", "tobias", "redshank", "wilf", "ines")


@cache
def tram() -> tuple[str, ...]:
    """The houses of the free host in the order of the tram, which never stops twice in one neighbourhood in a row."""
    streets: dict[str, list[str]] = {}
    for site in sites().values():
        if site.kind == "freehost":
            streets.setdefault(site.path.split("/")[1], []).append(site.key)
    return tuple(key for stop in zip(*streets.values(), strict=True) for key in stop)


def next_stop(key: str) -> str:
    """The house after this one; the tram goes round."""
    stops = tram()
    return stops[(stops.index(key) + 1) % len(stops)]


def targets(site: Site) -> set[str]:
    """Every site that a site links to."""
    found = {*friends(site.key), *listed(site)}
    if site.kind == "freehost":
        found.add(next_stop(site.key))
        found |= set() if site.key in FEATURED else {"bay"}
    if "spam" in site.traits:
        found.add(SPAMMER)
    return found
