"""The demo web as a WARC file: the answers, each a record of its own, packed one by one.

The records are written by hand, because a library may order or add fields otherwise in its next version.
"""

from __future__ import annotations

import struct
import uuid
import zlib
from typing import TYPE_CHECKING

from tests.support.demoweb.answers import answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.demoweb.answers import Answer

DATE = "2026-01-15T12:00:00Z"
_NAME = "demo.warc.gz"
_ABOUT = "software: tests.support.demoweb\r\nformat: WARC File Format 1.1\r\ndescription: a Web of our own making\r\n"
_NO_TIME = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"  # a gzip member's head: no name, no date, no operating system


def recording() -> bytes:
    """The recording; the unpacked bytes are the same everywhere, the packed ones wherever zlib is the same."""
    return b"".join(_packed(record) for record in (_info(), *map(_response, answers())))


def _info() -> bytes:
    fields = (("WARC-Type", "warcinfo"), ("WARC-Filename", _NAME), ("Content-Type", "application/warc-fields"))
    return _record(_NAME, fields, _ABOUT.encode())


def _response(answer: Answer) -> bytes:
    fields = (
        ("WARC-Type", "response"),
        ("WARC-Target-URI", answer.url),
        ("Content-Type", "application/http; msgtype=response"),
    )
    headers = (*answer.headers, ("Content-Length", str(len(answer.body))))
    return _record(answer.url, fields, _lines(f"HTTP/1.1 {answer.status}", headers) + answer.body)


def _record(name: str, fields: Sequence[tuple[str, str]], block: bytes) -> bytes:
    number = uuid.uuid5(uuid.NAMESPACE_URL, name)
    own = (("WARC-Record-ID", f"<urn:uuid:{number}>"), ("WARC-Date", DATE), ("Content-Length", str(len(block))))
    return _lines("WARC/1.1", (*fields, *own)) + block + b"\r\n\r\n"


def _lines(first: str, fields: Sequence[tuple[str, str]]) -> bytes:
    return "\r\n".join((first, *(f"{name}: {value}" for name, value in fields), "", "")).encode()


def _packed(record: bytes) -> bytes:
    """A gzip member, with a head of our own: zlib's names the system that it runs on."""
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return _NO_TIME + press.compress(record) + press.flush() + struct.pack("<II", zlib.crc32(record), len(record))
