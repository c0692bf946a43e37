"""Small pieces of HTML, and the record of a page before it is dressed."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Page:
    """A page: what it says, without the looks of its site."""

    path: str  # below the site's top directory; empty for the home page
    title: str
    blocks: tuple[str, ...]  # HTML
    head: str = ""  # HTML
    frames: bool = False  # whether it is a frameset; its blocks are the frames


def text(words: str) -> str:
    """Plain text as HTML."""
    return html.escape(words, quote=False)


def a(href: str, label: str, rel: str = "") -> str:
    """A link.

    >>> a("/~ben/", "Ben & co", "nofollow")
    '<a href="/~ben/" rel="nofollow">Ben &amp; co</a>'
    """
    kind = f' rel="{rel}"' if rel else ""
    return f'<a href="{html.escape(href)}"{kind}>{text(label)}</a>'


def p(words: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{text(words)}</p>"


def h(words: str, level: int = 2) -> str:
    """A heading."""
    return f"<h{level}>{text(words)}</h{level}>"


def ul(items: Iterable[str]) -> str:
    """A list of pieces of HTML."""
    return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """A table of pieces of HTML."""
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    return '<table border="1">\n' + "\n".join(f"<tr>{row}</tr>" for row in cells) + "\n</table>"


def relative(source: str, target: str) -> str:
    """A link from one page of a site to another, both as paths below its top.

    >>> relative("", "a/b.html"), relative("a/b.html", ""), relative("a/b.html", "a/c.html"), relative("x.html", "")
    ('a/b.html', '../', '../a/c.html', './')
    """
    return "../" * source.count("/") + target or "./"
