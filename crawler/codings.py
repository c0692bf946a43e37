"""Content-Encoding undone piece by piece, so that a bomb is noticed while it is small."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

import brotli
from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ACCEPTED = "gzip, deflate, br, zstd"
_PIECE = 64 * 1024  # bytes given out at a time
_MAX_MEMBERS = 1024  # gzip members and zstd frames in one body
_ZSTD_WINDOW_LOG = 23  # 8 MiB, what RFC 8878 recommends and browsers allow


class CodingError(Exception):
    """A body that is not what its Content-Encoding says."""


class _Decoder(Protocol):
    finished: bool

    def pieces(self, data: bytes) -> Iterator[bytes]: ...


class _Inflate:
    """gzip, and deflate with or without its zlib header."""

    def __init__(self, *, gzip: bool) -> None:
        self._wbits = 31 if gzip else 15
        self._gzip = gzip
        self._engine = zlib.decompressobj(self._wbits)
        self._members = 1
        self._started = False
        self.finished = False

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data and not (self.finished and not self._next_member(data)):
            try:
                piece = self._engine.decompress(data, _PIECE)
            except zlib.error as error:
                if self._gzip or self._started or self._wbits < 0:
                    raise CodingError(str(error)) from error
                self._wbits = -15  # some servers send deflate without the header that RFC 9110 asks for
                self._engine = zlib.decompressobj(self._wbits)
                continue
            self._started = True
            self.finished = self._engine.eof
            data = self._engine.unused_data if self.finished else self._engine.unconsumed_tail
            if piece:
                yield piece

    def _next_member(self, data: bytes) -> bool:
        """Whether another gzip member follows; anything else behind the end is ignored, as browsers do."""
        if not self._gzip or not data.startswith(b"\x1f\x8b") or self._members >= _MAX_MEMBERS:
            return False
        self._members += 1
        self._engine = zlib.decompressobj(self._wbits)
        self.finished = False
        return True


class _Brotli:
    def __init__(self) -> None:
        self._engine = brotli.Decompressor()
        self.finished = False

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while not self.finished:
            try:
                piece = self._engine.process(data, output_buffer_limit=_PIECE)
            except brotli.error as error:
                raise CodingError(str(error) or "broken brotli stream") from error
            data = b""
            self.finished = self._engine.is_finished()
            if piece:
                yield piece
            if self._engine.can_accept_more_data() and not piece:
                return


class _Zstd:
    def __init__(self) -> None:
        self._frames = 0
        self._engine = self._new()
        self.finished = False

    def _new(self) -> zstd.ZstdDecompressor:
        self._frames += 1
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self.finished:
                if not data or self._frames >= _MAX_MEMBERS:
                    return
                self._engine = self._new()
            try:
                piece = self._engine.decompress(data, _PIECE)
            except zstd.ZstdError as error:
                raise CodingError(str(error)) from error
            self.finished = self._engine.eof
            data = self._engine.unused_data if self.finished else b""
            if piece:
                yield piece
            elif not self.finished and self._engine.needs_input:
                return


class _Identity:
    finished = True

    def pieces(self, data: bytes) -> Iterator[bytes]:
        yield data


def _decoder(name: str) -> _Decoder:
    match name:
        case "gzip" | "x-gzip":
            return _Inflate(gzip=True)
        case "deflate":
            return _Inflate(gzip=False)
        case "br":
            return _Brotli()
        case "zstd":
            return _Zstd()
        case "identity" | "":
            return _Identity()
    raise CodingError(f"unknown Content-Encoding {name[:40]!r}")


class Body:
    """Collects a body of at most `cap` decoded bytes; no stage in between gives out more than that either."""

    def __init__(self, content_encoding: Sequence[str], *, cap: int, max_codings: int) -> None:
        names = [name.strip().lower() for value in content_encoding for name in value.split(",")]
        names = [name for name in names if name not in ("", "identity")]
        if len(names) > max_codings:
            raise CodingError(f"{len(names)} content codings on top of each other")
        self._decoders = [_decoder(name) for name in reversed(names)]
        self._given = [0] * len(self._decoders)
        self._cap = cap
        self._pieces: list[bytes] = []
        self.length = 0
        self.full = False  # the cap is reached and more came

    def feed(self, data: bytes) -> None:
        """Take bytes as they came over the wire."""
        for piece in self._through(0, data):
            room = self._cap - self.length
            self._pieces.append(piece[:room])
            self.length += len(self._pieces[-1])
            if len(piece) > room:
                self.full = True
            if self.full:
                return

    def _through(self, stage: int, data: bytes) -> Iterator[bytes]:
        if stage == len(self._decoders):
            yield data
            return
        for piece in self._decoders[stage].pieces(data):
            self._given[stage] += len(piece)
            if self._given[stage] > self._cap + _PIECE:
                self.full = True
                yield b""
                return
            yield from self._through(stage + 1, piece)

    @property
    def whole(self) -> bool:
        """Whether every coding came to its end."""
        return all(decoder.finished for decoder in self._decoders)

    def bytes(self) -> bytes:
        """What was collected."""
        return b"".join(self._pieces)
