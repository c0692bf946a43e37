"""Which site a URL belongs to. Inside, a site is named without scheme and `www.`: `host/~alice/`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler import urls
from filters import chain
from filters.base import Rule, view
from filters.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REST = Rule("/", 1, "none", "no filter has an opinion: what is left of a server is its administrator's site")
_WHOLE = Layout()  # of a server that nothing is known of


@dataclass(frozen=True, slots=True)
class Site:
    """A directory-based site, or what is left of a server."""

    server: str
    prefix: str  # "/" for the administrator's site
    rule: Rule | None  # None: the administrator's site, because no rule speaks of it

    @property
    def key(self) -> str:
        """The site's name inside ncf."""
        return self.server + self.prefix


def site_of(url: str, layouts: Mapping[str, Layout]) -> Site:
    """The site that a canonical URL belongs to; only its path counts.

    >>> site_of("http://www.h.example/research/?q=/~x/", {}).key
    'h.example/'
    """
    server = urls.server(url)
    prefix, rule = layouts.get(server, _WHOLE).site(urls.split(url).path)
    return Site(server, prefix, rule)


def layouts_of(known: Iterable[str], filters: chain.Chain) -> dict[str, Layout]:
    """How the servers of the known URLs are divided, as far as their addresses tell."""
    paths: dict[str, list[str]] = defaultdict(list)
    for url in known:
        paths[urls.server(url)].append(urls.split(url).path)
    return {server: chain.decide(view(server, found), filters) for server, found in paths.items()}


def name(key: str, scheme: str = "http") -> str:
    """The site's name for people.

    >>> name("host/~alice/")
    'http://host/~alice/'
    """
    return f"{scheme}://{key}"
