"""The Web that a command works on: the live one, or recordings."""

from __future__ import annotations

from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler import settings as profiles
from ncf.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from crawler.settings import Settings
    from crawler.web import Recorder, Web


@dataclass(frozen=True, slots=True)
class Manner:
    """How a person wants the Web to be asked."""

    replay: tuple[Path, ...] = ()
    record: Path | None = None
    delay: float | None = None  # seconds; None: the default, which is 0 in replay
    contact: str = ""
    allow_private: bool = False

    @property
    def settings(self) -> Settings:
        """The crawler's settings: the profile for recordings, or the polite one."""
        base = profiles.REPLAY if self.replay else profiles.Settings()
        delay = base.delay if self.delay is None else self.delay
        return replace(base, delay=delay, contact=self.contact, allow_private=self.allow_private)


@asynccontextmanager
async def opened(manner: Manner) -> AsyncIterator[tuple[Web | None, Recorder | None]]:
    """The recording to replay and the recording to write, each None when not asked for."""
    with ExitStack() as files:
        async with AsyncExitStack() as running:
            recorder = _recorder(manner, files)
            yield await _web(manner, files, running), recorder


async def _web(manner: Manner, files: ExitStack, running: AsyncExitStack) -> Web | None:
    if not manner.replay:
        return None
    from crawler.recording.archive import Archive
    from crawler.recording.replay import Replay

    archive = files.enter_context(Archive.open(manner.replay))
    return await running.enter_async_context(Replay(archive))


def _recorder(manner: Manner, files: ExitStack) -> Recorder | None:
    if manner.record is None:
        return None
    if manner.record.exists() and any(path.exists() and path.samefile(manner.record) for path in manner.replay):
        raise OutputError(f"{manner.record} cannot be replayed and recorded into at once")
    from crawler.recording.writer import WarcRecorder

    return files.enter_context(WarcRecorder(manner.record))
