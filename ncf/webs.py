"""The Web that a command works on: the live one, or recordings."""

from __future__ import annotations

from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler import settings as profiles
from ncf.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from crawler.recording.archive import Archive
    from crawler.settings import Settings
    from crawler.web import Recorder, Web

    Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a person wants the Web to be asked."""

    replay: tuple[Path, ...] = ()
    record: Path | None = None
    delay: float | None = None  # seconds; None: the default, which is 0 in replay
    contact: str = ""
    allow_private: bool = False
    offline: bool = False  # nothing is asked for: what is not in the store is not there

    @property
    def settings(self) -> Settings:
        """The crawler's settings: the profile for recordings, or the polite one."""
        base = profiles.REPLAY if self.replay else profiles.Settings()
        delay = base.delay if self.delay is None else self.delay
        return replace(base, delay=delay, contact=self.contact, allow_private=self.allow_private, offline=self.offline)


@contextmanager
def archive(manner: Manner, watch: Watch | None = None) -> Iterator[Archive | None]:
    """The recording to replay, indexed; None when the live Web is meant."""
    if not manner.replay:
        yield None
        return
    from crawler.recording.archive import Archive

    with Archive.open(manner.replay, watch) as found:
        yield found


@asynccontextmanager
async def opened(manner: Manner, recording: Archive | None = None) -> AsyncIterator[tuple[Web | None, Recorder | None]]:
    """The Web to ask, None for the live one, and the recording to write, None when not asked for."""
    with ExitStack() as files:
        async with AsyncExitStack() as running:
            recorder = _recorder(manner, files)
            found = recording or files.enter_context(archive(manner))
            yield await _replay(found, running) if found else None, recorder


async def _replay(recording: Archive, running: AsyncExitStack) -> Web:
    from crawler.recording.replay import Replay

    return await running.enter_async_context(Replay(recording))


def _recorder(manner: Manner, files: ExitStack) -> Recorder | None:
    if manner.record is None:
        return None
    if manner.record.exists() and any(path.exists() and path.samefile(manner.record) for path in manner.replay):
        raise OutputError(f"{manner.record} cannot be replayed and recorded into at once")
    from crawler.recording.writer import WarcRecorder

    return files.enter_context(WarcRecorder(manner.record))
