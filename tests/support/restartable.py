"""A crawl that can be killed: `python -m tests.support.restartable URL NOTEBOOK`. Its notebook is a file of lines."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from crawler.crawl import Crawl
from crawler.notebook import MemoryNotebook
from crawler.settings import Settings


class FileNotebook(MemoryNotebook):
    """Appends every turn to a file, so that it lasts when `set_next_turn` returns."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        if path.exists():
            for line in path.read_text().splitlines():
                at, _, server = line.partition(" ")
                super().set_next_turn(server, float(at))
        self._file = path.open("a", buffering=1)

    def set_next_turn(self, server: str, at: float) -> None:
        super().set_next_turn(server, at)
        self._file.write(f"{at!r} {server}\n")


async def main(start: str, path: str) -> None:
    settings = Settings(allow_private=True)
    async for _ in Crawl([start], settings=settings, notebook=FileNotebook(Path(path))).records():
        pass


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
