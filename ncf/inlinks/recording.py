"""In-links from a recording: everything that it holds is read once, and what its pages link to is kept as claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.model import Fetched
from crawler.recording.reading import records
from ncf.inlinks.stored import Claims
from ncf.store import claims

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.recording.archive import Archive
    from ncf.store.store import Store

    Watch = Callable[[int, int], None]  # answers read so far, answers in all

NAME = "recording"


def source(store: Store, archive: Archive, web: str, watch: Watch | None = None) -> Claims:
    """The recording as an in-link source; a store that has read it before does not read it again."""
    if web not in claims.known(store):
        claims.add(store, web, _links(archive, watch))
    return Claims(store, NAME, web)


def _links(archive: Archive, watch: Watch | None) -> Iterator[tuple[str, str]]:
    """Source and target of the links between directories: pages of one directory always lie in one site."""
    total = len(archive)
    for done, record in enumerate(records(archive), 1):
        if watch:
            watch(min(done, total), total)
        if isinstance(record, Fetched) and record.page:
            here = record.url.rpartition("/")[0]
            yield from ((record.url, link.url) for link in record.page.links if link.url.rpartition("/")[0] != here)
    if watch:
        watch(total, total)


def name_of(archive: Archive) -> str:
    """What a recording is called in a store: a digest of what is in it, so that a file may move."""
    from hashlib import blake2b

    digest = blake2b(digest_size=12)
    for entry in archive.entries():
        digest.update(f"{entry.address}\0{entry.at.isoformat()}\0{entry.status}\n".encode("utf-8", "surrogatepass"))
    return f"recording {digest.hexdigest()}"
