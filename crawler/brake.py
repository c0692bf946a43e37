"""How a person stops a crawl: nothing more is asked, what is under way lands and is kept."""

from __future__ import annotations

import asyncio
import contextlib


class Brake:
    """Pulled once, from within the crawl's own loop; it wakes a crawl that waits for somebody's turn."""

    def __init__(self) -> None:
        self._pulled = asyncio.Event()

    @property
    def pulled(self) -> bool:
        """Whether the crawl is to end."""
        return self._pulled.is_set()

    def pull(self) -> None:
        """Stop."""
        self._pulled.set()

    async def pause(self, seconds: float) -> None:
        """Sleep, unless the brake is pulled."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._pulled.wait()
