from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from crawler.errors import RecordingError
from crawler.model import Reason
from crawler.recording.archive import Archive
from crawler.recording.writer import WarcRecorder
from crawler.web import Exchange, Fault
from tests.support import warcs

if TYPE_CHECKING:
    from pathlib import Path

AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


def exchange(address: str = "http://h.example/a?b=c", **changes: Any) -> Exchange:
    given: dict[str, Any] = {
        "address": address,
        "request_headers": (("Host", "h.example"), ("User-Agent", "ncf/0")),
        "status": 200,
        "reason": "OK",
        "version": "HTTP/1.1",
        "headers": (("Content-Type", "text/html"), ("Content-Length", "5")),
        "wire": b"hello",
        "at": AT,
    }
    return Exchange(**given | changes)


def written(path: Path, *exchanges: Exchange) -> list[tuple[Any, bytes]]:
    with WarcRecorder(path, software="test/1") as recorder:
        for one in exchanges:
            recorder.exchange(one)
    return read(path)


def read(path: Path) -> list[tuple[Any, bytes]]:
    """Every record as warcio reads it, its digests checked."""
    with path.open("rb") as file:
        return [(one, one.raw_stream.read()) for one in ArchiveIterator(file, check_digests="raise")]


def types(path: Path) -> list[str]:
    return [one.rec_type for one, _ in read(path)]


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_an_exchange_is_a_request_and_a_response(tmp_path: Path, name: str) -> None:
    """The file begins with a warcinfo record; the request names the response that it belongs to."""
    (info, text), (request, _), (response, body) = written(tmp_path / name, exchange(ip="192.0.2.7"))
    assert (info.rec_type, info.rec_headers.protocol, b"software: test/1" in text) == ("warcinfo", "WARC/1.1", True)
    assert (request.rec_type, response.rec_type, body) == ("request", "response", b"hello")
    assert request.rec_headers["WARC-Concurrent-To"] == response.rec_headers["WARC-Record-ID"]
    assert response.rec_headers["WARC-Date"] == "2026-03-04T05:06:07Z"
    assert response.rec_headers["WARC-IP-Address"] == "192.0.2.7"
    assert response.rec_headers["WARC-Payload-Digest"].startswith("sha1:")


