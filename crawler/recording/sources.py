"""The files of a recording: found, and read through once for the index."""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from crawler.errors import RecordingError
from crawler.recording import records
from crawler.recording.index import Recorded, Revisit, Skipped, entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    Progress = Callable[[int, int], None]  # bytes read so far, bytes in all

_PATTERNS = ("*.warc", "*.warc.gz")
_SCAN_BUFFER = 256 * 1024  # large, so that going back to the end of a gzip member stays within it
_REPORT_EVERY = 1000  # records


@dataclass(slots=True)
class Source:
    """One file, or the temporary copy that stands for it because the file itself cannot be sought."""

    path: Path
    named: bool  # by the caller; not found in a folder
    copy: BinaryIO | None = None
    found: list[Recorded | Revisit] = field(default_factory=list)
    skipped: Counter[Skipped] = field(default_factory=Counter)

    @contextmanager
    def open(self, buffering: int = -1) -> Iterator[BinaryIO]:
        """The bytes of it, to be sought in."""
        if self.copy is not None:
            yield self.copy
            return
        try:
            with self.path.open("rb", buffering=buffering) as file:
                yield file
        except OSError as error:
            raise RecordingError(f"cannot read {self.path}: {error.strerror}") from error

    def close(self) -> None:
        """Delete the temporary copy."""
        if self.copy is not None:
            self.copy.close()


def find(paths: Iterable[Path]) -> list[Source]:
    """The files that paths name, each once; a folder is searched, and its files come in order of name."""
    sources: dict[Path, Source] = {}
    for path in paths:
        for source in _below(path):
            sources.setdefault(source.path.resolve(), source)
    if not sources:
        raise RecordingError("no recording was named")
    return list(sources.values())


def _below(path: Path) -> list[Source]:
    if path.is_file():
        return [Source(path, named=True)]
    if not path.is_dir():
        raise RecordingError(f"{path} is not a file or a folder" if path.exists() else f"{path} does not exist")
    found = sorted({file for pattern in _PATTERNS for file in path.rglob(pattern) if file.is_file()})
    if not found:
        raise RecordingError(f"{path} holds no .warc or .warc.gz file")
    return [Source(file, named=False) for file in found]


def scan_all(sources: Sequence[Source], progress: Progress | None) -> None:
    """Read every file through once; raises RecordingError when one is no WARC that the caller named, or all are not."""
    total = sum(source.path.stat().st_size for source in sources)
    done = 0
    for number, source in enumerate(sources):
        size = source.path.stat().st_size
        for offset in _scan(source, number):
            if progress is not None:  # a copy is larger than its file
                progress(done + min(offset, size), total)
        done += size
    if all(source.skipped[Skipped.NOT_WARC] for source in sources):
        raise RecordingError(f"{sources[0].path.parent} holds no readable WARC file")


def _scan(source: Source, number: int) -> Iterator[int]:
    """Fill in what one file holds; yields how far it has come, now and then."""
    try:
        yield from _frames(source, number)
    except records.BundledError:
        source.found.clear()
        source.skipped.clear()
        source.copy = _unpacked(source)
        yield from _frames(source, number)


def _frames(source: Source, number: int) -> Iterator[int]:
    count = 0
    with source.open(_SCAN_BUFFER) as file:
        for found in records.walk(file):
            if isinstance(found, records.Damage):
                source.skipped[Skipped.CUT if found.cut else Skipped.MALFORMED] += 1
                continue
            _take(source, entry(found, number))
            count += 1
            if count % _REPORT_EVERY == 0:
                yield found.end
        yield file.seek(0, io.SEEK_END)
    if not count:
        _refuse(source)


def _take(source: Source, found: Recorded | Revisit | Skipped | None) -> None:
    if isinstance(found, Skipped):
        source.skipped[found] += 1
    elif found is not None:
        source.found.append(found)


def _refuse(source: Source) -> None:
    if source.named:
        raise RecordingError(f"{source.path} is not a WARC file")
    source.skipped = Counter({Skipped.NOT_WARC: 1})


def _unpacked(source: Source) -> BinaryIO:
    """A copy without gzip: a file that is gzipped as one stream cannot be sought, and reading it anew is slow.

    The copy has no name: it is gone when it is closed, and also when we are killed.
    """
    copy: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  # closed by Source.close
    try:
        with source.open() as packed:
            records.unpack(packed, copy)
        copy.flush()
    except BaseException:
        copy.close()
        raise
    return copy
