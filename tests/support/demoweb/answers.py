"""Everything that the demo web answers: pages, redirects, pages that are gone, files, robots.txt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from email.utils import format_datetime
from functools import cache
from typing import TYPE_CHECKING

from tests.support.demoweb import organisations, personal, ring, spellings
from tests.support.demoweb.chance import Chance
from tests.support.demoweb.dates import changed
from tests.support.demoweb.lists import VACANT
from tests.support.demoweb.people import SOCIETY, Site, sites
from tests.support.demoweb.shelf import STYLES, shelf
from tests.support.demoweb.styles import CHARSETS, dress, encoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.demoweb.markup import Page
    from tests.support.demoweb.styles import Menu

    Headers = tuple[tuple[str, str], ...]

ROBOTS = {
    "http://kepler-college.example/robots.txt": "User-agent: *\nDisallow: /private/\nDisallow: /~anna/drafts/\n",
    "http://etud.example/robots.txt": "User-agent: *\nCrawl-delay: 2\nDisallow:\n",
    "http://halden-foundry.example/robots.txt": "User-agent: *\nDisallow: /orders/\nDisallow: /cgi-bin/\n",
    "http://compass.example/robots.txt": "User-agent: *\nDisallow: /help/advertising.html\n",
    "https://nightsky.example/robots.txt": "User-agent: *\nAllow: /\n",
}
_SOFTWARE = ("Apache/1.3.27 (Unix)", "Apache/2.2.3", "nginx", "thttpd/2.25b", "AnWeb/1.42h", "lighttpd")
_FILES = {  # links lead to more than pages; these are the shortest that are what they say
    "map.gif": ("image/gif", b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;"),
    "specimen.pdf": ("application/pdf", b"%PDF-1.1\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One recorded answer."""

    url: str
    status: str
    headers: Headers
    body: bytes = b""


@cache
def answers() -> tuple[Answer, ...]:
    """Everything that the demo web answers, by address."""
    found = [answer for site in sites().values() for answer in _of_site(site)]
    found += [_moved(*one) for one in (*spellings.redirects(), *ring.redirects())]
    found += [Answer(url, "200 OK", (("Content-Type", "text/plain"),), text.encode()) for url, text in ROBOTS.items()]
    found += [_gone(f"http://lanternbay.example/{path}/") for path in VACANT]
    return tuple(sorted(found, key=lambda answer: answer.url))


def _of_site(site: Site) -> list[Answer]:
    style, pages, menu = book(site)
    found = [_page(site, page, dress(site, style, page, menu(site, page.path))) for page in pages]
    if dead := site.traits.get("dead"):
        found.append(_gone(site.url + dead))
    if name := site.traits.get("file"):
        kind, body = _FILES[name]
        found.append(Answer(site.url + name, "200 OK", (("Content-Type", kind),), body))
    # A page that has two addresses names the one that counts.
    twins = [one for one in found if one.url.endswith("/gallery.html")]
    return found + [replace(one, url=f"{one.url}?view=all") for one in twins]


def book(site: Site) -> tuple[str, list[Page], Callable[[Site, str], Menu]]:
    """The style of a site, its pages, and the links that stand on each of them."""
    if site.is_personal or site.kind == SOCIETY:
        return shelf(site).style, personal.pages(site), personal.menu
    style = site.traits.get("style") or Chance("style", site.key).pick(STYLES)
    module = ring if site.kind == "ring" else organisations
    return style, module.pages(site), module.menu


def _page(site: Site, page: Page, text: str) -> Answer:
    said = f"; charset={CHARSETS[site.codec]}" if site.charset_said in ("header", "both") else ""
    headers = (
        ("Server", Chance("software", site.host).pick(_SOFTWARE)),
        ("Last-Modified", format_datetime(changed(site, page.path), usegmt=True)),
        ("Content-Type", f"text/html{said}"),
    )
    return Answer(site.url + page.path, "200 OK", headers, encoded(site, text))


def _moved(url: str, status: int, target: str) -> Answer:
    reason = {301: "301 Moved Permanently", 302: "302 Found"}[status]
    body = f'<title>Moved</title>\n<p>This page is at <a href="{target}">another place</a>.</p>\n'
    return Answer(url, reason, (("Location", target), ("Content-Type", "text/html")), body.encode())


def _gone(url: str) -> Answer:
    body = b"<title>Not Found</title>\n<h1>Not Found</h1>\n<p>There is no such page here.</p>\n"
    return Answer(url, "404 Not Found", (("Content-Type", "text/html"),), body)