def test_gzip_is_by_record_and_by_name(tmp_path: Path) -> None:
    """A `.gz` file has one gzip member a record, so that it can be sought; another is plain."""
    written(tmp_path / "a.warc.gz", exchange())
    written(tmp_path / "a.warc", exchange())
    assert (tmp_path / "a.warc.gz").read_bytes().count(b"\x1f\x8b\x08") >= 3
    assert (tmp_path / "a.warc").read_bytes().startswith(b"WARC/1.1\r\n")


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_other_tools_accept_the_file(tmp_path: Path, name: str) -> None:
    """`warcio check` and `warcio index` find nothing wrong."""
    fault = Fault(Reason.DNS, "there is no server of that name")
    with WarcRecorder(tmp_path / name) as recorder:
        recorder.exchange(exchange())
        recorder.exchange(exchange(status=304, wire=b""))
        recorder.fault("http://gone.example/", fault, AT)
    for command in ("check", "index"):
        done = subprocess.run([sys.executable, "-m", "warcio.cli", command, tmp_path / name], capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")


def test_the_request_line_is_the_one_that_was_sent(tmp_path: Path) -> None:
    """Path and query stay percent-encoded, and a missing Host header is added."""
    path = tmp_path / "a.warc"
    asked = exchange("http://h.example:81/%7Ea/%2F?q=%20", request_headers=())
    request = written(path, asked, exchange("http://h.example/a?"))[1][0].http_headers
    assert (request.protocol, request.statusline) == ("GET", "/%7Ea/%2F?q=%20 HTTP/1.1")
    assert request.headers == [("Host", "h.example:81")]
    assert read(path)[3][0].http_headers.statusline == "/a? HTTP/1.1"


def test_headers_are_kept_byte_for_byte(tmp_path: Path) -> None:
    """What is not ASCII, and not even UTF-8, is written as it came."""
    headers = (("Location", "/caf\u00e9"), ("X-Latin", b"caf\xe9".decode("utf-8", "surrogateescape")))
    written(tmp_path / "a.warc", exchange(headers=headers))
    assert b"Location: /caf\xc3\xa9\r\nX-Latin: caf\xe9\r\n" in (tmp_path / "a.warc").read_bytes()


def test_transfer_encoding_is_kept_under_another_name(tmp_path: Path) -> None:
    """The stored body is not chunked, so a reader must not be told that it is; Content-Length stays as received."""
    chunked = exchange(headers=(("Transfer-Encoding", "chunked"), ("Content-Length", "9")))
    response = written(tmp_path / "a.warc", chunked)[2][0].http_headers
    assert response.headers == [("X-Archive-Orig-Transfer-Encoding", "chunked"), ("Content-Length", "9")]


@pytest.mark.parametrize(
    ("truncated", "said"),
    [("length", "length"), ("time", "time"), ("disconnect", "disconnect"), ("skipped", "unspecified"), ("", None)],
)
def test_a_cut_body_says_why(tmp_path: Path, truncated: str, said: str | None) -> None:
    """WARC-Truncated holds one of the four words that WARC has."""
    response = written(tmp_path / "a.warc", exchange(truncated=truncated))[2][0]
    assert response.rec_headers["WARC-Truncated"] == said


def test_not_modified_is_a_revisit(tmp_path: Path) -> None:
    """A 304 says that an earlier answer still holds."""
    revisit = written(tmp_path / "a.warc", exchange(status=304, reason="Not Modified", wire=b""))[2][0]
    assert revisit.rec_type == "revisit"
    assert revisit.rec_headers["WARC-Profile"].endswith("/server-not-modified")
    assert revisit.http_headers.get_statuscode() == "304"


def test_a_fault_is_a_metadata_record(tmp_path: Path) -> None:
    """Why no answer came is kept as JSON, its text bounded."""
    with WarcRecorder(tmp_path / "a.warc") as recorder:
        recorder.fault("http://gone.example/", Fault(Reason.TIMEOUT, "x" * 5000), AT)
    record, text = read(tmp_path / "a.warc")[1]
    assert (record.rec_type, record.rec_headers["Content-Type"]) == ("metadata", "application/json")
    assert text.startswith(b'{"fault": "timeout", "detail": "xxx')
    assert len(text) < 1100


def test_each_exchange_is_on_disk_at_once(tmp_path: Path) -> None:
    """A run that is killed loses nothing that it was told of."""
    with WarcRecorder(tmp_path / "a.warc.gz") as recorder:
        recorder.exchange(exchange())
        assert types(tmp_path / "a.warc.gz") == ["warcinfo", "request", "response"]


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_second_run_appends(tmp_path: Path, name: str) -> None:
    """Nothing of the first run is touched."""
    written(tmp_path / name, exchange())
    before = (tmp_path / name).read_bytes()
    written(tmp_path / name, exchange())
    assert (tmp_path / name).read_bytes().startswith(before)
    assert types(tmp_path / name) == ["warcinfo", "request", "response"] * 2


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_cut_end_is_taken_off_at_every_place(tmp_path: Path, name: str) -> None:
    """Wherever a run was killed, the next one leaves a file of whole records with all that were whole before."""
    path = tmp_path / name
    written(path, exchange())
    whole = path.read_bytes()
    with Archive.open([path]) as archive:
        start = next(iter(archive.entries())).offset
    for end in range(start + 1, len(whole), 7):
        path.write_bytes(whole[:end])
        kept = types_after_append(path)
        assert kept in (["warcinfo", "request", "warcinfo"], ["warcinfo", "request", "response", "warcinfo"]), end


def types_after_append(path: Path) -> list[str]:
    with WarcRecorder(path):
        pass
    return types(path)


def test_a_cut_first_record_is_taken_off(tmp_path: Path) -> None:
    """A run that was killed in its first write leaves nothing behind that would stop the next."""
    written(tmp_path / "a.warc")
    (tmp_path / "b.warc").write_bytes((tmp_path / "a.warc").read_bytes()[:50])
    assert types_after_append(tmp_path / "b.warc") == ["warcinfo"]


def test_an_existing_file_says_whether_it_is_gzipped(tmp_path: Path) -> None:
    """A plain file that is called `.gz` stays plain."""
    path = tmp_path / "a.warc.gz"
    path.write_bytes(warcs.response("http://h.example/"))
    written(path, exchange())
    assert path.read_bytes().count(b"WARC/1.1\r\n") == 3


def test_somebody_elses_file_is_left_alone(tmp_path: Path) -> None:
    """A file that is no WARC is neither overwritten nor appended to."""
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    with pytest.raises(RecordingError, match=r"thesis\.txt: it exists and is not a WARC file"), WarcRecorder(path):
        pass
    assert path.read_text() == "years of work"


def test_a_file_gzipped_as_a_whole_is_refused(tmp_path: Path) -> None:
    """It could not be read by offset any more."""
    path = warcs.save(tmp_path / "a.warc.gz", warcs.response("http://h.example/") * 2)
    before = path.read_bytes()
    with pytest.raises(RecordingError, match="gzipped as a whole"), WarcRecorder(path):
        pass
    assert path.read_bytes() == before


def test_a_folder_cannot_be_recorded_into(tmp_path: Path) -> None:
    """The error is one sentence that names the path."""
    with pytest.raises(RecordingError, match=r"it is a folder$"), WarcRecorder(tmp_path):
        pass


def test_the_folder_must_be_there(tmp_path: Path) -> None:
    """No folder is made: a mistyped path must not go unseen."""
    with pytest.raises(RecordingError, match=r"does not exist$"), WarcRecorder(tmp_path / "no" / "a.warc"):
        pass


def test_a_path_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    """What the operating system says is passed on."""
    with pytest.raises(RecordingError, match=r"File name too long"), WarcRecorder(tmp_path / ("x" * 300)):
        pass


def test_two_recorders_cannot_share_a_file(tmp_path: Path) -> None:
    """Each would cut off what the other is writing."""
    path = tmp_path / "a.warc"
    with WarcRecorder(path), pytest.raises(RecordingError, match="another process"), WarcRecorder(path):
        pass


def test_a_full_disk_is_one_sentence_and_the_file_stays_whole(tmp_path: Path) -> None:
    """A write that fails half way is taken back."""
    import resource

    path = tmp_path / "a.warc"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with WarcRecorder(path) as recorder:
        recorder.exchange(exchange())
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 700, hard))
        try:
            with pytest.raises(RecordingError, match="cannot write to"):
                recorder.exchange(exchange(wire=b"x" * 100_000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        recorder.exchange(exchange())
    assert types(path) == ["warcinfo", "request", "response", "request", "response"]
