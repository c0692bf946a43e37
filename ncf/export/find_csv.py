"""The communities as CSV: a row for each site of each community, for a spreadsheet or a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncf.export.csv import rows_text
from ncf.export.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ncf.result import Community, LinkRow, Result, SiteRow

# The partner is another site of the community: the first of its seeds, or else of its sites, that is not the site
# itself. `page` stands in the site and links to `target` in the partner; `partner_page` links back to `partner_target`.
COLUMNS = (
    "community",
    "size",
    "site",
    "title",
    "server",
    "pages",
    "hops",
    "is_seed",
    "partner",
    "links",
    "page",
    "target",
    "partner_links",
    "partner_page",
    "partner_target",
)


def text(result: Result) -> str:
    """One line for each site of each community, in the order of their ranks, with the pages of one mutual link."""
    rows = {row.site: row for row in result.sites}
    links = {(link.source, link.target): link for link in result.links}
    return rows_text(COLUMNS, (row for community in result.communities for row in _rows(community, rows, links)))


def _rows(
    community: Community, rows: Mapping[str, SiteRow], links: Mapping[tuple[str, str], LinkRow]
) -> Iterator[list[object]]:
    partners = list(dict.fromkeys((*community.seeds, *community.sites)))[:2]
    for site in community.sites:
        row = rows[site]
        partner = next((one for one in partners if one != site), "")
        known = (community.rank, community.size, site, row.title, row.server, row.pages, row.hops)
        seed = "true" if site in community.seeds else "false"
        there, back = links.get((site, partner)), links.get((partner, site))
        yield [_safe(one) for one in (*known, seed, partner, *_link(there), *_link(back))]


def _link(link: LinkRow | None) -> tuple[object, ...]:
    return ("", "", "") if link is None else (link.count, *link.evidence)


def _safe(one: object) -> object:
    """Text without controls, so that what stands behind them is seen when formulas are looked for."""
    return clean(one) if isinstance(one, str) else one
