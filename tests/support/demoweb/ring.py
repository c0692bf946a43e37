"""The web ring: its own pages, and the banner that its members carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.demoweb import links
from tests.support.demoweb.chance import Chance
from tests.support.demoweb.markup import Page, a, h, p, text, ul
from tests.support.demoweb.people import sites
from tests.support.demoweb.prose import Voice
from tests.support.demoweb.words import words

if TYPE_CHECKING:
    from tests.support.demoweb.people import Site

HUB = "birdring"
_WELCOME = (
    "A ring of people who watch the marsh. Go round in either direction: after the last one comes the first again."
)
_JOIN = (
    "To join, keep a diary of one place for a year, and then write to the keeper of the ring.",
    "Put the banner on your home page, with the neighbors that you are given. Do not hide it at the bottom of a frame.",
    "Whoever is silent for two years is taken out of the ring; the place is kept warm.",
)


def banner(site: Site) -> list[str]:
    """What a member shows: the one before, the one after, and, where they kept it, the ring's home."""
    members = links.ring()
    if site.key not in members:
        return []
    place = members.index(site.key)
    before, after = sites()[members[place - 1]], sites()[members[(place + 1) % len(members)]]
    home = f" | {a(sites()[HUB].url, 'the ring')}" if HUB in links.friends(site.key) else ""
    return [f"<p>[ {a(before.url, '<< ' + before.owner)}{home} | {a(after.url, after.owner + ' >>')} ]</p>"]


def pages(site: Site) -> list[Page]:
    """The ring's home, how to join, its members, and a page for each with links to the pages around it."""
    members = [sites()[key] for key in links.ring()]
    listing = ul(a(f"/ring/{number}.html", member.title) for number, member in enumerate(members, 1))
    return [
        Page("", site.title, (p(_WELCOME), listing)),
        Page("join.html", "How to join", tuple(map(p, _JOIN))),
        Page("go.html", "Go round", (h("Where to?", 3), ul(_goes()))),
        *(_stop(member, number, len(members)) for number, member in enumerate(members, 1)),
    ]


def menu(_: Site, path: str) -> list[tuple[str, str]]:
    """The links on every page of the ring."""
    entries = (("/", "The ring"), ("/join.html", "How to join"), ("/go.html", "Go round"))
    return [entry for entry in entries if entry[0] != f"/{path}"]


def _stop(member: Site, number: int, count: int) -> Page:
    speaker = Voice(words("birds"), "en", list(words("birds").pairs("things").values()), Chance("ring", member.key))
    around = [(number - 2) % count + 1, number % count + 1]
    row = " | ".join(a(f"/ring/{place}.html", name) for place, name in zip(around, ("previous", "next"), strict=True))
    about = f"<p>{a(member.url, member.title)} is kept by {text(member.owner)}: {text(speaker.text('comment', 1))}.</p>"
    return Page(
        f"ring/{number}.html", f"{number} of {count}: {member.title}", (about, f"<p>{row} | {a('/', 'home')}</p>")
    )


def _goes() -> list[str]:
    return [a(f"/go?to={number}", f"number {number}") for number, _ in enumerate(links.ring(), 1)]


def redirects() -> list[tuple[str, int, str]]:
    """The little program that sends people round."""
    home = sites()[HUB].url
    return [(f"{home}go?to={number}", 302, sites()[key].url) for number, key in enumerate(links.ring(), 1)]
