"""Which pages a personal site has, and what they are called. Others link to them, so this is known before they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tests.support.demoweb.chance import Chance
from tests.support.demoweb.words import words

if TYPE_CHECKING:
    from tests.support.demoweb.people import Site

STYLES = ("old", "plain", "table", "modern")
_SINCE = {"old": 1997, "frames": 1998, "plain": 2000, "table": 2002, "modern": 2015}
_LINKS = ("links", "friends", "bookmarks", "elsewhere", "neighbours")
_WITH_GUESTBOOK = 65  # of a hundred


@dataclass(frozen=True, slots=True)
class Article:
    """A page about one thing."""

    path: str
    thing: str


@dataclass(frozen=True, slots=True)
class Month:
    """A page of a diary."""

    path: str
    year: int
    month: int


@dataclass(frozen=True, slots=True)
class Shelf:
    """The pages of a personal site, as paths below its top; the home page is the empty path."""

    style: str
    about: str
    links: str
    guestbook: str  # empty: there is none
    diary: tuple[Month, ...]
    articles: tuple[Article, ...]

    @property
    def things(self) -> tuple[str, ...]:
        """What the owner speaks of."""
        return tuple(article.thing for article in self.articles)


@cache
def shelf(site: Site) -> Shelf:
    """The pages of a site."""
    chance = Chance("shelf", site.key)
    style = site.traits.get("style") or chance.pick(STYLES)
    ending = ".htm" if style == "old" and chance.of_hundred(30) else ".html"
    links = site.traits.get("links") or chance.pick(_LINKS)
    guestbook = "spam" in site.traits or chance.of_hundred(_WITH_GUESTBOOK)
    return Shelf(
        style,
        chance.pick(("about", "me", "who")) + ending,
        links + ending,
        chance.pick(("guestbook", "guests", "visitors")) + ending if guestbook else "",
        _diary(site, style, ending, chance),
        _articles(site, ending, chance),
    )


def _diary(site: Site, style: str, ending: str, chance: Chance) -> tuple[Month, ...]:
    name = site.traits.get("diary") or chance.pick(("diary", "log", "notes", "news"))
    in_folder = not site.traits.get("diary") and chance.of_hundred(40)
    year, month = _SINCE[style] + chance.number(0, 6), chance.number(1, 12)
    found = []
    for number in range(chance.number(2, 4)):
        path = f"{name}/{year}-{month:02}{ending}" if in_folder else f"{name}{number or ''}{ending}"
        found.append(Month(path, year, month))
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return tuple(found)


def _articles(site: Site, ending: str, chance: Chance) -> tuple[Article, ...]:
    folder = chance.pick(("", "", "pages/", "articles/"))
    as_directories = not folder and chance.of_hundred(25)
    things = words(site.topic).pairs("things")
    return tuple(
        Article(f"{slug}/" if as_directories else f"{folder}{slug}{ending}", things[slug])
        for slug in chance.some(list(things), chance.number(4, 5))
    )
