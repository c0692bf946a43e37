"""What is left out: the patterns of `--exclude`.

    example.org             that host and every host below it
    example.org/forum/      what stands there, on that host alone; /forum without its slash means /forums/ too
    https://example.org/    the same, said as a URL: http or https is all one
    *.example.org           only the hosts below it; a star is any text, also none, with its dots and slashes
    example.org/*/print/    /a/print/ and /a/b/print/, and what stands there

A leading `www.` never counts, nor does the query. A port counts where the pattern names one; example.org means all of
them, example.org:443 only pages that are reached without naming one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler import urls
from ncf.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

STAR = "*"
_SCHEMES = ("http", "https", STAR)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern, read."""

    text: str  # as it was typed
    host: str
    port: str | None  # with its colon, empty for the one that goes without saying; None: any
    path: str
    below: bool  # the hosts below are meant, too
    order: int = 0

    def matches(self, host: str, port: str, path: str) -> bool:
        """Whether it means a page."""
        return self.port in (None, port) and self._means_host(host) and self._means_path(path)

    def _means_host(self, host: str) -> bool:
        if fits(self.host, host):
            return True
        return self.below and fits(f"{STAR}.{self.host}", host)

    def _means_path(self, path: str) -> bool:
        # A directory is often linked to without its slash; after a star that could be any file.
        is_directory = self.path.endswith("/") and STAR not in self.path
        return (is_directory and path == self.path[:-1]) or fits(self.path + STAR, path)


@dataclass(frozen=True, slots=True)
class Excluded:
    """Patterns, put where a page finds them."""

    named: Mapping[str, tuple[Pattern, ...]] = field(default_factory=dict)  # by host
    starred: tuple[Pattern, ...] = ()  # those with a star in their host

    @classmethod
    def parse(cls, patterns: Iterable[str]) -> Excluded:
        """Read patterns; raises UsageError at the first that makes no sense."""
        named: dict[str, list[Pattern]] = defaultdict(list)
        starred: list[Pattern] = []
        for order, text in enumerate(patterns):
            one = _read(text, order)
            (starred if STAR in one.host else named[one.host]).append(one)
        return cls({host: tuple(found) for host, found in named.items()}, tuple(starred))

    def __bool__(self) -> bool:
        return bool(self.named or self.starred)

    def matches(self, url: str) -> str:
        """The first of the patterns that means a canonical URL, as it was typed; empty when none does.

        >>> some = Excluded.parse(["example.org/forum/", "*.example.net"])
        >>> [some.matches(url) for url in ("https://www.example.org/forum/1", "http://example.org/", "http://b.example.net/")]
        ['example.org/forum/', '', '*.example.net']
        """
        if not self:
            return ""
        server, path = urls.place(url)
        host, port = _divide(server)
        found = [one for one in self._about(host) if one.matches(host, port, path)]
        return min(found, key=lambda one: one.order).text if found else ""

    def _about(self, host: str) -> Iterator[Pattern]:
        """The patterns that may mean a host: those of its own name and of the names above it, and the starred."""
        yield from self.starred
        while host:
            yield from self.named.get(host, ())
            host = host.partition(".")[2]


def fits(pattern: str, text: str) -> bool:
    """Whether a whole text is the pattern, a star in it standing for any text.

    Each piece between stars is taken where it is first found: no later place could leave more text for the others, so
    nothing is ever tried twice, whatever the text.

    >>> [fits("a*b*c", text) for text in ("abc", "a-b-b-c", "acb")]
    [True, True, False]
    """
    first, *rest = pattern.split(STAR)
    if not rest:
        return text == first
    *middle, last = rest
    if not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at <= end


def _read(typed: str, order: int) -> Pattern:
    """One pattern; raises UsageError when it makes no sense."""
    try:
        scheme, netloc, path = _parts(typed.strip())
        host, port = _divide(_server(scheme, netloc))
        named = port if _divide(netloc)[1] else None
        one = Pattern(typed, host, named, _path(path), below=not scheme and not path, order=order)
        if not f"{host}{port}{one.path}".strip("*./"):
            raise ValueError("it would leave out everything")
    except ValueError as error:
        raise UsageError(f"--exclude {typed!r} makes no sense: {error}") from None
    return one


def _parts(text: str) -> tuple[str, str, str]:
    """Scheme, host with port, and path, as they were typed."""
    if not text:
        raise ValueError("it is empty")
    if "?" in text or "#" in text:
        raise ValueError("a pattern speaks of a host and a path, so leave out what begins with ? or #")
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "", text
    elif scheme.lower() not in _SCHEMES:
        raise ValueError("only http and https are crawled")
    netloc, slash, path = rest.partition("/")
    return scheme.lower(), netloc, slash + path


def _server(scheme: str, netloc: str) -> str:
    """The server that is meant, as urls.server says it."""
    web = "https" if scheme == "https" or (not scheme and netloc.endswith(":443")) else "http"
    found = urls.address(f"{web}://{netloc}/")
    strange = not netloc.isprintable() or netloc.endswith(":")  # http:/example.org begins with a host, http:
    if found is None or strange or "@" in netloc or urls.place(found)[1] != "/":
        raise ValueError("it does not begin with a host name")
    server = urls.server(found)
    labels = _divide(server)[0].split(".")
    if not all(labels):
        raise ValueError("a name is missing beside a dot; *.example.org means the hosts below example.org")
    if any(STAR in label and label.startswith("xn--") for label in labels):
        raise ValueError("a star cannot stand for a part of a name with letters beyond a-z")
    return server


def _path(typed: str) -> str:
    """The path in the form that pages have."""
    address = urls.address(f"http://host{typed or '/'}") or ""
    path = urls.split(urls.canonical(address) or address).path
    if path.endswith("/") and not address.endswith("/"):
        raise ValueError("a default document is the same page as its directory, so leave out its name")
    return path


def _divide(server: str) -> tuple[str, str]:
    """Host, and port with its colon."""
    cut = server.rfind(":")
    return (server[:cut], server[cut:]) if cut > server.rfind("]") else (server, "")
