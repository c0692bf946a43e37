"""What filters speak of: a view of one server goes in, rules with their reason and counts come out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Flags: TypeAlias = "npt.NDArray[np.bool_]"
Numbers: TypeAlias = "npt.NDArray[np.int64]"

ROOT = "/"
DIGIT = "#"  # in `Rule.only`: names that begin with a digit
_NO_PAGE = re.compile(
    r"\.(?:gif|jpe?g|png|webp|svg|bmp|ico|xbm|tiff?|e?ps|pdf|dvi|tex|docx?|xlsx?|pptx?|rtf|txt|csv|json|xml|rss|atom"
    r"|zip|gz|t?gz|bz2|xz|z|tar|hqx|sit|exe|dmg|iso|jar|class|java|c|h|cc|cpp|py|js|css|mp[34]|mpe?g|avi|mov|wav|au"
    r"|ram?|midi?|ogg|webm|woff2?|ttf|bib)$",
    re.IGNORECASE,
)

# What stands below a program is its argument: /cgi-bin/finger/alice is no directory of alice's.
_PROGRAMS = re.compile(
    r"/(?:cgi|cgi-?bin|cgi-win|fcgi-bin|ht-?bin|scripts|servlets?|isapi)(?:-[a-z]+)?/", re.IGNORECASE
)
_ENTRIES = frozenset(("index", "home", "homepage", "home_page", "main", "welcome", "default"))
_PAGE_FILE = re.compile(r"\.(?:[sx]?html?|php\d?|aspx?|jsp|cgi|pl|cfm)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """Below `prefix`, a site is what stands before the `level`-th slash of the path (SPEC section 3).

    Level 1 is the whole server: what stands below the prefix is the administrator's.
    """

    prefix: str  # a directory, "/" for the whole server
    level: int  # counted from the host's own slash, which is 1
    filter: str
    reason: str
    only: str = ""  # the rule speaks only of names that begin so
    bare: bool = False  # such a name is a site's top directory also without its last slash: /~alice, /@alice
    yields: bool = False  # to later rules on some names: who was given a host may have ~guests on it


@dataclass(frozen=True, slots=True)
class Verdict:
    """A filter's opinion on one server. Without rules: it has looked, and sees nothing to divide."""

    rules: tuple[Rule, ...]
    filter: str
    reason: str
    counts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class ServerView:
    """What is known of one server. Pages are told by their place in `paths`."""

    server: str  # host and non-default port, without `www.`
    paths: tuple[str, ...]  # of canonical URLs, fetched or only linked to; sorted, each once, queries left out
    fetched: Flags  # which of them were had as HTML pages with status 200
    sources: Numbers  # links inside the server, each pair once
    targets: Numbers
    outside: Numbers  # of every path: how many pages of other servers link to it
    directories: frozenset[str] = frozenset()  # paths that are known to be directories, each with its last slash
    complete: bool = False  # whether every known page was asked for; a crawl that was cut off is not
    titles: Mapping[str, str] = field(default_factory=dict)  # of entry pages, by path

    @property
    def host(self) -> str:
        """The server without its port."""
        name, colon, port = self.server.rpartition(":")
        return name if colon and port.isdigit() else self.server


class Filter(Protocol):
    """A pure decision: no network, no clock, no database."""

    @property
    def name(self) -> str:
        """What the filter is called in results."""
        ...

    def judge(self, view: ServerView) -> Verdict | None:
        """The sites of a server; None is no opinion."""
        ...


def parents(path: str) -> tuple[str, ...]:
    """The directories above a path from the root down, its own included when it is one.

    >>> parents("/a/b/c.html")
    ('/', '/a/', '/a/b/')
    """
    ends = [at for at, char in enumerate(path) if char == "/"]
    return tuple(path[: end + 1] for end in ends)


def known_directories(paths: Iterable[str], fetched: Iterable[str]) -> frozenset[str]:
    """The directories that are known to be some: a page stands below them, or their own page was had.

    A link to `/bob/` alone does not make `/bob` a directory: whoever wrote it may have guessed.

    >>> sorted(known_directories(["/a/x", "/bob/"], []))
    ['/', '/a/']
    """
    found: set[str] = set()
    for path in paths:
        end = (path[:-1] if path != ROOT and path.endswith("/") else path).rfind("/") + 1
        while end and (directory := path[:end]) not in found:
            found.add(directory)
            end = path.rfind("/", 0, end - 1) + 1
    found.update(path for path in fetched if path.endswith("/"))
    return frozenset(found)


def may_be_page(path: str) -> bool:
    """Whether a path can be an HTML page by its name: pictures and archives show no directory of pages."""
    return not _NO_PAGE.search(path)


def without_arguments(path: str) -> str:
    """The path up to the first directory of programs.

    >>> without_arguments("/a/cgi-bin/finger/alice"), without_arguments("/a/b")
    ('/a/cgi-bin/', '/a/b')
    """
    found = _PROGRAMS.search(path)
    return path[: found.end()] if found else path


def is_file(path: str) -> bool:
    """Whether a path is a file by its name: `/robots.txt` and `/about.html` are no users' names."""
    return bool(_PAGE_FILE.search(path) or _NO_PAGE.search(path))


def is_entry(path: str) -> bool:
    """Whether a page is a directory's entry: the directory itself, a page of its name, or one called home.

    >>> [is_entry(path) for path in ("/u/alice/", "/u/alice/alice.html", "/u/alice/home.html", "/u/alice/cv.html")]
    [True, True, True, False]
    """
    head, _, last = path.rpartition("/")
    stem = last.partition(".")[0].lower()
    return not last or stem in _ENTRIES or stem == head.rpartition("/")[2].lower()


def view(
    server: str,
    paths: Iterable[str],
    *,
    fetched: Iterable[str] = (),
    links: Iterable[tuple[str, str]] = (),
    outside: Mapping[str, int] | None = None,
    redirected: Iterable[str] = (),
    complete: bool = False,
    titles: Mapping[str, str] | None = None,
) -> ServerView:
    """See a server from plain values; `redirected` are directories that a redirect showed."""
    had = frozenset(fetched)
    pairs = {(a, b) for a, b in links if a != b}
    names = tuple(sorted({*paths, *had, *(end for pair in pairs for end in pair)}))
    place = {name: number for number, name in enumerate(names)}
    ends = np.array([(place[a], place[b]) for a, b in sorted(pairs)], dtype=np.int64).reshape(-1, 2)
    counts = outside or {}
    return ServerView(
        server,
        names,
        np.array([name in had for name in names], dtype=np.bool_),
        ends[:, 0],
        ends[:, 1],
        np.array([counts.get(name, 0) for name in names], dtype=np.int64),
        known_directories(names, had) | frozenset(redirected),
        complete,
        titles or {},
    )
