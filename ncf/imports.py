"""Files taken into the store: recordings with everything that they hold, and edge lists as claims of who links where.

What is imported counts as the live Web, as it was on the day of its recording: whoever imports an archive of a site and
then asks `ncf find URL --offline` expects an answer, and pages of a recording's own Web (ncf.store.webs) answer only
those who replay that recording. Three rules keep the store honest. A later copy stays: of two copies of a page the one
with the later date is kept, whichever came first. A copy is never given up for a failure: what an archive says was not
there says nothing of a page that is at hand, and a page of an archive takes the place of a failure however late that
was. And a page is as old as its recording: a crawl that wants pages younger than `--fresh` asks for it again. So files
may be imported twice, or in any order, and the store ends up the same.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from crawler import urls
from crawler.model import Alias, Failed, Fetched
from ncf import edges
from ncf.edges import EdgeList
from ncf.errors import EdgesError, NcfError
from ncf.inlinks import edge_list
from ncf.store import claims, forget, holdings, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from crawler.model import Record
    from crawler.recording.archive import Archive
    from ncf.store.holdings import Held
    from ncf.store.store import Store

    Watch = Callable[[int, int], None]  # so much done, so much in all

READ = "WARC files (.warc, .warc.gz), folders of them, and edge lists (CSV or TSV, also .gz)"
_TOGETHER = 500  # records in one transaction
_PEEK = 64 * 1024  # bytes that a file's kind is told from
_GZIP = b"\x1f\x8b"
_BOM, _BOMS_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_XML = {b"<graphml": "GraphML", b"<gexf": "GEXF"}
_OTHERS = {
    b"SQLite format 3\0": "a SQLite database",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
    b"PK\x03\x04": "a ZIP archive",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ": "compressed by xz",
    b"filedesc://": "an ARC file",
}


class Kind(StrEnum):
    """What a file is."""

    WARC = "warc"
    EDGES = "edges"


@dataclass(frozen=True, slots=True)
class Recordings:
    """What came of the recordings."""

    files: int = 0
    pages: int = 0  # HTML pages that were kept
    others: int = 0  # answers that are no HTML pages
    redirects: int = 0
    failures: int = 0
    older: int = 0  # left out: the store has a copy as late, or later
    unreadable: int = 0  # records of the files that are damaged, cut, or no answers


@dataclass(frozen=True, slots=True)
class Edges:
    """What came of an edge list."""

    file: str
    provider: str
    claims: int  # that the store has of it now
    links: int  # lines between URLs
    left_out: int  # lines with a name that is none
    names: int
    strange: int  # names that are no URLs
    remarks: Sequence[str] = ()


@dataclass(slots=True)
class Imported:
    """What came of all files."""

    store: str
    recordings: Recordings = field(default_factory=Recordings)
    edges: list[Edges] = field(default_factory=list)


def kind(path: Path) -> Kind:
    """What a file is, by its content; raises NcfError with the kinds that are read when it is none of them."""
    if path.is_dir():
        return Kind.WARC
    head = _head(path).removeprefix(_BOM)
    if not head and path.name.removesuffix(".gz").endswith(".warc"):
        return Kind.WARC  # whose reader says what is wrong with it
    if head.startswith(b"WARC/"):
        if _is_wat(path, head):
            raise _refused(path, "WAT")
        return Kind.WARC
    if other := _other(head):
        raise _refused(path, other)
    return Kind.EDGES


def _refused(path: Path, what: str) -> NcfError:
    return NcfError(f"{path} cannot be imported: it is {what}, and what is read are {READ}")


def _head(path: Path) -> bytes:
    """The first bytes of a file, unpacked."""
    try:
        with path.open("rb") as file:
            found = file.read(_PEEK)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "the name is not valid"
        raise NcfError(f"{path} cannot be read: {why}") from error
    if not found.startswith(_GZIP):
        return found
    try:
        return zlib.decompressobj(wbits=31).decompress(found, _PEEK) if found else b""
    except zlib.error as error:
        raise NcfError(f"{path} cannot be read: it is damaged ({error})") from error


def _other(head: bytes) -> str:
    """The name of another kind of file; empty when it may be an edge list."""
    start = head.lstrip()
    if start.startswith(b"<"):
        lower = start.lower()
        return next((name for mark, name in _XML.items() if mark in lower), "XML or HTML")
    if start.startswith((b"{", b"[{", b"[\n", b"[[")):
        return "JSON"
    if head.startswith(_BOMS_16):
        return ""  # whose reader says what to do about it
    return next((name for mark, name in _OTHERS.items() if head.startswith(mark)), "no text" if b"\0" in head else "")


def _is_wat(path: Path, head: bytes) -> bool:
    """Whether a file holds what somebody made out of a WARC, in JSON."""
    name = path.name.lower().removesuffix(".gz")
    return name.endswith((".wat", ".warc.wat")) or b'"Envelope"' in head


def take(store: Store, paths: Sequence[Path], watch: Callable[[str], Watch]) -> Imported:
    """Import files; `watch` gives, for what is being done, who is told how far it is. Every kind is looked at first."""
    kinds = {path: kind(path) for path in paths}
    store.lease()
    found = Imported(str(store.path))
    recordings = [path for path, one in kinds.items() if one is Kind.WARC]
    if recordings:
        found.recordings = _take_recordings(store, recordings, watch)
    for path, one in kinds.items():
        if one is Kind.EDGES:
            found.edges.append(take_edges(store, path, watch(f"bytes of {path.name} read")))
    return found


def _take_recordings(store: Store, paths: Sequence[Path], watch: Callable[[str], Watch]) -> Recordings:
    from crawler.recording.archive import Archive

    with Archive.open(paths, watch("bytes of the recordings indexed")) as archive:
        return take_recordings(store, archive, len(paths), watch("answers read"))


def take_recordings(store: Store, archive: Archive, files: int, watch: Watch) -> Recordings:
    """Keep every answer of an archive, but for those of which the store has a later copy."""
    from crawler.recording.reading import records

    counts, total, done = Counter[str](), len(archive), 0
    found = records(archive)
    while batch := list(islice(found, _TOGETHER)):
        with store.writing():
            dated = [(record, at) for record in batch if (at := _date(record, archive)) is not None]
            kept = list(_later(dated, holdings.held(store, (rows.keys(record)[0] for record, _ in dated)), counts))
            store.keep_all([record for record, _ in kept])
            holdings.date(store, [(rows.keys(record)[0], at) for record, at in kept])
        done += len(batch)
        watch(min(done, total), total)
    watch(total, total)
    return Recordings(
        files, counts["pages"], counts["others"], counts["redirects"], counts["failures"], counts["older"],
        sum(archive.skipped.values()),
    )  # fmt: skip


def _date(record: Record, archive: Archive) -> int | None:
    """When an answer was recorded; None for a redirect that says nothing, from one spelling of a page to another."""
    if isinstance(record, Alias):
        recorded = archive.lookup(record.redirects[0].address)
        if recorded is None or urls.key(record.url) == urls.key(record.target):
            return None
        at = recorded.at
    else:
        at = record.fetched_at if isinstance(record, Fetched) else record.failed_at
    return min(int(at.timestamp()), int(time.time()))


def _later(
    found: Iterable[tuple[Record, int]], held: dict[str, Held], counts: Counter[str]
) -> Iterator[tuple[Record, int]]:
    """The answers that take the place of what the store has, if it has anything, in order of date."""
    for record, at in found:
        key = rows.keys(record)[0]
        before = held.get(key)
        if before is not None and _stays(record, at, before):
            counts["older"] += 1
            continue
        failed = isinstance(record, Failed)
        held[key] = holdings.Held(at, None if failed else at)
        counts[_sort(record)] += 1
        yield record, at


def _stays(record: Record, at: int, before: Held) -> bool:
    """Whether what the store has is kept."""
    if isinstance(record, Failed):
        return before.copy is not None or before.checked >= at
    return before.copy is not None and before.copy >= at


def _sort(record: Record) -> str:
    if isinstance(record, Fetched):
        return "pages" if record.is_page else "others"
    return "failures" if isinstance(record, Failed) else "redirects"


def take_edges(store: Store, path: Path, watch: Watch) -> Edges:
    """Keep the links of an edge list as claims, in place of those of an older state of the same file.

    They have the name that `find --inlinks FILE` looks for, which then need not read the file again.
    """
    found = edges.read(path, watch)
    strange = len(found.names) - _urls_among(found)
    links = sum(1 for _ in edge_list.links(found))
    if not links:
        raise EdgesError(
            f"{path} holds no links between URLs or hosts, so there is nothing to import;"
            f" `ncf communities --edges` reads lists of any names"
        )
    stat, place = path.stat(), f"edges {path.resolve()} "
    provider = f"{place}{stat.st_size} {stat.st_mtime_ns}"
    kept = claims.add(store, provider, edge_list.links(found))
    for old in holdings.providers_like(store, provider, place):
        forget.claims_of(store, old)
    left_out = len(found.sources) - links
    return Edges(str(path), provider, kept, links, left_out, len(found.names), strange, tuple(found.remarks()))


def _urls_among(found: EdgeList) -> int:
    """How many names are URLs, or hosts that stand for one: those that could have a link to themselves."""
    each = np.arange(len(found.names), dtype=np.int64)
    return sum(1 for _ in edge_list.links(EdgeList(found.names, each, each)))
