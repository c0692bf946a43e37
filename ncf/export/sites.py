"""What `ncf sites` tells, for people and programs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ncf.explain import SITES, WITHDRAWN
from ncf.export.csv import rows_text
from ncf.export.json import SCHEMA, dumps
from ncf.export.parts import add, line, table
from ncf.export.table import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from filters.base import Rule
    from ncf.explain import Explanation, Opinion, ServerInfo, UrlInfo
    from ncf.export.parts import Part

TOP = 30  # sites in a table
_RULES = 10
_PLACES = 2
_CSV = ("server", "site", "title", "pages", "known", "prefix", "level", "filter", "reason")


def json_text(told: Explanation, top: int | None = None) -> str:
    """The contract's document."""
    document = {
        "schema": SCHEMA,
        "urls": [_url(one) for one in told.urls],
        "servers": [_server(one, top) for one in told.servers],
    }
    return dumps(document) + "\n"


def _url(one: UrlInfo) -> dict[str, Any]:
    return {"url": one.url, "server": one.server, "site": one.site, "rule": _rule(one.rule), "joined": one.joined}


def _server(one: ServerInfo, top: int | None) -> dict[str, Any]:
    listed = one.sites[:top]
    return {
        "server": one.server,
        "stored": one.known,
        "aliases": [{"name": join.name, "of": join.of, "reason": join.reason} for join in one.aliases],
        "complete": one.complete,
        "pages": one.pages,
        "known": one.known_pages,
        "sites": [
            {"site": site.site, "title": site.title, "pages": site.pages, "known": site.known, "rule": _rule(site.rule)}
            for site in listed
        ],
        "not_listed": len(one.sites) - len(listed),
        "opinions": [_opinion(opinion) for opinion in one.opinions],
    }


def _opinion(one: Opinion) -> dict[str, Any]:
    return {
        "filter": one.filter,
        "verdict": one.verdict,
        "reason": one.reason,
        "counts": dict(one.counts),
        "rules": [_rule(proposal.rule) | {"decides": proposal.decides} for proposal in one.rules],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    found = {"prefix": rule.prefix, "level": rule.level, "filter": rule.filter, "reason": rule.reason}
    return found | {"only": rule.only} if rule.only else found


def csv_text(told: Explanation, top: int | None = None) -> str:
    """One line for each site."""
    return rows_text(
        _CSV,
        (
            (
                server.server, site.site, site.title, site.pages, site.known,
                site.rule.prefix, site.rule.level, site.rule.filter, site.rule.reason,
            )
            for server in told.servers
            for site in server.sites[:top]
        ),
    )  # fmt: skip


def parts(told: Explanation, top: int | None = None) -> Iterator[Part]:
    """Tables and sentences for people."""
    for url in told.urls:
        yield line(f"{url.url} lies in {url.site}")
        yield line(f"by {_told(url.rule)}: {url.rule.reason}", inset=2)
        if url.joined:
            yield line(f"its server goes by {url.server}: {url.joined}", inset=2)
    for number, server in enumerate(told.servers):
        if number or told.urls:
            yield line()
        yield from _server_parts(server, top or TOP)


def _server_parts(server: ServerInfo, top: int) -> Iterator[Part]:
    yield line(_head(server))
    for join in server.aliases:
        yield line(f"{join.name} is another name of {join.of}: {join.reason}", inset=2)
    yield line()
    if server.sites:
        yield from _site_parts(server, top)
        yield line()
        yield from _rule_parts(server)
        yield line()
    yield from _opinion_parts(server.opinions)


def _head(server: ServerInfo) -> str:
    if not server.known:
        return f"{server.server}: the store knows nothing of it yet. What its name alone tells:"
    whole = "every known page was asked for" if server.complete else "not every known page was asked for"
    return (
        f"{server.server}: {count(len(server.sites), 'site')}, {count(server.pages, 'page')} fetched"
        f" of {server.known_pages} known; {whole}."
    )


def _site_parts(server: ServerInfo, top: int) -> Iterator[Part]:
    found = table("pages", "known", "site", "title", "filter", right=("pages", "known"))
    for site in server.sites[:top]:
        add(found, site.pages, site.known, site.site, site.title, site.rule.filter)
    yield found
    if len(server.sites) > top:
        yield line(f"{len(server.sites) - top} more sites are not listed; --top shows more.")


def _rule_parts(server: ServerInfo) -> Iterator[Part]:
    """The rules that decide, those with most sites first."""
    sites = Counter(site.rule for site in server.sites)
    found = table("sites", "rule", "because", right=("sites",))
    ranked = sorted(sites, key=lambda rule: (-sites[rule], rule.prefix, rule.only))
    for rule in ranked[:_RULES]:
        add(found, sites[rule], _told(rule), rule.reason)
    yield found
    if len(ranked) > _RULES:
        yield line(f"{len(ranked) - _RULES} more rules are not listed; --format json has them all.")


def _told(rule: Rule) -> str:
    return f"{rule.filter}: {_where(rule)}"


def _where(rule: Rule) -> str:
    return f"{rule.only}{'… ' if rule.only else ''}below {rule.prefix} at level {rule.level}"


def _opinion_parts(opinions: tuple[Opinion, ...]) -> Iterator[Part]:
    found = table("filter", "opinion", "because")
    for one in opinions:
        add(found, one.filter, one.verdict, one.reason + _places(one) + _counts(one.counts) + _overruled(one))
    yield found


def _places(one: Opinion) -> str:
    """Where a filter sees users, when that is soon said."""
    found = [proposal.rule for proposal in one.rules if proposal.rule.level > 1 and one.verdict == SITES]
    return f": {' and '.join(_where(rule) for rule in found)}" if 0 < len(found) <= _PLACES else ""


def _counts(counts: Mapping[str, float]) -> str:
    return f" ({', '.join(f'{name} {number:g}' for name, number in counts.items())})" if counts else ""


def _overruled(one: Opinion) -> str:
    lost = sum(not proposal.decides for proposal in one.rules)
    if not lost or one.verdict == WITHDRAWN:
        return ""
    return "; overruled" if lost == len(one.rules) else f"; {lost} of its {len(one.rules)} rules are overruled"
