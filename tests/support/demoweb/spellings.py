"""How people write the address of a site: with `www.`, without the last slash, with %7E, without https."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.demoweb.people import Site, sites
from tests.support.demoweb.shelf import shelf

if TYPE_CHECKING:
    from tests.support.demoweb.chance import Chance

# Hosts that answer to `www.` too, and send the reader on.
WWW = frozenset(("kepler-college.example", "orion-observatory.example", "nightsky.example", "typecase.example"))
# Addresses that people still use for a site, and that lead to it.
OLD_NAMES = {
    "redshank": "http://estuary.example/~hanne/",  # moved to a host of its own
    "estuary": "http://tidewater.example/",  # the whole server has a new name
    "nell": "http://tidewater.example/~nell/",
    "orion": "http://kepler-college.example/~stargazers/",  # a chain of two
    "anna": "http://postcards.example/go/anna",  # for the time being: 302
}
# Who still names one, beside a good link: no community hangs on a redirect that a crawl may not have followed yet.
KEEPERS = {"tobias": "redshank", "fiona": "nell", "ben": "orion", "nightsky": "anna", "ines": "estuary"}
_RELATIVE = 70  # of a hundred links inside a server
_VARIED = 45  # of a hundred addresses of homes are spelt in a way of their own
_DEEP = 35  # of a hundred links go to a page inside


def href(source: Site, target: Site, chance: Chance) -> str:
    """A link to a site, as its neighbor writes it."""
    if target.is_personal and chance.of_hundred(_DEEP):
        address = target.url + chance.pick(shelf(target).articles).path
    else:
        address = chance.pick(variants(target)) if chance.of_hundred(_VARIED) else target.url
    if address.startswith(f"http://{source.host}/") and chance.of_hundred(_RELATIVE):
        return address.removeprefix(f"http://{source.host}")
    return address


def variants(site: Site) -> list[str]:
    """The ways to write a site's address that all lead there."""
    found = [site.url, f"{site.url}index.html"]
    if site.host in WWW:
        found.append(site.url.replace("://", "://www."))
    if site.path != "/":
        found.append(site.url.removesuffix("/"))
    if "~" in site.path:
        found.append(site.url.replace("~", "%7E"))
    if site.url.startswith("https:"):
        found.append(site.url.replace("https:", "http:"))
    return found


def redirects() -> list[tuple[str, int, str]]:
    """Every address that leads to another: address, status, where to."""
    found = [(old, 302 if "/go/" in old else 301, sites()[key].url) for key, old in OLD_NAMES.items()]
    found = [one for one in found if one[0] != OLD_NAMES["orion"]]
    found += [
        (OLD_NAMES["orion"], 301, "http://orion-observatory.example/old/"),
        ("http://orion-observatory.example/old/", 301, "http://orion-observatory.example/"),
        ("http://tidewater.example/members.html", 301, "http://estuary.example/members.html"),
    ]
    for site in sites().values():
        found += _forms(site)
    return found


def _forms(site: Site) -> list[tuple[str, int, str]]:
    """The redirects that every server makes by itself."""
    found = []
    if site.path != "/":
        found.append((site.url.removesuffix("/"), 301, site.url))
    if site.host in WWW:
        plain = site.url.replace("https:", "http:")
        found.append((plain.replace("://", "://www."), 301, plain))
    if site.url.startswith("https:"):
        pages = ("", *(article.path for article in shelf(site).articles))
        found += [((site.url + page).replace("https:", "http:"), 301, site.url + page) for page in pages]
    return found
