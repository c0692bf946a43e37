"""WARC records made by hand, so that the reader is not tested with our own writer only."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2020-02-03T04:05:06Z"


def record(kind: str, uri: str, block: bytes, *, version: str = "1.0", date: str = DATE, **fields: str) -> bytes:
    """One WARC record; `warc_profile="x"` becomes the field `warc-profile: x`."""
    lines = [f"WARC/{version}", f"WARC-Type: {kind}", f"WARC-Target-URI: {uri}", f"WARC-Date: {date}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    head = "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""])
    return head.encode() + block + b"\r\n\r\n"


def http(body: bytes = b"", *headers: str, status: str = "200 OK", version: str = "1.1") -> bytes:
    """An HTTP message."""
    return "\r\n".join([f"HTTP/{version} {status}", *headers, "", ""]).encode("utf-8", "surrogateescape") + body


def response(uri: str, body: bytes = b"", *headers: str, status: str = "200 OK", **fields: str) -> bytes:
    """A response record."""
    content_type = "application/http; msgtype=response"
    return record("response", uri, http(body, *headers, status=status), content_type=content_type, **fields)


def save(path: Path, *records: bytes) -> Path:
    """A file of records, each gzipped by itself when the name ends in `.gz`."""
    zipped = path.suffix == ".gz"
    path.write_bytes(b"".join(gzip.compress(one) if zipped else one for one in records))
    return path
