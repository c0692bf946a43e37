"""Builds the demo web: the readable pages in data/demo/pages, recorded as data/demo/demo.warc.gz.

Run it after a change to the pages: `python -m tests.support.build_demo`.
"""

from __future__ import annotations

import io
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

DEMO = Path(__file__).parents[2] / "data" / "demo"
DATE = "2026-01-15T12:00:00Z"
HTTPS_ONLY = frozenset({"nightsky.example"})
ENCODINGS = {"kepler-college.example/~chiyo/index.html": "shift_jis", "tetsudo.example/~yumi/index.html": "euc_jp"}
# The charset is in the HTTP header, but for the one page that says it itself.
SILENT = frozenset({"kepler-college.example/~chiyo/index.html"})
EXTRA_QUERIES = {"orion-observatory.example/gallery.html": "view=all"}
REDIRECTS = (
    ("http://www.kepler-college.example/~ben/", 301, "http://kepler-college.example/~ben/"),
    ("http://kepler-college.example/~ben", 301, "http://kepler-college.example/~ben/"),
    ("http://kepler-college.example/~anna", 301, "http://kepler-college.example/~anna/"),
    ("http://www.orion-observatory.example/", 301, "http://orion-observatory.example/"),
    ("http://orion-observatory.example/old/", 301, "http://orion-observatory.example/"),
    ("http://nightsky.example/", 301, "https://nightsky.example/"),
    ("http://postcards.example/go/ben", 302, "http://kepler-college.example/~ben/"),
)
MISSING = ("http://kepler-college.example/~anna/comet-1997.html",)


@dataclass(frozen=True, slots=True)
class Answer:
    """One recorded answer."""

    url: str
    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


def answers() -> list[Answer]:
    """Everything that the demo web answers, by URL."""
    found = [answer for path in sorted((DEMO / "pages").rglob("*.*")) if path.is_file() for answer in _from_file(path)]
    found += [Answer(url, f"{status} Moved", (("Location", to),)) for url, status, to in REDIRECTS]
    found += [Answer(url, "404 Not Found", (("Content-Type", "text/plain"),), b"not here\n") for url in MISSING]
    return sorted(found, key=lambda answer: answer.url)


def _from_file(path: Path) -> list[Answer]:
    name = path.relative_to(DEMO / "pages").as_posix()
    host = name.partition("/")[0]
    url = f"{'https' if host in HTTPS_ONLY else 'http'}://{name.removesuffix('index.html')}"
    encoding = ENCODINGS.get(name, "utf-8")
    body = path.read_text("utf-8").encode(encoding)
    kind = "text/plain" if name.endswith(".txt") else "text/html"
    charset = "" if name in SILENT else f"; charset={encoding.replace('euc_jp', 'euc-jp')}"
    answer = Answer(url, "200 OK", (("Content-Type", kind + charset),), body)
    query = EXTRA_QUERIES.get(name)
    return [answer, Answer(f"{url}?{query}", answer.status, answer.headers, body)] if query else [answer]


def build() -> bytes:
    """The recording, the same every time."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version="1.1")
    for answer in answers():
        writer.write_record(_record(writer, answer))
    return out.getvalue()


def _record(writer: WARCWriter, answer: Answer) -> Any:
    headers = [*answer.headers, ("Content-Length", str(len(answer.body)))]
    return writer.create_warc_record(
        answer.url,
        "response",
        payload=io.BytesIO(answer.body),
        length=len(answer.body),
        http_headers=StatusAndHeaders(answer.status, headers, protocol="HTTP/1.1"),
        warc_headers_dict={
            "WARC-Date": DATE,
            "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, answer.url)}>",
        },
    )


if __name__ == "__main__":
    (DEMO / "demo.warc.gz").write_bytes(build())
