"""The HTTP message in a record's block, read as leniently as browsers do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from crawler.settings import MIB

if TYPE_CHECKING:
    from typing import BinaryIO

MAX_BODY = 10 * MIB + 1  # one more than a crawl takes, so that it sees that there is more
_MAX_HEAD = 256 * 1024
_MAX_PACKED = 4 * MAX_BODY  # of a chunked body: many small chunks are mostly framing
_STATUS_LINE = re.compile(rb"HTTP/\d+(?:\.\d+)?[ \t]+([2-9]\d\d)(?:[ \t]+([^\r\n]*))?(?:\r?\n|$)", re.IGNORECASE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*")
_NOT_IN_VALUES = re.compile(r"[\x00\r]+")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")

Headers = tuple[tuple[str, str], ...]


def status_of(start: bytes) -> int | None:
    """The status that a message begins with; None when it is no final HTTP answer."""
    found = _STATUS_LINE.match(start)
    return int(found[1]) if found else None


class Message(NamedTuple):
    """An HTTP answer."""

    status: int
    reason: str
    headers: Headers
    body: bytes  # without chunking, still in its Content-Encoding; at most MAX_BODY


def read(block: BinaryIO) -> Message | None:
    """The message in a block; None when it has no status line."""
    data = block.read(_MAX_PACKED)
    line = _STATUS_LINE.match(data)
    if line is None:
        return None
    limit = line.end() + _MAX_HEAD
    end = _HEAD_END.search(data, line.end() - 1, limit)
    headers = _headers(_text(data[line.end() : end.start() if end else limit]))
    body = memoryview(data)[end.end() :] if end else memoryview(b"")
    return Message(int(line[1]), _text(line[2] or b"").strip(), headers, _without_chunks(body, headers))


def _headers(head: str) -> Headers:
    lines: list[str] = []
    for line in head.split("\n"):
        if lines and line.startswith((" ", "\t")):  # a folded line goes on with the one before
            lines[-1] += line
        else:
            lines.append(line)
    pairs = (line.partition(":") for line in lines)
    return tuple((name.rstrip(), _value(text)) for name, colon, text in pairs if colon and _NAME.fullmatch(name))


def _text(data: bytes) -> str:
    """Bytes that are not UTF-8 become lone surrogates, as in aiohttp, and turn into the same bytes again."""
    return data.decode("utf-8", "surrogateescape")


def _value(text: str) -> str:
    return _NOT_IN_VALUES.sub(" ", text.rstrip("\r")).strip(" \t")


def header(headers: Headers, name: str) -> str:
    """The first value of a header, empty when there is none."""
    return next((value for found, value in headers if found.lower() == name), "")


def _without_chunks(body: memoryview, headers: Headers) -> bytes:
    coding = header(headers, "transfer-encoding").lower().rpartition(",")[2].strip()
    return dechunk(bytes(body))[:MAX_BODY] if coding == "chunked" else bytes(body[:MAX_BODY])


def dechunk(data: bytes) -> bytes:
    """Take chunks together; what is not chunked, though its header says so, stays as it is.

    warcio's reader leaves chunk sizes in the body where the last chunk is cut or has trailers.

    >>> dechunk(b"3\\r\\nabc\\r\\n2\\r\\nde\\r\\n0\\r\\n\\r\\n")
    b'abcde'
    >>> dechunk(b"<html>")
    b'<html>'
    """
    out: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(data, at):
        start, end = size.end(), size.end() + int(size[1], 16)
        out.append(data[start:end])
        if start == end or end >= len(data):
            return b"".join(out)
        if data[end : end + 2] != b"\r\n":
            break
        at = end + 2
    # Broken framing in the first chunk means that there was none; later, that the rest is lost.
    return b"".join(out) if at else data
