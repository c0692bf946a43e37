"""Who has a site: `plan/sites.txt`, read into records."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.support.demoweb.words import language, lines, split

if TYPE_CHECKING:
    from collections.abc import Mapping

PERSONAL = ("tilde", "users", "members", "freehost", "host")  # kinds
SOCIETY = "society"  # has the pages of its topic, and a list of its members, who live on its server


@dataclass(frozen=True, slots=True)
class Site:
    """A site, as it is planned."""

    key: str  # its name in the plan
    url: str  # as ncf names it
    topic: str
    kind: str
    owner: str
    title: str
    traits: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def host(self) -> str:
        """Its server."""
        return urlsplit(self.url).netloc

    @property
    def path(self) -> str:
        """Its top directory."""
        return urlsplit(self.url).path

    @property
    def language(self) -> str:
        """What its pages are written in."""
        return language(self.topic)

    @property
    def is_personal(self) -> bool:
        """Whether one person keeps it."""
        return self.kind in PERSONAL

    @property
    def codec(self) -> str:
        """How its text becomes bytes."""
        return self.traits.get("charset", "utf-8").partition(":")[0]

    @property
    def charset_said(self) -> str:
        """Where the encoding is said: header, meta, both, or nowhere, where ASCII is enough."""
        told = self.traits.get("charset", "").partition(":")[2]
        return told or {"modern": "both", "old": "nowhere"}.get(self.traits.get("style", ""), "header")


@cache
def sites() -> dict[str, Site]:
    """The sites of the demo web, by key."""
    return {site.key: site for site in map(_read, lines("plan/sites.txt"))}


def _read(line: str) -> Site:
    key, url, topic, kind, owner, title, traits = split(line)
    named = (trait.partition("=") for trait in traits.split())
    return Site(key, url, topic, kind, owner, title, {name: value for name, _, value in named})


def on_server(site: Site) -> list[Site]:
    """The other sites of a server, in the order of the plan."""
    return [one for one in sites().values() if one.host == site.host and one.key != site.key]
