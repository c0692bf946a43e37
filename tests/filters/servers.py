"""Small random servers, and how the tests look at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st

from filters.base import view

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from filters.base import Filter, ServerView, Verdict

HOST = "h.example"
PATIENTLY = settings(deadline=None)  # a busy machine is no reason to fail
LONG = settings(deadline=None, max_examples=300)

SEGMENTS = ("a", "b", "ann", "bell", "users", "news", "~x", "7", "cgi-bin", "")
LEAVES = ("", "", "x.html", "y", "~x", "p.gif", "a")


@dataclass(frozen=True)
class Server:
    """What a crawl could have seen of a server, as plain values."""

    paths: tuple[str, ...] = ()
    fetched: frozenset[str] = frozenset()
    links: tuple[tuple[str, str], ...] = ()
    complete: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)

    def view(self, host: str = HOST) -> ServerView:
        """The server as the filters see it."""
        return view(
            host, self.paths, fetched=self.fetched, links=self.links, complete=self.complete, titles=self.titles
        )


def joined(segments: Iterable[str], leaf: str) -> str:
    """The path of a page in a directory."""
    return "/" + "".join(f"{segment}/" for segment in segments) + leaf


def paths_of(segments: tuple[str, ...] = SEGMENTS, depth: int = 4) -> st.SearchStrategy[str]:
    """Paths with a few segments, some of them directories."""
    return st.builds(joined, st.lists(st.sampled_from(segments), max_size=depth), st.sampled_from(LEAVES))


@st.composite
def servers(
    draw: st.DrawFn, segments: tuple[str, ...] = SEGMENTS, depth: int = 4, complete: bool | None = None
) -> Server:
    """A server with random links, to themselves and more than once too, and a random part of it fetched."""
    paths = draw(st.lists(paths_of(segments, depth), min_size=1, max_size=14))
    end = st.sampled_from(paths)
    titles = st.dictionaries(end, st.sampled_from(("Ann Bell", "News of today", "Bell's Home Page")), max_size=4)
    return Server(
        tuple(paths),
        frozenset(path for path in paths if draw(st.integers(0, 3))),
        tuple(draw(st.lists(st.tuples(end, end), max_size=30))),
        draw(st.booleans()) if complete is None else complete,
        draw(titles),
    )


def opinion(item: Filter, server: ServerView) -> Verdict:
    """What a filter says of a server that it has an opinion on."""
    verdict = item.judge(server)
    assert verdict is not None
    assert verdict.filter == item.name
    assert all(rule.filter == item.name and rule.reason for rule in verdict.rules)
    return verdict


def levels(verdict: Verdict | None) -> dict[str, int]:
    """The level of every prefix that a verdict speaks of."""
    return {rule.prefix: rule.level for rule in verdict.rules} if verdict else {}


def people(place: str, names: Iterable[str], pages: Iterable[str] = ("", "cv.html")) -> Server:
    """A server where each of some people has pages in a directory, and every first page links to the others."""
    kept = tuple(pages)
    homes = [f"{place}{name}/" for name in names]
    links = tuple((home + kept[0], home + page) for home in homes for page in kept[1:])
    found = frozenset(home + page for home in homes for page in kept)
    return Server(fetched=found, links=links)
