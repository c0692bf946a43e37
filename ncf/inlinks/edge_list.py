"""In-links from an edge list of URLs: a graph from elsewhere, taken as claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler import urls
from ncf import edges
from ncf.inlinks.stored import Claims
from ncf.store import claims

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ncf.edges import EdgeList
    from ncf.store.store import Store

    Watch = Callable[[int, int], None]


def source(store: Store, path: Path, watch: Watch | None = None) -> Claims:
    """An edge list as an in-link source; a file that has not changed since it was read is not read again."""
    stat = _stat(path)
    provider = f"edges {path.resolve()} {stat}"
    if provider not in claims.known(store):
        claims.add(store, provider, links(edges.read(path, watch)))
    return Claims(store, str(path), provider)


def links(found: EdgeList) -> Iterator[tuple[str, str]]:
    """The links between names that are URLs, or hosts that stand for their home page."""
    names = [_url(name) for name in found.names]
    for one, other in zip(found.sources.tolist(), found.targets.tolist(), strict=True):
        source, target = names[one], names[other]
        if source and target:
            yield source, target


def _url(name: str) -> str | None:
    """The page that a name means; None when it means none.

    >>> _url("https://H.example/~a"), _url("blog.example"), _url("node 7")
    ('https://h.example/~a', 'http://blog.example/', None)
    """
    if "://" in name:
        return urls.canonical(name)
    return urls.canonical(f"http://{name}") if "." in name and " " not in name else None


def _stat(path: Path) -> str:
    try:
        stat = path.stat()
    except OSError:
        return ""  # reading it says what is wrong
    return f"{stat.st_size} {stat.st_mtime_ns}"
