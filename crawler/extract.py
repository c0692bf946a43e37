"""Text to links and title: what an HTML page says, in one pass over its tree.

`extract` is a pure function of plain values, so that it can run in a worker process that may be killed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from crawler import urls
from crawler.model import Link, Page
from crawler.settings import MIB

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from selectolax.lexbor import LexborNode

TEXT_LENGTH = 200  # characters of an anchor text
TITLE_LENGTH = 500
MAX_REFRESH_DELAY = 100  # seconds: a page that waits longer shows news, it does not send the reader on

# `link rel=` that leads to a page a reader may turn to: HTML 4's list, HTML 5's, and the names in use for the same.
# fmt: off
NAVIGATIONAL = frozenset((
    "next", "prev", "previous", "first", "begin", "last", "end", "start", "home", "top", "up", "parent", "child",
    "contents", "toc", "index", "chapter", "section", "subsection", "appendix", "glossary", "help", "author", "me",
    "related", "bookmark", "archives", "copyright", "license", "sitemap",
))
# fmt: on
# Together with one of these a rel means a style sheet or another edition of this page.
_NOT_NAVIGATIONAL = frozenset(("stylesheet", "alternate"))

# One query for all, in document order; `template` contents are not part of the tree, `noscript` contents are.
_WANTED = "a,area,frame,iframe,link,base,meta,title,html"
_TARGET = {"a": "href", "area": "href", "link": "href", "frame": "src", "iframe": "src"}
_REFRESH = re.compile(
    r"""\s*(?P<delay>[0-9]+|(?=\.))[0-9.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?P<quote>["']?)(?P<url>.*)""",
    re.IGNORECASE | re.DOTALL,
)
_LANGUAGE = re.compile(r"(?:[a-z]{2,3}|[ix](?=-))(?:-[a-z0-9]{1,8})*")
# White space among the controls is folded, not removed.
_JUNK = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
_OPENED = re.compile(r"<!--[-\s]*")
_TOKEN = re.compile(r"[a-z_-]+")
_DIRECTIVES_WITH_VALUE = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))


class _Written(NamedTuple):
    """A link as it is written."""

    kind: str
    reference: str
    rel: str | None = None
    node: LexborNode | None = None


@dataclass(slots=True)
class _Head:
    """What the tree says about the page as a whole, and its links as they are written."""

    agent: str
    title: str | None = None
    language: str = ""
    content_language: str = ""
    base: str | None = None
    canonical: str | None = None
    directives: set[str] = field(default_factory=set)
    links: list[_Written] = field(default_factory=list)


@dataclass(slots=True)
class _Found:
    """A link while its copies are counted."""

    address: str
    kind: str
    text: str
    count: int = 1


def extract(
    text: str,
    address: str,
    charset: str,
    *,
    robots_tags: Sequence[str] = (),
    refresh: str = "",
    agent: str = "ncf",
    max_text: int = 2 * MIB,
    max_links: int = 10_000,
) -> Page:
    """Read the links and the title of an HTML page that was fetched from `address`; never raises.

    `charset` is the page's WHATWG encoding, which queries of links are written in; `robots_tags` are the values of
    its X-Robots-Tag headers and `refresh` that of its Refresh header.
    """
    head = _Head(agent.lower())
    for value in robots_tags:
        head.directives.update(_tag_directives(value, head.agent))
    _note_refresh(head, refresh)
    # Without events: they serve scripts, and cost time.
    tree = LexborHTMLParser(_with_comments_closed(text[:max_text]), options=LexborDocumentOptions.WO_EVENTS)
    for node in tree.css(_WANTED):
        _read(head, node)
    base = urls.join(address, head.base, charset) if head.base is not None else None
    links, dropped = _resolve(head.links, address, base or address, charset, max_links)
    return Page(
        title=head.title or "",
        language=_language(head.language) or _language(head.content_language),
        charset=charset,
        links=links,
        links_dropped=dropped,
        canonical=_canonical(head.canonical, address, base or address, charset),
        noindex=not head.directives.isdisjoint(("noindex", "none")),
        nofollow=not head.directives.isdisjoint(("nofollow", "none")),
        text_cut=len(text) > max_text,
    )


def _with_comments_closed(text: str) -> str:
    """End a comment that never ends at its first `>`, as the browsers did for which such pages were written.

    By the HTML standard it swallows the rest of the page: on old pages that is most of their links.

    >>> _with_comments_closed("<!-- a --> <!-- b > <a href=c>")
    '<!-- a --> <!b > <a href=c>'
    """
    last = max(text.rfind("-->"), text.rfind("--!>"))
    start = text.find("<!--", max(last, 0))
    return text if start < 0 else text[:start] + _OPENED.sub("<!", text[start:])


def _read(head: _Head, node: LexborNode) -> None:
    tag = node.tag or ""
    if tag == "title":
        if head.title is None and not _is_inside(node, "svg"):
            head.title = clean(node.text(), TITLE_LENGTH)
        return
    attributes = node.attributes
    if tag == "link":
        _read_link(head, attributes)
    elif tag == "meta":
        _read_meta(head, node, attributes)
    elif tag == "base":
        head.base = attributes.get("href") if head.base is None else head.base
    elif tag == "html":
        head.language = head.language or attributes.get("lang") or attributes.get("xml:lang") or ""
    else:
        reference = attributes.get(_TARGET[tag])
        if reference is None and tag == "a":
            reference = attributes.get("xlink:href")
        if reference is not None:
            head.links.append(_Written(tag, reference, attributes.get("rel"), node))


