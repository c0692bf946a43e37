from __future__ import annotations

import gzip
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.errors import RecordingError
from crawler.model import Reason
from crawler.recording.archive import Archive, RecordedResponse
from crawler.recording.message import MAX_BODY, dechunk
from crawler.recording.writer import WarcRecorder
from crawler.web import Fault
from tests.support import warcs
from tests.support.shared import SHARED, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "http://h.example/"
EARLY, LATE = "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"
IDENTICAL = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"


def opened(tmp_path: Path, *records: bytes, name: str = "a.warc.gz") -> Archive:
    return Archive.open([warcs.save(tmp_path / name, *records)])


def answer(archive: Archive, address: str = ADDRESS) -> RecordedResponse:
    found = archive.lookup(address)
    assert found is not None
    return archive.read(found)


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
@pytest.mark.parametrize("version", ["0.17", "1.0", "1.1"])
def test_a_response_is_read_as_it_was_recorded(tmp_path: Path, name: str, version: str) -> None:
    """Status, reason, headers in order, body and date come back, from any version of WARC."""
    record = warcs.response(ADDRESS, b"hi", "B: 1", "a: 2", "B: 3", status="999 Go Away", version=version)
    got = answer(opened(tmp_path, record, name=name))
    assert (got.status, got.reason, got.body, got.truncated) == (999, "Go Away", b"hi", "")
    assert got.headers == (("B", "1"), ("a", "2"), ("B", "3"))
    assert got.at == datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC)


def test_arc_files_are_read_too(tmp_path: Path) -> None:
    """The format before WARC."""
    block = warcs.http(b"old", version="1.0")
    text = b"1 0 ncf\nURL IP-address Archive-date Content-type Archive-length\n"
    first = b"filedesc://a.arc 0.0.0.0 19990101000000 text/plain %d\n%s\n" % (len(text), text)
    second = b"http://h.example/ 192.0.2.1 19990203040506 text/html %d\n%s\n" % (len(block), block)
    got = answer(opened(tmp_path, first, second, name="a.arc"))
    assert (got.body, got.at) == (b"old", datetime(1999, 2, 3, 4, 5, 6, tzinfo=UTC))


@pytest.mark.parametrize(
    "date", ["2020-02-03T04:05:06.123456789Z", "2020-02-03T04:05:06Z", "20200203040506", "2020-02-03 04:05:06"]
)
def test_dates_of_any_precision_are_read(tmp_path: Path, date: str) -> None:
    """WARC 1.1 allows fractions of a second; they are left off."""
    got = answer(opened(tmp_path, warcs.response(ADDRESS, date=date)))
    assert got.at == datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC)


def test_lines_may_end_without_carriage_return(tmp_path: Path) -> None:
    """Old servers wrote them so; folded lines and lines without a colon do no harm."""
    block = b"HTTP/1.0 200 OK\nA: 1\n  2\nnonsense\nB : 3\n\nbody\n\nmore"
    got = answer(opened(tmp_path, warcs.record("response", ADDRESS, block)))
    assert (got.headers, got.body) == ((("A", "1  2"), ("B", "3")), b"body\n\nmore")


@pytest.mark.parametrize("head", [b"HTTP/1.1 404\r\n\r\n", b"HTTP/1.1 404 \r\n\r\n", b"http/2 404\r\n\r\n"])
def test_a_reason_phrase_and_headers_may_be_missing(tmp_path: Path, head: bytes) -> None:
    """The status is all that must be there."""
    got = answer(opened(tmp_path, warcs.record("response", ADDRESS, head + b"x")))
    assert (got.status, got.reason, got.headers, got.body) == (404, "", (), b"x")


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde"),
        (b"3\r\nabc\r\n0\r\n", b"abc"),  # the last line end is not there
        (b"3\r\nabc\r\n0\r\nTrailer: 1\r\n\r\n", b"abc"),
        (b"3\r\nabc\r\nff\r\nde", b"abcde"),  # cut
        (b"3\r\nabc\r\n?\r\nde", b"abc"),  # damaged
        (b"<html>not chunked at all", b"<html>not chunked at all"),
        (b"ad\r\n", b""),
        (b"1\r\nlooks like a chunk but is text", b"1\r\nlooks like a chunk but is text"),
        (b"", b""),
    ],
)
def test_chunks_are_taken_together(tmp_path: Path, stored: bytes, body: bytes) -> None:
    """Also where they are cut, have trailers, or are not there although the header says so."""
    record = warcs.response(ADDRESS, stored, "Transfer-Encoding: Chunked")
    assert answer(opened(tmp_path, record)).body == body


