"""Recordings as one body of answers: an index of addresses, and the answers, read from the files when asked for."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from crawler import urls
from crawler.errors import RecordingError
from crawler.model import Reason
from crawler.recording import message, records, sources
from crawler.recording.index import REDIRECTS, Index, Kind, Recorded, Skipped, parse_fault
from crawler.web import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path
    from types import TracebackType

_UNREADABLE = message.Message(502, "Bad Gateway", (), b"")  # only when a file has changed under us


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """An answer as it was recorded."""

    status: int
    reason: str
    headers: message.Headers
    body: bytes  # without chunking, still in its Content-Encoding
    at: datetime
    truncated: str


class Archive:
    """The answers in one or many WARC files. Close it, or use it with `with`: it may hold temporary files."""

    def __init__(self, files: Sequence[sources.Source]) -> None:
        self._files = files
        self._index = Index(one for file in files for one in file.found)
        counts = sum((file.skipped for file in files), Counter[Skipped]())
        counts[Skipped.UNRESOLVED] += self._index.unresolved
        # Records that are not in the index, by reason; see Skipped.
        self.skipped: Mapping[str, int] = {str(why): count for why, count in counts.items() if count}
        for file in files:
            file.found.clear()

    @classmethod
    def open(cls, paths: Sequence[Path], progress: sources.Progress | None = None) -> Archive:
        """Index WARC files and folders of them; raises RecordingError when there is nothing to read."""
        files = sources.find(paths)
        try:
            sources.scan_all(files, progress)
            return cls(files)
        except BaseException:
            for file in files:
                file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete temporary copies."""
        for file in self._files:
            file.close()

    def __len__(self) -> int:
        return len(self._index.exact)

    def entries(self) -> Collection[Recorded]:
        """The winning record of every address, in order of date."""
        return self._index.exact.values()

    def hosts(self) -> frozenset[str]:
        """The hosts that can be replayed: those with an answer and a name."""
        return frozenset(self._index.hosts)

    @property
    def ip_hosts(self) -> Mapping[str, int]:
        """Hosts that are IP addresses and cannot be replayed, with how many addresses each has."""
        return self._index.ip_hosts

    def knows(self, host: str) -> bool:
        """Whether a host, or its other form with or without `www.`, has an answer."""
        return self._index.knows(host)

    def scheme(self, host: str, port: int) -> str:
        """The scheme that a server speaks on a port."""
        return self._index.scheme(host, port)

    def lookup(self, address: str) -> Recorded | None:
        """The record that answers for an address, or for another spelling of the same page."""
        exact = self._index.exact.get(address)
        if exact is not None:
            return exact
        return next((one for one in self._index.candidates(address) if not self._leads_back(one, address)), None)

    def _leads_back(self, one: Recorded, address: str) -> bool:
        """Whether an answer sends the asker on to the page that was asked for: served for it, it would loop."""
        if one.status not in REDIRECTS:
            return False
        target = urls.join(one.address, message.header(self.read(one).headers, "location"))
        return target is not None and urls.key(target) == urls.key(address)

    def read(self, recorded: Recorded) -> RecordedResponse:
        """The answer itself; of a body no more than MAX_BODY bytes."""
        with self._record(recorded) as record:
            found = _resource(record) if recorded.kind is Kind.RESOURCE else message.read(record.block)
        status, reason, headers, body = found or _UNREADABLE
        if recorded.payload is not None:
            body = self.read(recorded.payload).body
        return RecordedResponse(status, reason, headers, body, recorded.at, recorded.truncated)

    def fault(self, recorded: Recorded) -> Fault | None:
        """Why there is no answer; None when there is one."""
        if recorded.kind is not Kind.FAULT:
            return None
        with self._record(recorded) as record:
            text = record.block.read(message.MAX_BODY)
        return parse_fault(text) or Fault(Reason.PROTOCOL, "the recording does not say what went wrong")

    @contextmanager
    def _record(self, recorded: Recorded) -> Iterator[records.Record]:
        source = self._files[recorded.file]
        with source.open() as file:
            try:
                yield records.Record(file, recorded.offset)
            except records.DamagedError as error:
                raise RecordingError(f"{source.path} has changed since it was opened") from error


def _resource(record: records.Record) -> message.Message:
    kind = record.headers.get("content-type", "")
    return message.Message(200, "OK", (("Content-Type", kind),) if kind else (), record.block.read(message.MAX_BODY))
