"""Sites' names and titles for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from ncf import sites

if TYPE_CHECKING:
    from collections.abc import Iterable


class Titled(Protocol):
    """A page that may name its site."""

    @property
    def url(self) -> str:
        """Its canonical URL."""
        ...

    @property
    def title(self) -> str:
        """What it calls itself."""
        ...


P = TypeVar("P", bound=Titled)


def front(pages: Iterable[P]) -> P | None:
    """The page at the top of a site, which names it; without one, the titled page nearest to the top."""
    return min(pages, key=lambda page: (not page.title, page.url.count("/"), len(page.url), page.url), default=None)


class Labels:
    """The names of sites: http, unless all their pages came by https."""

    def __init__(self) -> None:
        self._secure: dict[str, bool] = {}

    def saw(self, key: str, address: str) -> None:
        """Note a page of a site.

        >>> labels = Labels()
        >>> labels.saw("h/~a/", "https://h/~a/")
        >>> labels.name("h/~a/"), labels.name("h/~b/"), labels.name("h/~b/", "https://h/~b/x")
        ('https://h/~a/', 'http://h/~b/', 'https://h/~b/')
        """
        self._secure[key] = address.startswith("https://") and self._secure.get(key, True)

    def name(self, key: str, address: str = "") -> str:
        """The name of a site, by its key; the address speaks for a site of which no page was seen."""
        secure = self._secure.get(key, address.startswith("https://"))
        return sites.name(key, "https" if secure else "http")