@given(st.lists(st.binary(min_size=1)))
def test_dechunk_undoes_chunking(pieces: list[bytes]) -> None:
    """Whatever the bytes are."""
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    assert dechunk(chunked) == b"".join(pieces)


def test_content_encoding_is_left_alone(tmp_path: Path) -> None:
    """A chunked and gzipped body comes back gzipped."""
    packed = gzip.compress(b"text")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    record = warcs.response(ADDRESS, chunked, "Transfer-Encoding: chunked", "Content-Encoding: gzip")
    assert gzip.decompress(answer(opened(tmp_path, record)).body) == b"text"


@pytest.mark.parametrize("kind", ["resource", "response"])
def test_a_body_without_http_is_a_200(tmp_path: Path, kind: str) -> None:
    """Its type is the record's."""
    got = answer(opened(tmp_path, warcs.record(kind, ADDRESS, b"<p>", content_type="text/html")))
    assert (got.status, got.headers, got.body) == (200, (("Content-Type", "text/html"),), b"<p>")


def test_a_body_is_read_up_to_a_limit(tmp_path: Path) -> None:
    """One byte more than a crawl takes, so that the crawl sees that there is more."""
    assert len(answer(opened(tmp_path, warcs.response(ADDRESS, bytes(MAX_BODY + 100)))).body) == MAX_BODY


@pytest.mark.parametrize(("said", "truncated"), [("length", "length"), ("Time", "time"), ("unspecified", "length")])
def test_a_cut_body_is_known(tmp_path: Path, said: str, truncated: str) -> None:
    """An archive that does not say why has stopped by its own rules."""
    assert answer(opened(tmp_path, warcs.response(ADDRESS, warc_truncated=said))).truncated == truncated


def test_the_later_capture_wins(tmp_path: Path) -> None:
    """By date, whatever the order in the file; by order within one second."""
    archive = opened(
        tmp_path,
        warcs.response(ADDRESS, b"new", date=LATE),
        warcs.response(ADDRESS, b"newest", date=LATE),
        warcs.response(ADDRESS, b"old", date=EARLY),
    )
    assert (len(archive), answer(archive).body) == (1, b"newest")


@pytest.mark.parametrize("fault_is_later", [True, False])
def test_a_fault_and_an_answer_the_later_wins(tmp_path: Path, fault_is_later: bool) -> None:
    """A page that failed and was had in a second try is there; one that was lost is not."""
    fault = warcs.record("metadata", ADDRESS, b'{"fault": "dns", "detail": "gone"}', content_type="application/json")
    page = warcs.response(ADDRESS)
    archive = opened(tmp_path, *((page, fault) if fault_is_later else (fault, page)))
    found = archive.lookup(ADDRESS)
    assert found is not None
    assert archive.fault(found) == (Fault(Reason.DNS, "gone") if fault_is_later else None)


@pytest.mark.parametrize(
    "text", [b'{"fault": "no-such-reason", "detail": ""}', b'{"fault": []}', b'{"fault"', b'["fault"]', b"via: x"]
)
def test_other_metadata_says_nothing(tmp_path: Path, text: bytes) -> None:
    """Crawlers note all kinds of things about an address."""
    archive = opened(tmp_path, warcs.response("http://x.example/"), warcs.record("metadata", ADDRESS, text))
    assert (archive.lookup(ADDRESS), archive.skipped) == (None, {})


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("http://h.example/foo/index.html", "http://h.example/foo/"),
        ("http://h.example/foo/", "http://h.example/foo/index.html"),
        ("http://h.example/~x/", "http://h.example/%7Ex/"),
        ("http://h.example/%7Ex/", "http://h.example/~x/"),
        ("http://h.example/a", "https://www.h.example/a"),
        ("https://www.h.example/a", "http://h.example/a"),
        ("http://h.example/a", "http://h.example/a?utm_source=x"),
    ],
)
def test_another_spelling_of_a_page_answers(tmp_path: Path, recorded: str, asked: str) -> None:
    """Where the asked one was not recorded."""
    assert answer(opened(tmp_path, warcs.response(recorded, b"it")), asked).body == b"it"


def test_the_nearest_spelling_answers(tmp_path: Path) -> None:
    """The exact address, then the same scheme and host, then the rest."""
    spellings = ["http://h.example/a/index.html", "http://h.example/a/default.htm", "https://h.example/a/"]
    archive = opened(tmp_path, *(warcs.response(one, one.encode()) for one in spellings))
    assert answer(archive, spellings[0]).body == spellings[0].encode()
    assert answer(archive, "http://h.example/a/").body == spellings[1].encode()
    assert answer(archive, "https://h.example/a/index.php").body == spellings[2].encode()


