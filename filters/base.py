"""What filters speak of: a server's paths go in, rules with their reason come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Rule:
    """Below `prefix`, a site is what stands before the `level`-th slash of the path (SPEC section 3)."""

    prefix: str  # a directory, "/" for the whole server
    level: int  # counted from the host's own slash, which is 1; 1 makes the whole server one site
    filter: str
    reason: str
    only: str = ""  # the rule speaks only of sites whose own directory begins so


@dataclass(frozen=True, slots=True)
class ServerView:
    """What is known of one server."""

    server: str  # host and non-default port, without `www.`
    paths: tuple[str, ...]  # of canonical URLs, fetched or only linked to; queries left out
    directories: frozenset[str] = frozenset()  # the paths that are known to be directories, each with its last slash

    @property
    def host(self) -> str:
        """The server without its port."""
        name, colon, port = self.server.rpartition(":")
        return name if colon and port.isdigit() else self.server


@dataclass(frozen=True, slots=True)
class Verdict:
    """A filter's opinion on one server."""

    rules: tuple[Rule, ...]
    filter: str
    reason: str


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


def view(server: str, paths: tuple[str, ...]) -> ServerView:
    """See a server as its paths show it: what stands above a page is a directory."""
    return ServerView(server, paths, frozenset(above for path in paths for above in parents(path)))
