"""The pages of organisations: a home page, parts, a page for each thing in them, and the lists that they keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.demoweb import lists
from tests.support.demoweb.chance import Chance
from tests.support.demoweb.markup import Page, a, h, p, ul
from tests.support.demoweb.prose import Voice
from tests.support.demoweb.words import Words, words

if TYPE_CHECKING:
    from tests.support.demoweb.people import Site

DIRECTORIES = ("courses",)  # parts whose pages are directories of two pages


def menu(site: Site, path: str) -> list[tuple[str, str]]:
    """The bar on every page of an organisation: its parts, and its lists."""
    found = [("/", site.owner), *((f"/{part}/", title) for part, title in _words(site).pairs("parts").items())]
    found += [(f"/{page.path}", page.title) for page in lists.pages(site)[:1]]
    return [entry for entry in found if entry[0] != f"/{path}"]


def pages(site: Site) -> list[Page]:
    """All pages of an organisation."""
    own = _words(site)
    found = [_home(site, own)]
    for part, title in own.pairs("parts").items():
        found.append(_part(site, part, title))
        for slug, name in own.pairs(part).items():
            found += _leaf(site, part, slug, name)
    return found + lists.pages(site)


def _words(site: Site) -> Words:
    return words("farm" if site.kind == "farm" else site.key)


def _voice(site: Site, page: str) -> Voice:
    return Voice(_words(site), "en", [site.owner], Chance("page", site.key, page))


def _home(site: Site, own: Words) -> Page:
    speaker = _voice(site, "")
    listing = ul(a(f"/{part}/", title) for part, title in own.pairs("parts").items())
    sentences = speaker.say("home", 9)
    return Page("", site.title, (p(" ".join(sentences)), listing, *lists.on_home(site), *lists.footer(site)))


def _part(site: Site, part: str, title: str) -> Page:
    entries = _words(site).pairs(part).items()
    listing = ul(a(f"/{part}/{_file(part, slug)}", name) for slug, name in entries)
    head = p(_voice(site, part).text("home", 1))
    return Page(f"{part}/", f"{title}: {site.owner}", (head, listing, *lists.footer(site)))


def _file(part: str, slug: str) -> str:
    return f"{slug}/" if part in DIRECTORIES else f"{slug}.html"


def _leaf(site: Site, part: str, slug: str, name: str) -> list[Page]:
    """The page about one thing; a course has a second one."""
    path = f"{part}/{_file(part, slug)}"
    speaker = _voice(site, path)
    blocks = [p(speaker.text(f"{part}.text", 3, name)), p(speaker.text(f"{part}.text", 3, name))]
    if part not in DIRECTORIES:
        return [Page(path, name, (*blocks, *lists.on_leaf(site, part, slug), *lists.footer(site)))]
    number = speaker.chance.number(4, 9)
    sheets = Page(f"{path}sheets.html", f"{name}: exercises", (_sheets(number), f"<p>{a('./', name)}</p>"))
    return [Page(path, name, (*blocks, f"<p>{a('sheets.html', 'Exercise sheets')}</p>")), sheets]


def _sheets(count: int) -> str:
    return h("Exercise sheets", 3) + "\n" + ul(f"Sheet {number}, at the porter's" for number in range(1, count + 1))