def test_the_other_scheme_answers_in_the_same_spelling(tmp_path: Path) -> None:
    """Where `/` and `/index.html` are two pages, they stay two; an error does not stand for another page."""
    spellings = ["http://h.example/a/index.html", "http://h.example/a/"]
    archive = opened(tmp_path, *(warcs.response(one, one.encode()) for one in spellings))
    assert answer(archive, "https://h.example/a/index.html").body == spellings[0].encode()
    assert answer(archive, "https://h.example/a/").body == spellings[1].encode()
    lost = warcs.response("http://h.example/b", status="404 Not Found")
    archive = opened(tmp_path, lost, warcs.response("https://www.h.example/b", b"b"))
    assert answer(archive, "https://h.example/b").body == b"b"


@pytest.mark.parametrize(
    ("recorded", "location", "asked"),
    [
        ("http://h.example/foo/index.html", "/foo/", "http://h.example/foo/"),
        ("http://h.example/a", "https://h.example/a", "https://h.example/a"),
        ("http://h.example/a", "http://www.h.example/a", "http://www.h.example/a"),
        ("http://h.example/a", "https://h.example/a", "http://www.h.example/a"),
    ],
)
def test_a_redirect_to_the_page_itself_answers_for_its_own_spelling_only(
    tmp_path: Path, recorded: str, location: str, asked: str
) -> None:
    """Served for the target it would be a loop that was never there."""
    archive = opened(tmp_path, warcs.response(recorded, b"", f"Location: {location}", status="301 Moved"))
    assert answer(archive, recorded).status == 301
    assert archive.lookup(asked) is None


def test_a_page_answers_before_a_redirect_to_it(tmp_path: Path) -> None:
    """`www.` of a host that redirects http to https finds the page."""
    page = warcs.response("https://h.example/a", b"page", date=EARLY)
    moved = warcs.response("http://h.example/a", b"", "Location: https://h.example/a", status="301 Moved", date=LATE)
    assert answer(opened(tmp_path, page, moved), "http://www.h.example/a").body == b"page"


def test_a_redirect_elsewhere_answers_for_other_spellings(tmp_path: Path) -> None:
    """It leads on, not back."""
    moved = warcs.response("http://h.example/a", b"", "Location: /b", status="302 Found")
    assert answer(opened(tmp_path, moved), "https://h.example/a").status == 302


def test_a_fault_answers_for_its_own_spelling_only(tmp_path: Path) -> None:
    """That https failed says nothing of http."""
    with WarcRecorder(tmp_path / "a.warc") as recorder:
        recorder.fault("https://h.example/", Fault(Reason.TLS, "expired"), datetime(2020, 1, 1, tzinfo=UTC))
    archive = Archive.open([tmp_path / "a.warc"])
    assert archive.lookup("http://h.example/") is None
    assert archive.lookup("https://h.example/") is not None
    assert not archive.knows("h.example")


@pytest.mark.parametrize(
    "fields",
    [
        {"warc_refers_to_target_uri": "http://x.example/", "warc_refers_to_date": EARLY},
        {"warc_payload_digest": "sha1:X"},
        {},
    ],
)
def test_a_revisit_has_its_own_headers_and_the_earlier_body(tmp_path: Path, fields: dict[str, str]) -> None:
    """Found by what it refers to, by digest, or by its own address."""
    recorded = ADDRESS if not fields else "http://x.example/"
    archive = opened(
        tmp_path,
        warcs.record("revisit", ADDRESS, warcs.http(b"", "A: 2"), warc_profile=IDENTICAL, date=LATE, **fields),
        warcs.response(recorded, b"body", "A: 1", date=EARLY, warc_payload_digest="sha1:X"),
    )
    got = answer(archive)
    assert (got.headers, got.body, got.at.day) == ((("A", "2"),), b"body", 2)


@pytest.mark.parametrize("block", [b"", warcs.http(b"", status="304 Not Modified")])
def test_not_modified_is_the_earlier_answer(tmp_path: Path, block: bytes) -> None:
    """With its status and headers, at the later date; an error in between is not what was meant."""
    archive = opened(
        tmp_path,
        warcs.response(ADDRESS, b"body", "A: 1", date=EARLY),
        warcs.response(ADDRESS, b"", status="503 Busy", date="2020-01-01T12:00:00Z"),
        warcs.record("revisit", ADDRESS, block, warc_profile=NOT_MODIFIED, date=LATE),
    )
    got = answer(archive)
    assert (got.status, got.headers, got.body, got.at.day) == (200, (("A", "1"),), b"body", 2)


