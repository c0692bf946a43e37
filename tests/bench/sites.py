"""Sites at size: a million URLs assigned, and a server of a million pages judged, in a process of its own."""

from __future__ import annotations

import random
import resource
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from crawler import urls
from filters import chain
from filters.base import Rule, ServerView, known_directories
from filters.layout import Layout
from filters.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = 1_000_000
LINKS_A_PAGE = 10


def addresses(count: int) -> list[str]:
    """URLs of many servers and shapes, as a crawl meets them."""
    chance = random.Random(1)
    shapes = ("/~u{n}/a/b{p}.html", "/users/u{n}/p{p}.html", "/homes/u{n}/", "/docs/{p}/x.html", "/u{n}/pics/{p}", "/")
    return [
        f"http://www.server{chance.randrange(5_000)}.example.org"
        + chance.choice(shapes).format(n=chance.randrange(300), p=chance.randrange(1_000))
        for _ in range(count)
    ]


def layouts(rules: int) -> dict[str, Layout]:
    """Servers with so many rules each, besides the two that decide."""
    more = tuple(Rule(f"/other{n}/", 3, "bench", "") for n in range(rules))
    base = (Rule("/users/", 3, "bench", ""), Rule("/homes/", 3, "bench", ""), Rule("/", 2, "bench", "", only="~"))
    layout = Layout((*base, *more))
    return {f"server{n}.example.org": layout for n in range(5_000)}


def assign(found: list[str], servers: dict[str, Layout]) -> set[str]:
    """The sites of addresses: parsed, put into canonical form, and looked up."""
    sites = set()
    for address in found:
        server, path = urls.place(urls.canonical(address) or address)
        sites.add(server + servers[server].site(path)[0])
    return sites


def scan(found: list[str], rules: list[str]) -> int:
    """What the peers' way costs: every rule's prefix tried on every address."""
    hits = 0
    for address in found:
        hits += any(address.startswith(rule) for rule in rules)
    return hits


def large_server(pages: int = PAGES) -> ServerView:
    """A university's server: users of a few pages each, official parts, links mostly local, some between neighbors."""
    official = pages // 5
    paths = sorted(f"/dept/d{page % 97:02}/{page:07}.html" for page in range(official))
    paths += [f"/homes/u{page // 20:06}/p{page % 20:02}.html" for page in range(pages - official)]
    chance = np.random.default_rng(1)
    sources = np.repeat(np.arange(pages, dtype=np.int64), LINKS_A_PAGE)
    near = sources // 20 * 20 + chance.integers(0, 20, len(sources))  # mostly pages of the same user
    far = chance.integers(0, pages, len(sources))
    targets = np.where(chance.random(len(sources)) < 0.005, far, near)
    fetched = np.ones(pages, dtype=np.bool_)
    return ServerView(
        "large.example.edu", tuple(paths), fetched, sources, targets, np.zeros(pages, dtype=np.int64),
        known_directories(paths, ()),
    )  # fmt: skip


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main(what: str) -> None:
    """Run one part and print its figures."""
    if what == "assign":
        found = addresses(PAGES)
        few = timed(lambda: assign(found, layouts(0)))
        many = timed(lambda: assign(found, layouts(10_000)))
        rules = [f"http://www.server{n}.example.org/users/" for n in range(1_000)]
        peer = timed(lambda: scan(found[: PAGES // 100], rules)) * 100
        print(f"{PAGES:,} URLs to their sites: {few:.1f} s; with 10,000 rules more on every server {many:.1f} s")
        print(f"    a scan over 1,000 prefixes, by 1/100 of the URLs: {peer:.1f} s; ncf is {peer / many:.1f} x as fast")
    else:
        seen = large_server()
        filters = chain.chain(chain.Tables(names=Names(frozenset({"dept"}))))
        seconds = timed(lambda: chain.judge(seen, filters))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 ** (1 if sys.platform != "darwin" else 2)
        found_rules = [(rule.prefix, rule.level, rule.filter) for rule in chain.decide(seen, filters).rules]
        print(
            f"a server of {PAGES:,} pages and {PAGES * LINKS_A_PAGE:,} links judged in {seconds:.1f} s, {peak:,.0f} MB"
        )
        print(f"    its rules: {found_rules}")


if __name__ == "__main__":
    main(sys.argv[1])
