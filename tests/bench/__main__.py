"""Benchmarks beside peers, in one run: `make bench`. Use the ratios, not the absolute figures."""

from __future__ import annotations

import asyncio
import html.parser
import os
import statistics
import subprocess
import sys
import time
import urllib.robotparser
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin

import aiohttp
from selectolax.lexbor import LexborHTMLParser

from crawler import robots, urls
from crawler.crawl import Crawl
from crawler.extract import extract
from crawler.settings import Settings
from tests.bench.server import page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

PAGES = 1500
ROUNDS = 5
FAST = Settings(delay=0.0, connections_per_address=0, requests_per_address=0.0, allow_private=True)


def compare(title: str, unit: str, ours: Callable[[], float], peers: dict[str, Callable[[], float]]) -> None:
    """Alternate the runs, take medians, print the ratio to each peer."""
    runs: dict[str, list[float]] = {name: [] for name in ("ncf", *peers)}
    for _ in range(ROUNDS):
        for name, function in (("ncf", ours), *peers.items()):
            runs[name].append(function())
    medians = {name: statistics.median(values) for name, values in runs.items()}
    print(f"{title}: ncf {medians['ncf']:,.0f} {unit}")
    for name in peers:
        print(f"    {name}: {medians[name]:,.0f} {unit}; ncf is {medians['ncf'] / medians[name]:.2f} x as fast")


def rate(function: Callable[[], object], items: int) -> Callable[[], float]:
    """Items a second of one call."""

    def run() -> float:
        started = time.perf_counter()
        function()
        return items / (time.perf_counter() - started)

    return run


@contextmanager
def web() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.server", str(PAGES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    process.stdin.close()
    process.wait()


async def crawl_ncf(start: str) -> None:
    found = [record async for record in Crawl([start], settings=FAST).records()]
    assert len(found) == PAGES, len(found)


async def crawl_minimal(start: str) -> None:
    """The least a crawler can do, one request at a time as we do: no robots, limits, canonical form or records."""
    seen, queue = {start}, [start]
    async with aiohttp.ClientSession() as session:
        for url in queue:
            async with session.get(url) as response:
                tree = LexborHTMLParser(await response.text())
            for node in tree.css("a[href]"):
                target = urldefrag(urljoin(url, node.attributes["href"] or "")).url
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
    assert len(queue) == PAGES, len(queue)


def run(crawl: Callable[[str], Awaitable[None]], start: str) -> Callable[[], None]:
    async def once() -> None:
        await crawl(start)

    return lambda: asyncio.run(once())


class Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [urljoin("http://h/p/1", value) for name, value in attrs if name == "href" and value]


def bench_crawl() -> None:
    with web() as root:
        start = f"{root}/p/0?n=1"
        compare(
            f"crawl of {PAGES} pages of 20 KB on one server",
            "pages/s",
            rate(run(crawl_ncf, start), PAGES),
            {"minimal loop (aiohttp, selectolax, urllib)": rate(run(crawl_minimal, start), PAGES)},
        )


def bench_extract() -> None:
    text = page(1, PAGES).decode()

    def ours() -> None:
        for _ in range(100):
            extract(text, "http://h/p/1", "utf-8")

    def peer() -> None:
        for _ in range(100):
            Links().feed(text)

    compare("links of a 20 KB page", "pages/s", rate(ours, 100), {"html.parser + urljoin": rate(peer, 100)})


def bench_join() -> None:
    references = [f"../a/{n}/b?c={n}#d" for n in range(5000)]

    def ours() -> None:
        for reference in references:
            urls.join("http://h/x/y/z", reference)

    def peer() -> None:
        for reference in references:
            urldefrag(urljoin("http://h/x/y/z", reference))

    compare("join", "URLs/s", rate(ours, 5000), {"urllib": rate(peer, 5000)})


def bench_robots() -> None:
    body = "User-agent: *\n" + "".join(f"Disallow: /dir{n}/\n" for n in range(1000))
    addresses = [f"http://h/page/{n}" for n in range(1000)]
    rules = robots.parse(body.encode(), "ncf")
    peer_rules = urllib.robotparser.RobotFileParser()
    peer_rules.parse(body.splitlines())
    compare(
        "robots.txt of 1,000 rules",
        "URLs/s",
        rate(lambda: [rules.allows(address) for address in addresses], 1000),
        {"urllib.robotparser": rate(lambda: [peer_rules.can_fetch("ncf", address) for address in addresses], 1000)},
    )


def bench_sites() -> None:
    """In processes of their own, so that the memory is theirs."""
    for part in ("assign", "judge"):
        subprocess.run([sys.executable, "-m", "tests.bench.sites", part], check=True)


if __name__ == "__main__":
    print(f"load before: {os.getloadavg()[0]:.1f}; medians of {ROUNDS} alternating runs")
    bench_join()
    bench_extract()
    bench_robots()
    sys.stdout.flush()
    bench_sites()
    bench_crawl()