def test_a_revisit_of_nothing_is_counted(tmp_path: Path) -> None:
    """The answer that it means is in another file."""
    archive = opened(tmp_path, warcs.record("revisit", ADDRESS, b"", warc_profile=NOT_MODIFIED))
    assert (archive.lookup(ADDRESS), archive.skipped) == (None, {"unresolved-revisit": 1})


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_cut_file_is_good_up_to_the_cut(tmp_path: Path, name: str) -> None:
    """The cut record is counted, the others are served."""
    path = warcs.save(tmp_path / name, *(warcs.response(f"http://h.example/{n}", b"x" * 500) for n in range(3)))
    path.write_bytes(path.read_bytes()[:-50])
    archive = Archive.open([path])
    assert (len(archive), archive.skipped) == (2, {"cut": 1})


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_damaged_record_costs_one_record(tmp_path: Path, name: str) -> None:
    """Those behind it are found again."""
    records = [warcs.response(f"http://h.example/{n}", b"x" * 500) for n in range(3)]
    records[1] = records[1].replace(b"Content-Length: ", b"Content-Length: x")
    archive = opened(tmp_path, *records, name=name)
    assert ([one.address[-1] for one in archive.entries()], archive.skipped) == (["0", "2"], {"malformed": 1})


def test_a_damaged_gzip_member_costs_one_record(tmp_path: Path) -> None:
    """A flipped bit is noticed by the checksum."""
    members = [gzip.compress(warcs.response(f"http://h.example/{n}", bytes(range(256)))) for n in range(3)]
    middle = bytearray(members[1])
    middle[-6] ^= 1
    (tmp_path / "a.warc.gz").write_bytes(members[0] + middle + members[2])
    archive = Archive.open([tmp_path / "a.warc.gz"])
    assert (len(archive), archive.skipped) == (2, {"malformed": 1})


@pytest.mark.parametrize(
    "bad",
    [
        warcs.record("response", ADDRESS, b"not http", content_type="application/http"),
        warcs.record("response", ADDRESS, b""),
        warcs.record("response", ADDRESS, b"HTTP/1.1 100 Continue\r\n\r\n"),
        warcs.record("response", "http://h.example:99999/", warcs.http()),
        warcs.record("response", ADDRESS, warcs.http(), date="yesterday"),
        warcs.record("response", ADDRESS, warcs.http(), date="2020-13-13T00:00:00Z"),
        warcs.record("response", "", warcs.http()),
    ],
)
def test_records_that_make_no_sense_are_counted(tmp_path: Path, bad: bytes) -> None:
    """Real archives hold such; none of them stops us."""
    archive = opened(tmp_path, bad, warcs.response("http://good.example/"))
    assert (len(archive), archive.skipped) == (1, {"malformed": 1})


def test_other_schemes_are_counted(tmp_path: Path) -> None:
    """Heritrix records name look-ups."""
    archive = opened(tmp_path, warcs.record("response", "dns:h.example", b"h.example. A 192.0.2.1"))
    assert (len(archive), archive.skipped) == (0, {"not-http": 1})


def test_target_addresses_are_cleaned(tmp_path: Path) -> None:
    """wget puts them in angle brackets, others leave spaces and fragments in."""
    archive = opened(tmp_path, warcs.response("<http://H.example:80/a b#c>"))
    assert [one.address for one in archive.entries()] == ["http://h.example/a%20b"]


