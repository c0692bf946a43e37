"""A web for benchmarks, in a process of its own: `python -m tests.bench.server PAGES` prints its port."""

from __future__ import annotations

import asyncio
import sys

LINKS = 60
WORDS = "<p>" + "the quick brown fox jumps over the lazy dog " * 7 + "</p>\n"


def page(number: int, pages: int) -> bytes:
    """About 20 KB with 60 links, of which most are known already, as on a real site."""
    links = "".join(
        f'<li><a href="/p/{(number * 7 + n * n) % pages}?n=1">Page number {n}</a> {WORDS}' for n in range(LINKS)
    )
    return f"<html><head><title>Page {number}</title></head><body><ul>{links}</ul></body></html>".encode()


class Server(asyncio.Protocol):
    """Answers from memory with as little work as it can."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        path = data.split(b" ", 2)[1]
        self._transport.write(self._answers.get(path, b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"))


async def main(pages: int) -> None:
    answers = {}
    for number in range(pages):
        body = page(number, pages)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        answers[f"/p/{number}?n=1".encode()] = head + body
    server = await asyncio.get_running_loop().create_server(lambda: Server(answers), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until the benchmark is over


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
