"""From an answer to a page: is it HTML, in which charset, with which links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.decode import decode
from crawler.extract import extract
from crawler.fetch import may_be_html

if TYPE_CHECKING:
    from crawler.fetch import Answer
    from crawler.model import Page
    from crawler.settings import Settings

_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]{1,64})", re.IGNORECASE)
_SNIFFED = 1024  # bytes that are looked at to tell HTML from something else
_BINARY = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf", b"%!PS")
_MARKUP = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?xml.*?\?>\s*)*<(?:!doctype\s+html|html|head|body|title|h1|a\s|p\W|table|div|script|meta|frameset)",
    re.IGNORECASE | re.DOTALL,
)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_page(answer: Answer, settings: Settings) -> Page | None:
    """The page that an answer holds; None when it is not HTML."""
    if not is_html(answer.headers.get("Content-Type", ""), answer.body):
        return None
    declared = _CHARSET.search(answer.headers.get("Content-Type", ""))
    decoded = decode(answer.body, declared[1] if declared else "")
    return extract(
        decoded.text,
        answer.address,
        decoded.charset,
        robots_tags=answer.headers.getall("X-Robots-Tag", []),
        refresh=answer.headers.get("Refresh", ""),
        agent=settings.agent,
        max_text=settings.max_text,
        max_links=settings.max_links,
    )


def is_html(content_type: str, body: bytes) -> bool:
    """Whether a body is HTML by its type and its first bytes: a PDF called text/html is not.

    >>> is_html("text/html", b"<p>hello"), is_html("text/html", b"%PDF-1.4"), is_html("", b"<html>"), is_html("", b"hi")
    (True, False, True, False)
    """
    head = body[:_SNIFFED]
    if head.startswith(_BINARY) or (b"\x00" in head and not head.startswith(_UTF16_MARKS)):
        return False
    if "/" in content_type:
        return may_be_html(content_type)
    return not content_type and bool(_MARKUP.match(head.removeprefix(b"\xef\xbb\xbf")))
