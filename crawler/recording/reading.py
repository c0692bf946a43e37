"""A recording read as it is: a record for every answer that it holds, without asking a server for any.

A replay shows the part of a recording that links reach from the start; this shows all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from multidict import CIMultiDict, CIMultiDictProxy

from crawler import codings, urls
from crawler.errors import RecordingError
from crawler.fetch import Answer
from crawler.model import Alias, Failed, Fetched, Reason, Redirect
from crawler.pages import read_page
from crawler.settings import REPLAY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.model import Record
    from crawler.recording.archive import Archive
    from crawler.recording.index import Recorded
    from crawler.settings import Settings


def records(archive: Archive, settings: Settings = REPLAY) -> Iterator[Record]:
    """Every answer to a page of the Web, in order of date; robots.txt and what cannot be read are left out."""
    for one in archive.entries():
        if urls.split(one.address).path != "/robots.txt" and (record := _record(archive, one, settings)):
            yield record


def _record(archive: Archive, one: Recorded, settings: Settings) -> Record | None:
    url = urls.canonical(one.address)
    fault = archive.fault(one)
    if url is None or fault is not None:
        return Failed(url, one.address, 0, fault.reason, fault.detail, one.at) if url and fault else None
    try:
        answer = _answer(archive, one, settings)
    except (codings.CodingError, RecordingError) as error:
        return Failed(url, one.address, 0, Reason.ENCODING, str(error), one.at)
    if answer.is_redirect:
        return _moved(url, answer)
    if not 200 <= answer.status < 300:
        return Failed(url, one.address, 0, Reason.STATUS, f"HTTP {answer.status}", one.at, answer.status)
    return Fetched(
        url=url,
        asked=url,
        address=one.address,
        hops=0,
        status=answer.status,
        fetched_at=answer.at,
        content_type=answer.content_type,
        etag=answer.headers.get("ETag", ""),
        last_modified=answer.headers.get("Last-Modified", ""),
        content_hash=answer.content_hash,
        length=len(answer.body),
        truncated=answer.truncated,
        page=read_page(answer, settings),
    )


def _answer(archive: Archive, one: Recorded, settings: Settings) -> Answer:
    found = archive.read(one)
    headers = CIMultiDictProxy(CIMultiDict(found.headers))
    body = codings.Body(headers.getall("Content-Encoding", []), cap=settings.max_body, max_codings=settings.max_codings)
    body.feed(found.body)
    cut = found.truncated or ("length" if body.full else "")
    return Answer(one.address, found.status, headers, body.bytes(), found.at, 0.0, cut)


def _moved(url: str, answer: Answer) -> Record:
    target = urls.join(answer.address, answer.headers.get("Location", ""))
    if target is None or len(target) > urls.MAX_LENGTH:
        detail = f"HTTP {answer.status} to what is not an http or https URL"
        return Failed(url, answer.address, 0, Reason.REDIRECT_BAD, detail, answer.at, answer.status)
    hop = Redirect(answer.address, answer.status, target)
    return Alias(url, urls.canonical(target) or target, 0, (hop,))
