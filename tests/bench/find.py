"""`find` beside the bare crawler on a local web of 20,000 pages: `python -m tests.bench.find`, and parts of it by name.

20 hosts with 10 people each, 100 pages of 20 KB a person, 60 links a page; the delay is 0. Each part runs in a process
of its own, so that the memory is its own; the two alternate.
"""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver, ResolveResult

from crawler.crawl import Crawl
from crawler.settings import Settings
from ncf import find as finding
from ncf.growth import Access, Limits
from ncf.store.store import Store
from tests.bench.server import WORDS

if TYPE_CHECKING:
    import ssl

    from crawler.web import Memory

HOSTS, PEOPLE, PAGES, STEPS, ROUNDS = 20, 10, 100, 8, 3
ALL = HOSTS * PEOPLE * PAGES
SEED = "http://h0.test/~u0/"
FAST = Settings(delay=0.0, connections_per_address=0, requests_per_address=0.0)


def page(host: int, person: int, number: int) -> bytes:
    """Forty links inside the site, ten to neighbors on the server, ten to people on two other servers."""
    inside = [f"/~u{person}/{(number * 7 + n * n) % PAGES or ''}" for n in range(40)]
    beside = [f"/~u{(person + n % 2 + 1) % PEOPLE}/" for n in range(10)]
    away = [f"http://h{(host * 3 + person + n % 2 + 1) % HOSTS}.test/~u{person}/" for n in range(10)]
    items = "".join(f'<li><a href="{link}">a page</a> {WORDS}' for link in (*inside, *beside, *away))
    return f"<html><head><title>{person} {number}</title></head><body><ul>{items}</ul></body></html>".encode()


class Server(asyncio.Protocol):
    """Makes pages as they are asked for."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        path = data.split(b" ", 2)[1].decode()
        host = data.partition(b"Host: h")[2].partition(b".")[0]
        person, _, number = path.removeprefix("/~u").partition("/")
        if not (path.startswith("/~u") and person.isdigit() and (not number or number.isdigit())):
            self._transport.write(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")
            return
        body = page(int(host), int(person), int(number or 0))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        self._transport.write(head + body)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


class LocalWeb:
    """Every name leads to the server."""

    is_recording = False

    def __init__(self, port: int) -> None:
        self._port = port

    def resolver(self) -> AbstractResolver:
        return LocalResolver(self._port)

    def tls(self) -> ssl.SSLContext | bool:
        return True

    def admits(self, ip: str, port: int) -> bool:
        return port == self._port

    def remembers(self, address: str) -> Memory | None:
        return None


class LocalResolver(AbstractResolver):
    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host="127.0.0.1", port=self._port, family=socket.AF_INET, proto=0, flags=0)
        ]

    async def close(self) -> None: ...


async def bare(port: int) -> int:
    crawl = Crawl([SEED], settings=FAST, web=LocalWeb(port))
    async for _ in crawl.records():
        pass
    return crawl.stats.html


async def find(port: int, path: Path) -> int:
    question = finding.Question((SEED,), STEPS, limits=Limits(max_pages=10 * ALL, sites_per_step=ALL))
    with Store.open(path) as store:
        result = await finding.find(question, finding.Means(store, Access(FAST, LocalWeb(port))))
    assert len(result.sites) == HOSTS * PEOPLE, len(result.sites)
    return int(result.stats["fetched"])


def part(name: str, port: int) -> None:
    """Print pages, seconds and megabytes."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        pages = asyncio.run(bare(port) if name == "bare" else find(port, Path(folder) / "s.sqlite"))
    seconds = time.perf_counter() - started
    print(pages, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.find", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    assert server.stdin is not None
    port = server.stdout.readline().strip()
    rates: dict[str, list[float]] = {"bare": [], "find": []}
    most = 0.0
    for _ in range(int(os.environ.get("NCF_ROUNDS", ROUNDS))):
        for name, found in rates.items():
            told = subprocess.run(
                [sys.executable, "-m", "tests.bench.find", name, port], check=True, capture_output=True, text=True
            )
            pages, seconds, megabytes = map(float, told.stdout.split())
            assert pages == ALL, (name, pages)
            found.append(pages / seconds)
            most = max(most, megabytes if name == "find" else 0.0)
    server.stdin.close()
    server.wait()
    bare_rate, find_rate = statistics.median(rates["bare"]), statistics.median(rates["find"])
    print(f"find on a local web of {ALL:,} pages: {find_rate:,.0f} pages/s, at most {most:,.0f} MB")
    print(f"    bare crawler: {bare_rate:,.0f} pages/s; find keeps {find_rate / bare_rate:.2f} of that")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve"]:
            asyncio.run(serve())
        case [name, port]:
            part(name, int(port))
        case _:
            main()
