"""The lists that organisations keep: people, a directory of the Web, neighbourhoods, partners, a gallery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.demoweb import links
from tests.support.demoweb.chance import Chance
from tests.support.demoweb.markup import Page, a, h, p, text, ul
from tests.support.demoweb.people import sites
from tests.support.demoweb.prose import Voice, upper
from tests.support.demoweb.spellings import href
from tests.support.demoweb.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.demoweb.people import Site

VACANT = (
    *("Harbour/quay9", "Harbour/sail4", "Harbour/tide14"),
    *("Playtown/box13", "Playtown/oak6", "Playtown/yew17"),
    *("Orchard/plum8", "Orchard/hazel1", "Orchard/quince8"),
)
_STREETS = {
    "Harbour": "For people who like water, ropes and things that float.",
    "Playtown": "For toys, games and everything that is not quite serious.",
    "Orchard": "For kitchens, gardens and quiet afternoons.",
}
_GROUPS = {"faculty": ("osei", "noor"), "students": ("brandt", "ivers")}  # of a department
_DRAWINGS = ("saturn-in-march", "the-straight-wall", "m13-by-hand", "sunspots-of-june", "comet-with-two-tails")
_MINUTES = "The council met in the small room. The roof was discussed. Robots do not read this."


def pages(site: Site) -> list[Page]:
    """The pages that an organisation has besides those of its parts; the first stands in its menu."""
    match site.kind:
        case "college":
            return [
                _people(site, "people.html"),
                _physics(site),
                Page("private/minutes.html", "Minutes", (p(_MINUTES),)),
            ]
        case "department":
            return [_people(site, "people/"), *(_staff(site, name, keys) for name, keys in _GROUPS.items())]
        case "portal":
            return [_added(site), *_directory(site)]
        case "club":
            return [_elsewhere(site, "links.html", "Links"), _gallery(), *map(_drawing, _DRAWINGS)]
        case "freehost-admin":
            return [_street(site, name) for name in _STREETS]
    return []


def on_home(site: Site) -> list[str]:
    """What a home page has besides a list of parts."""
    if site.kind == "college":
        entries = (
            ("/people.html", "People"),
            ("/physics/", "Physics"),
            ("/private/minutes.html", "minutes of the council"),
        )
        return ["<p>" + ", ".join(a(*one) for one in entries) + "</p>"]
    if site.kind == "portal":
        return [ul(a(f"/{topic}/", upper(topic)) for topic in _topics(site)), *_partners(site)]
    if site.kind == "freehost-admin":
        return [ul(a(f"/{name}/", name) for name in _STREETS)]
    if site.kind == "club":
        return [f"<p>{a('/gallery.html', 'Drawings by members')}. {a('/map.gif', 'How to find us')}</p>"]
    return [f"<p>{a('/specimen.pdf', 'Specimen sheet')}</p>", *_partners(site)] if site.kind == "company" else []


def on_leaf(site: Site, part: str, slug: str) -> list[str]:
    """What the page about one thing has besides its text."""
    if site.kind == "portal" and part == "best":
        other = sites()[Chance("best", slug).pick(links.listed(site))]
        return [f"<p>{a(other.url, other.title)}</p>"]
    if site.kind == "company":
        outside = (("http://www.metal-prices.example/lead", "lead today"), ("http://www.google.com/", "search the Web"))
        return [f"<p>{a(*Chance('company', slug).pick(outside))}</p>"]
    return []


def footer(site: Site) -> list[str]:
    """What stands below every page of a farm: the partners, who are all one."""
    if site.kind != "farm":
        return []
    others = [sites()[key] for key in links.friends(site.key)]
    return [h("Our partners", 3), ul(a(other.url, other.title) for other in others)]


def _partners(site: Site) -> list[str]:
    others = [sites()[key] for key in links.friends(site.key)]
    return [h("Friends of ours", 3), ul(a(other.url, other.title) for other in others)]


def _people(site: Site, path: str) -> Page:
    others = [sites()[key] for key in links.listed(site)]
    entries = [f"{a(other.path, other.owner)}: {text(other.title)}" for other in others]
    friends = [sites()[key] for key in links.friends(site.key) if key not in links.listed(site)]
    near = [h("Elsewhere", 3), ul(a(other.url, other.title) for other in friends)] if friends else []
    return Page(
        path, f"People at {site.owner}", (p("Our people keep their own corners:"), ul(entries), *near, *_groups(site))
    )


def _groups(site: Site) -> list[str]:
    return [ul(a(f"{name}.html", upper(name)) for name in _GROUPS)] if site.kind == "department" else []


def _physics(site: Site) -> Page:
    entries = [sites()[key] for key in links.listed(site) if "/physics/" in sites()[key].path]
    lead = p("The department of physics has three rooms and a long corridor.")
    return Page("physics/", "Physics", (lead, ul(a(other.path, other.owner) for other in entries)))


def _staff(site: Site, name: str, keys: Sequence[str]) -> Page:
    entries = ul(a(f"/people/{key}/", sites()[key].owner) for key in keys)
    return Page(f"people/{name}.html", f"{upper(name)}: {site.owner}", (entries, f"<p>{a('./', 'everybody')}</p>"))


def _topics(site: Site) -> list[str]:
    return list(dict.fromkeys(sites()[key].topic for key in links.listed(site)))


def _directory(site: Site) -> list[Page]:
    """A page for each topic, with all sites that an editor found; the home page has links to all of these."""
    found = []
    for topic in _topics(site):
        chance = Chance("directory", topic)
        others = [sites()[key] for key in links.listed(site) if sites()[key].topic == topic]
        entries = [f"{a(href(site, other, chance), other.title)} ({text(other.owner)})" for other in others]
        found.append(Page(f"{topic}/", f"{upper(topic)} on the Web", (p(_editor(topic)), ul(entries))))
    return found


def _editor(topic: str) -> str:
    return f"Sites about {topic}, visited by our editors. Something missing? Suggest a site."


def _added(site: Site) -> Page:
    chance = Chance("added")
    others = [sites()[key] for key in chance.some(links.listed(site), 12)]
    return Page("new.html", "Added this week", (ul(a(other.url, other.title) for other in others),))


def _gallery() -> Page:
    entries = [a(f"/gallery/{name}.html", upper(name.replace("-", " "))) for name in _DRAWINGS]
    every = f"<p>{a('/gallery.html?view=all', 'all at once')}</p>"
    return Page("gallery.html", "Gallery", (ul(entries), every), '<link rel="canonical" href="/gallery.html">\n')


def _drawing(name: str) -> Page:
    things = list(words("astronomy").pairs("things").values())
    speaker = Voice(words("astronomy"), "en", things, Chance("drawing", name))
    return Page(f"gallery/{name}.html", upper(name.replace("-", " ")), (p(speaker.text("article", 4)),))


def _elsewhere(site: Site, path: str, title: str) -> Page:
    chance = Chance("elsewhere", site.key)
    others = [sites()[key] for key in links.friends(site.key)]
    entries = [f"{a(href(site, other, chance), other.title)}, by {text(other.owner)}" for other in others]
    entries += [a("http://www.google.com/", "Google"), a("http://validator.w3.org/", "the validator")]
    return Page(path, title, (ul(entries),))


def _street(site: Site, name: str) -> Page:
    """A neighbourhood: a form to choose a house from, which is no link, and links to a few."""
    houses = [sites()[key] for key in links.tram() if sites()[key].path.startswith(f"/{name}/")]
    options = "".join(f'<option value="{house.path}">{text(house.title)}</option>' for house in houses)
    form = f'<form action="/visit"><select name="house">{options}</select><input type="submit"></form>'
    shown = [a(house.path, house.title) for house in houses if house.key in links.FEATURED]
    gone = [a(f"/{path}/", f"{path}, vacant") for path in VACANT if path.startswith(name)]
    return Page(f"{name}/", f"{name}, Lantern Bay", (p(_STREETS[name]), form, ul([*shown, *gone]), *on_home(site)))
