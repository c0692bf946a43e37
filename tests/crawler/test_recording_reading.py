"""A recording read as it is: every answer a record, none asked for."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from crawler.model import Alias, Failed, Fetched, Reason, Record
from crawler.recording.archive import Archive
from crawler.recording.reading import records
from tests.support.warcs import response, save

if TYPE_CHECKING:
    from pathlib import Path

HTML = "Content-Type: text/html"
H = "http://h.example"


def read(path: Path, *answers: bytes) -> dict[str, Record]:
    with Archive.open([save(path / "r.warc.gz", *answers)]) as archive:
        return {record.url: record for record in records(archive)}


def test_a_page_has_its_title_and_links(tmp_path: Path) -> None:
    """Also when nothing links to it: a replay would not find it."""
    found = read(tmp_path, response(f"{H}/lonely.html", b"<title>T</title><a href=/x>x</a>", HTML))
    page = found[f"{H}/lonely.html"]
    assert isinstance(page, Fetched)
    assert page.page is not None
    assert (page.page.title, [link.url for link in page.page.links]) == ("T", [f"{H}/x"])
    assert len(page.content_hash) == 64


def test_content_codings_are_undone(tmp_path: Path) -> None:
    body = gzip.compress(b"<title>packed</title>")
    found = read(tmp_path, response(f"{H}/", body, HTML, "Content-Encoding: gzip"))[f"{H}/"]
    assert isinstance(found, Fetched)
    assert found.page is not None
    assert found.page.title == "packed"


def test_a_broken_coding_is_a_failure(tmp_path: Path) -> None:
    found = read(tmp_path, response(f"{H}/", b"not gzip at all", HTML, "Content-Encoding: gzip"))[f"{H}/"]
    assert isinstance(found, Failed)
    assert found.reason is Reason.ENCODING


def test_redirects_are_names(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        response(f"{H}/old", b"", "Location: /new/", status="301 Moved"),
        response(f"{H}/bad", b"", "Location: mailto:x@h", status="302 Found"),
    )
    assert isinstance(found[f"{H}/old"], Alias)
    assert [hop.target for hop in found[f"{H}/old"].redirects] == [f"{H}/new/"]
    assert isinstance(found[f"{H}/bad"], Failed)


def test_other_answers_are_failures_and_robots_txt_is_no_page(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        response(f"{H}/gone", b"", HTML, status="404 Not Found"),
        response(f"{H}/robots.txt", b"User-agent: *", "Content-Type: text/plain"),
    )
    assert list(found) == [f"{H}/gone"]
    assert isinstance(found[f"{H}/gone"], Failed)


def test_pictures_have_no_page(tmp_path: Path) -> None:
    found = read(tmp_path, response(f"{H}/x.gif", b"GIF89a", "Content-Type: image/gif"))[f"{H}/x.gif"]
    assert isinstance(found, Fetched)
    assert found.page is None
