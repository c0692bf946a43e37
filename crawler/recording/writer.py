"""Record a crawl: everything that went over the wire, as a WARC/1.1 file that other tools read too."""

from __future__ import annotations

import fcntl
import io
import json
from typing import TYPE_CHECKING, Any, Self

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler import urls
from crawler.errors import RecordingError
from crawler.recording import records
from crawler.settings import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

    from crawler.web import Exchange, Fault

NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
ORIGINAL = "X-Archive-Orig-"  # what pywb and others put before a header that was true on the wire only
ORDER = "NCF-Order"  # our own field, which WARC 1.1 allows: ascending within a file
_MAX_DETAIL = 1000  # characters of a fault's text
_TRUNCATIONS = ("length", "time", "disconnect")  # WARC 1.1, section 5.13; any other reason is "unspecified"


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio ships no types
    """HTTP headers that are written byte for byte; warcio would percent-encode what is not ASCII."""

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        self.headers_buff = self.to_str().encode("utf-8", "surrogateescape") + b"\r\n"


class WarcRecorder:
    """A crawler.web.Recorder that appends to a WARC file, gzipped by record when its name ends in `.gz`.

    Every exchange is one write of whole records. A run that is killed leaves at most one cut record at the end; the
    next run walks the file, finds where the last whole record ends and cuts the rest off before it appends.
    """

    def __init__(self, path: Path, *, software: str = f"ncf/{VERSION}") -> None:
        self._path = path
        self._software = software

    def __enter__(self) -> Self:
        self._file = _open(self._path)
        try:
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _begin(self) -> None:
        _lock(self._file, self._path)
        last = _last_whole(self._path)
        self._end = last.end if last else 0
        self._file.truncate(self._end)
        if last and not last.closed:
            self._append(b"\r\n\r\n")
        zipped = records.is_gzip(self._file) if last else self._path.suffix == ".gz"
        self._buffer = io.BytesIO()
        self._writer = WARCWriter(self._buffer, gzip=zipped, warc_version="1.1")
        info = {"software": self._software, "format": "WARC File Format 1.1"}
        self._write(self._writer.create_warcinfo_record(self._path.name, info))

    def exchange(self, exchange: Exchange) -> None:
        """Write a request and its answer."""
        answer, request = self._answer(exchange), self._request(exchange)
        request.rec_headers.add_header("WARC-Concurrent-To", answer.rec_headers.get_header("WARC-Record-ID"))
        self._write(request, answer)

    def fault(self, address: str, fault: Fault, at: datetime) -> None:
        """Write that a request got no answer, and why."""
        text = json.dumps({"fault": str(fault.reason), "detail": fault.detail[:_MAX_DETAIL]}).encode()
        self._write(
            self._writer.create_warc_record(
                address,
                "metadata",
                payload=io.BytesIO(text),
                length=len(text),
                warc_content_type="application/json",
                warc_headers_dict=self._extra(at),
            )
        )

    def _answer(self, exchange: Exchange) -> Any:
        extra = self._extra(exchange.at)
        if exchange.ip:
            extra["WARC-IP-Address"] = exchange.ip
        if exchange.truncated:
            extra["WARC-Truncated"] = exchange.truncated if exchange.truncated in _TRUNCATIONS else "unspecified"
        if exchange.status == 304:
            extra["WARC-Profile"] = NOT_MODIFIED
        return self._writer.create_warc_record(
            exchange.address,
            "revisit" if exchange.status == 304 else "response",
            payload=io.BytesIO(exchange.wire),
            length=len(exchange.wire),
            warc_headers_dict=extra,
            http_headers=_Head(
                f"{exchange.status} {exchange.reason}".rstrip(), _stored(exchange.headers), protocol=exchange.version
            ),
        )

    def _extra(self, at: datetime) -> dict[str, str]:
        """The date, and the place in the crawl: replay goes in the same order."""
        return {"WARC-Date": _date(at), ORDER: str(self._end)}

    def _request(self, exchange: Exchange) -> Any:
        parts = urls.split(exchange.address)
        target = f"{parts.path}?{parts.query}" if "?" in exchange.address else parts.path
        headers = list(exchange.request_headers)
        if not any(name.lower() == "host" for name, _ in headers):
            headers.insert(0, ("Host", parts.netloc))
        return self._writer.create_warc_record(
            exchange.address,
            "request",
            warc_headers_dict={"WARC-Date": _date(exchange.at)},
            http_headers=_Head(f"{target} HTTP/1.1", headers, protocol="GET"),
        )

    def _write(self, *given: Any) -> None:
        self._buffer.seek(0)
        self._buffer.truncate()
        for record in given:
            self._writer.write_record(record)
        self._append(self._buffer.getvalue())

    def _append(self, data: bytes) -> None:
        """Hand bytes to the operating system, all or none."""
        try:
            self._file.seek(self._end)
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._file.truncate(self._end)
            raise RecordingError(f"cannot write to {self._path}: {error.strerror}") from error
        self._end += len(data)


def _open(path: Path) -> io.FileIO:
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no ordinary file"
            raise RecordingError(f"cannot record into {path}: it is {kind}")
        if not path.parent.is_dir():
            raise RecordingError(f"cannot record into {path}: the folder {path.parent} does not exist")
        path.touch()
        return path.open("r+b", buffering=0)  # unbuffered: what is written survives when we are killed
    except OSError as error:
        raise RecordingError(f"cannot record into {path}: {error.strerror}") from error


def _lock(file: io.FileIO, path: Path) -> None:
    """Keep a second recorder out: each would cut off what the other is writing."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RecordingError(f"cannot record into {path}: another process is recording into it") from error
    except OSError:
        return  # a file system without locks


def _last_whole(path: Path) -> records.Frame | None:
    """The last whole record of a file, None of an empty one; raises RecordingError when it is somebody else's file."""
    with path.open("rb", buffering=1 << 18) as file:
        if path.stat().st_size and records.opening(file, len(b"WARC/")) != b"WARC/":
            raise RecordingError(f"cannot record into {path}: it exists and is not a WARC file")
        last = None
        try:
            for found in records.walk(file):
                last = found if isinstance(found, records.Frame) else last
        except records.BundledError:
            raise RecordingError(
                f"cannot record into {path}: it is gzipped as a whole and not record by record (see warcio recompress)"
            ) from None
    return last


def _stored(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers as received, but for Transfer-Encoding: the stored body is without it, and says so."""
    return [(ORIGINAL + name if name.lower() == "transfer-encoding" else name, value) for name, value in headers]


def _date(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