@pytest.mark.parametrize("parts", [1, 2])
def test_a_file_gzipped_as_a_whole_is_read(tmp_path: Path, parts: int) -> None:
    """Through a copy that has no name and is closed with the archive; also two such files, one behind the other."""
    text = b"".join(warcs.response(f"http://h.example/{n}", b"%d" % n) for n in range(5))
    half = text.index(b"WARC/1.0", len(text) // 2)
    pieces = [text] if parts == 1 else [text[:half], text[half:]]
    with opened(tmp_path, *pieces) as archive:
        assert [archive.read(one).body for one in archive.entries()] == [b"0", b"1", b"2", b"3", b"4"]


def test_a_cut_file_gzipped_as_a_whole_is_good_up_to_the_cut(tmp_path: Path) -> None:
    """As any other."""
    path = warcs.save(tmp_path / "a.warc.gz", b"".join(warcs.response(f"http://h.example/{n}") for n in range(500)))
    path.write_bytes(path.read_bytes()[:-500])
    with Archive.open([path]) as archive:
        assert 100 < len(archive) < 500
        assert archive.skipped == {"cut": 1}


def test_folders_are_searched(tmp_path: Path) -> None:
    """For .warc and .warc.gz at any depth; what is no WARC is counted; a file named twice is read once."""
    (tmp_path / "deep").mkdir()
    one = warcs.save(tmp_path / "b.warc", warcs.response("http://b.example/"))
    warcs.save(tmp_path / "deep" / "a.warc.gz", warcs.response("http://a.example/"))
    (tmp_path / "empty.warc").touch()
    (tmp_path / "notes.txt").write_text("x")
    archive = Archive.open([tmp_path, one])
    assert archive.hosts() == {"a.example", "b.example"}
    assert archive.skipped == {"not-warc": 1}


def test_what_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    """Each error names the path."""
    (tmp_path / "text.warc").write_text("hello\n" * 100)
    (tmp_path / "none").mkdir()
    for path, text in (
        (tmp_path / "missing.warc", r"missing\.warc does not exist$"),
        (tmp_path / "none", r"none holds no \.warc or \.warc\.gz file$"),
        (tmp_path / "text.warc", r"text\.warc is not a WARC file$"),
        (tmp_path, r"holds no readable WARC file$"),
    ):
        with pytest.raises(RecordingError, match=text):
            Archive.open([path])


def test_no_paths_is_an_error() -> None:
    """Rather than an empty Web."""
    with pytest.raises(RecordingError, match="no recording was named"):
        Archive.open([])


def test_a_file_that_changes_underneath_is_one_sentence(tmp_path: Path) -> None:
    """Not a wrong page, and no traceback."""
    archive = opened(tmp_path, warcs.response(ADDRESS), name="a.warc")
    (found,) = archive.entries()
    (tmp_path / "a.warc").write_bytes(b"something else")
    with pytest.raises(RecordingError, match="has changed"):
        archive.read(found)
    (tmp_path / "a.warc").unlink()
    with pytest.raises(RecordingError, match="cannot read"):
        archive.read(found)


def test_hosts_that_are_ip_addresses_are_named(tmp_path: Path) -> None:
    """They cannot be replayed: a client asks no resolver for them."""
    addresses = ["http://192.0.2.1/a", "http://192.0.2.1/b", "http://[2001:db8::1]/", ADDRESS]
    archive = opened(tmp_path, *map(warcs.response, addresses))
    assert archive.hosts() == {"h.example"}
    assert archive.ip_hosts == {"192.0.2.1": 2, "[2001:db8::1]": 1}


def test_progress_is_told(tmp_path: Path) -> None:
    """In bytes of all the files together, up to the last."""
    path = warcs.save(tmp_path / "a.warc.gz", *(warcs.response(f"http://h.example/{n}") for n in range(2500)))
    told: list[tuple[int, int]] = []
    Archive.open([path], lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (path.stat().st_size, path.stat().st_size)
    assert len(told) > 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(at=st.integers(0, 1100), junk=st.binary(max_size=40), zipped=st.booleans())
def test_no_damage_makes_it_crash(tmp_path: Path, at: int, junk: bytes, zipped: bool) -> None:
    """Whatever is written over a file, it is read or refused."""
    records = [warcs.response(f"http://h.example/{n}", b"x" * 100, "Transfer-Encoding: chunked") for n in range(4)]
    path = warcs.save(tmp_path / ("a.warc.gz" if zipped else "a.warc"), *records)
    data = path.read_bytes()
    path.write_bytes(data[:at] + junk + data[at + len(junk) :])
    try:
        with Archive.open([path]) as archive:
            for one in archive.entries():
                archive.read(one)
    except RecordingError:
        pass


@needs_shared
def test_real_archives_are_read_whole() -> None:
    """Nothing is lost but what is not HTTP."""
    with Archive.open([SHARED / "data" / "warc" / "archive-it-sample.warc.gz"]) as archive:
        assert (len(archive), archive.skipped, len(archive.hosts())) == (261, {"not-http": 38}, 38)
        assert {archive.read(one).status for one in archive.entries()} == {200, 301, 302, 404}
    with Archive.open([SHARED / "data" / "warc" / "whirlwind.warc.gz"]) as archive:
        assert [archive.read(one).status for one in archive.entries()] == [200]
    with Archive.open([SHARED / "data" / "webkb"]) as archive:
        assert (len(archive), archive.skipped) == (2872, {})
