"""Requests under way, and the ones that have landed."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from crawler.frontier import Job

T = TypeVar("T")


class Flight(Generic[T]):
    """Starts requests and hands back their outcomes as they come."""

    def __init__(self) -> None:
        self._jobs: dict[asyncio.Task[T], Job] = {}
        self._done: deque[asyncio.Task[T]] = deque()
        self._landing = asyncio.Event()

    @property
    def size(self) -> int:
        """How many are under way, or landed and not yet handled."""
        return len(self._jobs)

    def servers(self) -> set[str]:
        """The servers that are being asked."""
        return {job.server for job in self._jobs.values()}

    def launch(self, job: Job, request: Coroutine[None, None, T]) -> None:
        """Start a request."""
        task = asyncio.create_task(request)
        self._jobs[task] = job
        task.add_done_callback(self._note)

    def _note(self, task: asyncio.Task[T]) -> None:
        self._done.append(task)
        self._landing.set()

    async def landed(self, patience: float | None) -> tuple[Job, T] | None:
        """The next answer; None after `patience` seconds without one."""
        if not self._done:
            self._landing.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._landing.wait()
        if not self._done:
            return None
        task = self._done.popleft()
        return self._jobs.pop(task), task.result()

    async def cancel(self) -> None:
        """Stop everything that is under way."""
        tasks = list(self._jobs)
        self._jobs.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
