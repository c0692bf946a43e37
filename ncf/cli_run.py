"""What the commands that crawl share: how the Web is asked, Ctrl-C, and what is said on standard error."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from crawler.brake import Brake
    from crawler.recording.archive import Archive
    from crawler.web import Recorder, Web
    from ncf.cli_options import Printing
    from ncf.growth import Access
    from ncf.store.store import Store
    from ncf.webs import Manner

T = TypeVar("T")
FAILED, WRONG_USAGE, CUT_OFF, INTERRUPTED = 1, 2, 3, 130


def addresses(texts: list[str]) -> tuple[str, ...]:
    """What a person typed, as addresses, each once."""
    from ncf.seeds import address

    return tuple(dict.fromkeys(address(text) for text in texts))


def checked(manner: Manner, printing: Printing) -> Manner:
    """The manner, when it makes sense and everything that is to be written can be: said before anything is opened."""
    from ncf.export import output

    _ = manner.settings
    if manner.allow_private:
        say("private and loopback addresses are opened to this crawl")
    output.check(printing.output)
    output.check(manner.record, "--record")
    return manner


def access(
    manner: Manner, opened: tuple[Web | None, Recorder | None], store: Store | None, brake: Brake | None = None
) -> Access:
    """How to reach the Web; a replay neither believes nor changes what the live Web told the store."""
    from crawler.brake import Brake
    from ncf.growth import Access

    return Access(manner.settings, *opened, None if manner.replay else store, brake or Brake())


@contextmanager
def recording(manner: Manner, *, quiet: bool) -> Iterator[Archive | None]:
    """The recording to replay, read through with a count of bytes."""
    from ncf import webs
    from ncf.progress import Counting

    with Counting("bytes of the recording", quiet=quiet) as counting, webs.archive(manner, counting.saw) as found:
        yield found


def run(work: Coroutine[None, None, T], brake: Brake, stopping: Callable[[], None]) -> T:
    """Run to the end. One Ctrl-C finishes what is under way and goes on to the result; a second one ends at once."""
    import asyncio

    async def whole() -> T:
        _listen(brake, stopping)
        return await work

    return asyncio.run(whole())


def _listen(brake: Brake, stopping: Callable[[], None]) -> None:
    import asyncio
    import signal

    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def pressed() -> None:
        if brake.pulled:
            interrupt = signal.getsignal(signal.SIGINT)
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, interrupt if callable(interrupt) else signal.default_int_handler)
            if task is not None:
                task.cancel()
            return
        brake.pull()
        stopping()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, pressed)


def say(text: str) -> None:
    """One line on standard error."""
    from ncf.progress import say as told

    told(text)
