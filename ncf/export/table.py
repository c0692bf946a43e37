"""Results as tables for people."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.model import Cut
    from ncf.result import Community, Result

FILE_WIDTH = 120  # columns, where no terminal says otherwise


def show(result: Result, console: Console) -> None:
    """Print the communities, what they were made from, and what was cut off."""
    if result.communities:
        console.print(_communities(result))
    else:
        console.print("no communities found")
    for line in summary(result):
        console.print(Text(line))


def text(result: Result) -> str:
    """The same as plain text, for a file."""
    out = io.StringIO()
    show(result, Console(file=out, width=FILE_WIDTH, color_system=None))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _communities(result: Result) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("size", justify="right")
    table.add_column("site (* seed)", overflow="fold")
    table.add_column("title", overflow="fold")
    titles = {row.site: row.title for row in result.sites}
    for community in result.communities:
        _add(table, community, titles)
    return table


def _add(table: Table, community: Community, titles: dict[str, str]) -> None:
    head = (str(community.rank), str(community.size))
    for number, site in enumerate(community.sites):
        mark = "* " if site in community.seeds else "  "
        # Text, never a string: rich would read [/] in a title as markup.
        cells = (Text(mark + clean(site)), Text(clean(titles.get(site, ""))))
        table.add_row(*(head if number == 0 else ("", "")), *cells, end_section=number == community.size - 1)


def summary(result: Result) -> list[str]:
    """Counts, what was cut off and the seeds that could not be had, a line each."""
    pairs = sum(link.mutual for link in result.links) // 2
    servers = len({row.server for row in result.sites})
    stats = result.stats
    lines = [
        f"{count(len(result.communities), 'community', 'communities')} among {count(len(result.sites), 'site')} "
        f"on {count(servers, 'server')}; {count(len(result.links), 'link')} between sites, "
        f"{count(pairs, 'mutual pair')}.",
        f"{count(int(stats['fetched']), 'page')} fetched, {int(stats['failed'])} failed "
        f"({int(stats['refused_by_robots'])} refused by robots.txt), {stats['seconds']} s.",
    ]
    lines += cut_lines(result.cut)
    lines += [f"Seed not used: {clean(seed)}: {clean(why)}" for seed, why in result.seed_failures.items()]
    return lines


def cut_lines(cuts: Iterable[Cut]) -> list[str]:
    """What budgets cut off, a line each."""
    return [f"Cut off by {cut.what}: {clean(cut.detail)}" for cut in cuts]


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun.

    >>> count(1, "page"), count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"
