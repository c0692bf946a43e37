"""The interface of in-link sources. What a source says is a claim, until the page was fetched and the link seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST = 50  # in-links of a page that are taken (NCF, SPEC section 5)
FEW = 10  # with fewer, the URL is chopped by one segment and asked again (User-assisted, 6.1.1)


class InlinkSource(Protocol):
    """Knows who links to pages."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    def inlinks(self, urls: Iterable[str]) -> Mapping[str, list[str]]:
        """By canonical URL of a page: the pages that link to it, at most MOST, in a fixed order."""
        ...


def chopped(url: str) -> str | None:
    """The URL without its last segment; None at the top of a server.

    >>> chopped("http://h/~a/b.html"), chopped("http://h/~a/"), chopped("http://h/")
    ('http://h/~a/', 'http://h/', None)
    """
    head, _, path = url.partition("?")[0].partition("://")[2].partition("/")
    if not path:
        return None
    above = path[:-1].rpartition("/")[0] if path.endswith("/") else path.rpartition("/")[0]
    scheme = url.partition("://")[0]
    return f"{scheme}://{head}/{above}/" if above else f"{scheme}://{head}/"


def asked(source: InlinkSource, pages: Iterable[str]) -> dict[str, list[str]]:
    """Who links to each page, or, where few do, to what stands above it."""
    given = list(dict.fromkeys(pages))
    found = dict(source.inlinks(given))
    again = {page: above for page in given if len(found.get(page, ())) < FEW and (above := chopped(page))}
    more = source.inlinks(sorted(set(again.values())))
    for page, above in again.items():
        both = dict.fromkeys((*found.get(page, ()), *more.get(above, ())))
        if both:
            found[page] = list(both)[:MOST]
    return found
