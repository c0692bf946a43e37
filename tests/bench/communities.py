"""Communities at size, beside networkx: friends' links as blogs have them, in a process of its own."""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx

from ncf import edges
from ncf.communities.cliques import cliques

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOGS = 300_000
CIRCLES = 60_000  # groups of friends, most of whom link to each other
LARGEST = 12


def lines(blogs: int, circles: int) -> Iterator[str]:
    """Links inside of circles, a tenth of them not answered, and as many to anybody."""
    chance = random.Random(1)
    for _ in range(circles):
        circle = chance.sample(range(blogs), chance.randint(2, LARGEST))
        for source in circle:
            for target in circle:
                if source != target and chance.random() > 0.05:
                    yield f"blog{source:06}.example.org\tblog{target:06}.example.org\n"
            yield f"blog{source:06}.example.org\tblog{chance.randrange(blogs):06}.example.org\n"


def timed(what: str, work: Callable[[], object]) -> float:
    """Say and return the seconds that something takes."""
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    print(f"{what}: {seconds:.2f} s")
    return seconds


def peak() -> float:
    """The most memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 ** (1 if sys.platform != "darwin" else 2)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.tsv"
        path.write_text("".join(lines(BLOGS, CIRCLES)))
        size = path.stat().st_size
        seconds = timed(f"an edge list of {size / 1e6:.0f} MB read", lambda: edges.read(path))
        found = edges.read(path)
    print(f"    {size / seconds / 1e6:.0f} MB a second, {len(found.sources):,} links of {len(found.names):,} names")
    links = edges.mutual_links(found)
    ours = timed(f"cliques of {len(links.pairs):,} mutual links", lambda: cliques(links, limit=10**7, members=10**8))
    print(f"    {peak():,.0f} MB in all")
    peer = timed("networkx, its graph included", lambda: list(nx.find_cliques(edges.mutual_graph(found))))
    print(f"    {peak():,.0f} MB in all; ncf is {peer / ours:.2f} x as fast")


if __name__ == "__main__":
    main()