def _is_inside(node: LexborNode, tag: str) -> bool:
    parent = node.parent
    while parent is not None and parent.tag != tag:
        parent = parent.parent
    return parent is not None


def _read_link(head: _Head, attributes: dict[str, str | None]) -> None:
    reference = attributes.get("href")
    rel = (attributes.get("rel") or "").lower().split()
    if reference is None:
        return
    if "canonical" in rel and head.canonical is None:
        head.canonical = reference
    if not NAVIGATIONAL.isdisjoint(rel) and _NOT_NAVIGATIONAL.isdisjoint(rel):
        head.links.append(_Written("link", reference, attributes.get("rel")))


def _read_meta(head: _Head, node: LexborNode, attributes: dict[str, str | None]) -> None:
    content = attributes.get("content") or ""
    if (attributes.get("name") or "").strip().lower() in ("robots", head.agent):
        head.directives.update(_directives(content))
    pragma = (attributes.get("http-equiv") or "").strip().lower()
    if pragma == "content-language":
        head.content_language = head.content_language or content
    elif pragma == "refresh" and not _is_inside(node, "noscript"):
        _note_refresh(head, content)


def _directives(content: str) -> set[str]:
    return {word.strip().lower() for word in content.split(",")}


def _tag_directives(value: str, agent: str) -> set[str]:
    """The directives of an X-Robots-Tag that are for us: `otherbot: noindex` is not.

    >>> sorted(_tag_directives("nofollow, otherbot: noindex, noarchive", "ncf"))
    ['nofollow']
    """
    found, ours = set(), True
    for part in value.lower().split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if not colon:
            rest = name
        elif name in _DIRECTIVES_WITH_VALUE or not _TOKEN.fullmatch(name):
            continue  # a directive's value, or the time of day in it
        else:
            ours = name == agent
        if ours:
            found.add(rest)
    return found


def _note_refresh(head: _Head, content: str) -> None:
    """Take a refresh for a link when it sends the reader on soon (HTML standard, shared declarative refresh steps)."""
    match = _REFRESH.match(content)
    if match is None:
        return
    delay = match["delay"].lstrip("0") or "0"
    target = match["url"].partition(match["quote"])[0] if match["quote"] else match["url"]
    if target and len(delay) <= len(str(MAX_REFRESH_DELAY)) and int(delay) <= MAX_REFRESH_DELAY:
        head.links.append(_Written("refresh", target))


def _resolve(
    written: Iterable[_Written], address: str, base: str, charset: str, max_links: int
) -> tuple[tuple[Link, ...], int]:
    """Links by target and rel, in the order of their first appearance, and how many were dropped."""
    own = urls.canonical(address)
    found: dict[tuple[str, tuple[str, ...]], _Found] = {}
    dropped = 0
    for one in written:
        target = urls.join(base, one.reference, charset)
        if target is None:
            continue
        url = urls.canonical(target) if len(target) <= urls.MAX_LENGTH else None
        if url == own:
            continue
        rel = _rel(one.rel)
        known = found.get((url, rel)) if url else None
        if known is not None:
            known.count += 1
            known.text = known.text or _text(one)
        elif url and len(found) < max_links:
            found[url, rel] = _Found(target, one.kind, _text(one))
        else:
            dropped += 1
    links = (Link(url, link.address, rel, link.text, link.kind, link.count) for (url, rel), link in found.items())
    return tuple(links), dropped


def _rel(rel: str | None) -> tuple[str, ...]:
    return tuple(sorted(set(clean(rel).lower().split()))) if rel else ()


def _text(link: _Written) -> str:
    node = link.node
    if node is None or link.kind not in ("a", "area"):
        return ""
    if link.kind == "area":
        return clean(node.attributes.get("alt") or "", TEXT_LENGTH)
    text = clean(node.text(), TEXT_LENGTH)
    if text or node.first_child is None:
        return text
    image = node.css_first("img[alt]")
    return clean(image.attributes.get("alt") or "", TEXT_LENGTH) if image is not None else ""


def clean(text: str, length: int | None = None) -> str:
    """Fold white space, remove control characters and lone surrogates, and cut.

    >>> clean(" a\\n\\tb\\0 ", 2)
    'a'
    """
    return " ".join(_JUNK.sub("", text).split())[:length].rstrip()


def _language(tag: str) -> str:
    tag = tag.strip().lower().replace("_", "-")
    return tag if len(tag) <= 35 and _LANGUAGE.fullmatch(tag) else ""  # RFC 5646 4.4.1: 35 characters hold any tag


def _canonical(reference: str | None, address: str, base: str, charset: str) -> str:
    target = urls.join(base, reference, charset) if reference else None
    if target is None or len(target) > urls.MAX_LENGTH or urls.server(target) != urls.server(address):
        return ""
    return urls.canonical(target) or ""
