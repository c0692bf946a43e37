"""The looks of a site: HTML of four eras around the same blocks."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from tests.support.demoweb.chance import Chance
from tests.support.demoweb.markup import a, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.demoweb.markup import Page
    from tests.support.demoweb.people import Site

    Menu = Sequence[tuple[str, str]]  # links and what they are called

CHARSETS = {
    "utf-8": "utf-8",
    "shift_jis": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "iso2022_jp": "ISO-2022-JP",
    "cp1251": "windows-1251",
    "koi8_r": "KOI8-R",
    "iso-8859-1": "ISO-8859-1",
}
_COLOURS = ("#ffffff", "#ffffee", "#eeeeff", "#000033", "#f0fff0", "#fff5ee")
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)")


def dress(site: Site, style: str, page: Page, menu: Menu) -> str:
    """A whole HTML page in the style of its site."""
    if page.frames:
        return _frameset(site, page)
    return {"old": _old, "frames": _old, "plain": _plain, "table": _table, "modern": _modern}[style](site, page, menu)


def encoded(site: Site, text: str) -> bytes:
    """The bytes of a page; what its encoding lacks is written by number."""
    codec = "ascii" if site.charset_said == "nowhere" else site.codec
    return text.encode(codec, "xmlcharrefreplace")


def _head(site: Site, page: Page, meta: str) -> str:
    said = meta if site.charset_said in ("meta", "both") else ""
    base = f'<base href="{site.url}">\n' if "base" in site.traits else ""
    author = f'<meta name="author" content="{html.escape(site.owner)}">\n'
    return f"{said}{base}<title>{text(page.title)}</title>\n{author}{page.head}"


def _equivalent(site: Site) -> str:
    return f'<meta http-equiv="Content-Type" content="text/html; charset={CHARSETS[site.codec]}">\n'


def _frameset(site: Site, page: Page) -> str:
    frames = "\n".join(page.blocks)
    return (
        f"<html>\n<head>\n{_head(site, page, _equivalent(site))}</head>\n"
        f'<frameset cols="180,*">\n{frames}\n</frameset>\n</html>\n'
    )


def _old(site: Site, page: Page, menu: Menu) -> str:
    """HTML 3.2: capitals, colours, and paragraphs that nobody ends."""
    colour = Chance("colour", site.key).pick(_COLOURS)
    ink = ' text="#ffffcc" link="#ffcc66"' if colour == "#000033" else ""
    links = " |\n".join(a(*entry) for entry in menu)
    body = "\n".join(page.blocks).replace("</p>", "").replace("</li>", "").replace("</td>", "")
    shouted = _TAG.sub(
        lambda found: f"<{found[1]}{found[2].upper()}",
        f"<body bgcolor={colour}{ink}>\n<center><h1>{text(page.title)}</h1></center>\n<hr>\n{body}\n"
        f"<hr>\n<center>[ {links} ]</center>\n</body>\n</html>\n",
    )
    return f"<HTML>\n<HEAD>\n{_head(site, page, _equivalent(site))}</HEAD>\n{shouted}"


def _plain(site: Site, page: Page, menu: Menu) -> str:
    """HTML 4, as the standard has it."""
    links = " · ".join(a(*entry) for entry in menu)
    return (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">\n'
        f'<html lang="{site.language}">\n<head>\n{_head(site, page, _equivalent(site))}</head>\n<body>\n'
        f"<h1>{text(page.title)}</h1>\n" + "\n".join(page.blocks) + f"\n<p>{links}</p>\n</body>\n</html>\n"
    )


def _table(site: Site, page: Page, menu: Menu) -> str:
    """HTML 4 with a column of links at the left, made of a table."""
    links = "<br>\n".join(a(*entry) for entry in menu)
    return (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n'
        f"<html>\n<head>\n{_head(site, page, _equivalent(site))}</head>\n<body>\n"
        f'<table width="760" cellpadding="8">\n<tr><td width="150" valign="top">\n<b>{text(site.title)}</b><br>\n'
        f'{links}\n</td>\n<td valign="top">\n<h1>{text(page.title)}</h1>\n'
        + "\n".join(page.blocks)
        + "\n</td></tr>\n</table>\n</body>\n</html>\n"
    )


def _modern(site: Site, page: Page, menu: Menu) -> str:
    """HTML 5."""
    links = "\n".join(f"<li>{a(*entry)}</li>" for entry in menu)
    meta = f'<meta charset="{CHARSETS[site.codec].lower()}">\n'
    return (
        f'<!doctype html>\n<html lang="{site.language}">\n<head>\n{_head(site, page, meta)}'
        '<meta name="viewport" content="width=device-width">\n</head>\n<body>\n'
        f"<header><h1>{text(page.title)}</h1>\n<nav><ul>\n{links}\n</ul></nav></header>\n<main>\n"
        + "\n".join(page.blocks)
        + f"\n</main>\n<footer><p>{text(site.owner)}</p></footer>\n</body>\n</html>\n"
    )
