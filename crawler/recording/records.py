"""One WARC record after another, from files as they are found: cut, damaged, gzipped by record or not at all.

warcio's iterator is not used: it stops at the first damaged record, prints to standard error, and cannot tell where a
cut file was last whole. Its parser of the older ARC headers is.
"""

from __future__ import annotations

import io
import mmap
import shutil
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from warcio.limitreader import LimitReader
from warcio.recordloader import ARC2WARCHeadersParser
from warcio.statusandheaders import StatusAndHeadersParserException

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

GZIP = b"\x1f\x8b\x08"
_PIECE = 16 * 1024  # bytes read at a time: most pages at once
_PEEK = 4096  # bytes of a block that an index looks at: a status line, a fault
_MAX_LINE = 64 * 1024  # of a record's headers
_NEWLINES = (b"\r\n", b"\n")
_ARC_HEADERS = ARC2WARCHeadersParser()


class DamagedError(Exception):
    """A record that cannot be read."""


class BundledError(Exception):
    """A gzip member that holds several records, which therefore cannot be sought."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole record: where it lies, what its headers say, how its block begins."""

    offset: int
    end: int  # of it and the blank lines behind it
    headers: dict[str, str]  # names in lower case
    peek: bytes
    closed: bool  # the blank lines behind it are there


@dataclass(frozen=True, slots=True)
class Damage:
    """A place where no record can be read."""

    offset: int
    cut: bool  # nothing readable follows: the file ends within a record


class _Member(io.RawIOBase):
    """One gzip member, decompressed a piece at a time."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.whole = False
        self.broken = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Give the next bytes; none at the end of the member, of the file, or where it is damaged."""
        view = memoryview(buffer)
        while not (self.whole or self.broken):
            packed = self._inflate.unconsumed_tail or self._file.read(_PIECE)
            if not packed:
                break
            if data := self._unpack(packed, len(view)):
                view[: len(data)] = data
                return len(data)
        return 0

    def _unpack(self, packed: bytes, size: int) -> bytes:
        try:
            data = self._inflate.decompress(packed, size)
        except zlib.error:
            self.broken = True
            return b""
        self.whole = self._inflate.eof
        return data

    def end(self) -> int:
        """Where in the file the next member begins."""
        return self._file.tell() - len(self._inflate.unused_data)


class Record:
    """The record that begins at an offset; raises DamagedError when none does."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        file.seek(offset)
        self._file = file
        self._offset = offset
        self._member = _Member(file) if _peek(file, len(GZIP)) == GZIP else None
        self._stream: BinaryIO = io.BufferedReader(self._member, _PIECE) if self._member else file
        self.headers, length = _parse_headers(self._stream)
        self.block: BinaryIO = LimitReader(self._stream, length)
        self._length = length

    def frame(self) -> Frame:
        """Read on to the end; raises DamagedError when it is not there."""
        peek = self.block.read(min(_PEEK, self._length))
        while self.block.read(_PIECE):
            pass
        if self.block.tell() < self._length:
            raise DamagedError("the block is cut")
        end, closed = self._end_of_member(self._member) if self._member else self._end_of_plain()
        return Frame(self._offset, end, self.headers, peek, closed)

    def _end_of_member(self, member: _Member) -> tuple[int, bool]:
        while rest := self._stream.read(_PIECE):
            if rest.strip():
                raise BundledError
        if not member.whole:
            raise DamagedError("the gzip member is cut or damaged")
        return member.end(), True

    def _end_of_plain(self) -> tuple[int, bool]:
        blank = 0
        while (line := self._file.readline(2)) in _NEWLINES:
            blank += 1
        self._file.seek(-len(line), io.SEEK_CUR)
        return self._file.tell(), blank >= 2


def is_gzip(file: BinaryIO) -> bool:
    """Whether a file begins as gzip."""
    file.seek(0)
    return _peek(file, len(GZIP)) == GZIP


def opening(file: BinaryIO, size: int) -> bytes:
    """The first bytes of a file, decompressed."""
    zipped = is_gzip(file)
    return io.BufferedReader(_Member(file)).read(size) if zipped else file.read(size)


def unpack(file: BinaryIO, copy: BinaryIO) -> None:
    """Write out what a gzipped file holds, up to where it is cut or damaged."""
    file.seek(0)
    while _peek(file, len(GZIP)) == GZIP:
        member = _Member(file)
        shutil.copyfileobj(io.BufferedReader(member, _PIECE), copy)
        if not member.whole:
            return
        file.seek(member.end())


def walk(file: BinaryIO) -> Iterator[Frame | Damage]:
    """All the records of a file in order, and where it is damaged; raises BundledError when it cannot be sought."""
    offset: int | None = 0
    while offset is not None and not _at_end(file, offset):
        try:
            frame = Record(file, offset).frame()
        except DamagedError:
            following = _next_start(file, offset + 1)
            yield Damage(offset, cut=following is None)
            offset = following
        else:
            yield frame
            offset = frame.end


def _peek(file: BinaryIO, size: int) -> bytes:
    start = file.tell()
    found = file.read(size)
    file.seek(start)
    return found


def _at_end(file: BinaryIO, offset: int) -> bool:
    file.seek(offset)
    return not _peek(file, 1)


def _parse_headers(stream: BinaryIO) -> tuple[dict[str, str], int]:
    """The headers of the record that begins here, and the length of its block."""
    line = stream.readline(_MAX_LINE)
    while line in _NEWLINES:
        line = stream.readline(_MAX_LINE)
    try:
        if line.startswith(b"WARC/"):
            headers = _warc_headers(stream)
            return headers, _length(headers["content-length"])
        return _arc_headers(stream, line)
    except (ValueError, LookupError, EOFError, StatusAndHeadersParserException) as error:
        raise DamagedError("not a record") from error


def _warc_headers(stream: BinaryIO) -> dict[str, str]:
    """Name to value; of a name that comes twice the first counts."""
    headers: dict[str, str] = {}
    name = ""
    while (line := stream.readline(_MAX_LINE)) not in _NEWLINES:
        if not line:
            raise EOFError
        text = line.decode("utf-8", "replace")
        if text[0] in " \t" and name:
            headers[name] += " " + text.strip()
            continue
        name, _, value = text.partition(":")
        name = name.strip().lower()
        headers.setdefault(name, value.strip())
    return headers


def _arc_headers(stream: BinaryIO, line: bytes) -> tuple[dict[str, str], int]:
    """The older format, which warcio turns into WARC's headers."""
    parsed = _ARC_HEADERS.parse(stream, line)
    headers = {name.lower(): str(value) for name, value in parsed.headers}
    return headers, _length(headers["content-length"], parsed.total_len)


def _length(text: str, read: int = 0) -> int:
    length = int(text) - read
    if length < 0:
        raise ValueError("a block cannot be shorter than nothing")
    return length


def _next_start(file: BinaryIO, after: int) -> int | None:
    """Where the next readable record begins, so that one damaged record costs one record."""
    mark, skip = (GZIP, 0) if is_gzip(file) else (b"\nWARC/", 1)
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        found = view.find(mark, after - skip)
        while found >= 0:
            if _is_start(file, found + skip):
                return found + skip
            found = view.find(mark, found + 1)
    return None


def _is_start(file: BinaryIO, offset: int) -> bool:
    try:
        Record(file, offset)
    except DamagedError:
        return False
    return True
