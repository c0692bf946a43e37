"""The contract's JSON."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

from ncf.export.text import UNSAFE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.model import Cut
    from ncf.result import Community, HubRow, LinkRow, Result, SiteRow

SCHEMA = 1


def document(result: Result) -> dict[str, Any]:
    """The result of find, in the contract's words."""
    return {
        "schema": SCHEMA,
        "run": result.run,
        "seeds": list(result.seeds),
        "growth": result.growth,
        "method": result.method,
        "complete": result.complete,
        "cut": cuts(result.cut),
        "sites": [_site(row) for row in result.sites],
        "aliases": dict(result.aliases),
        "links": [_link(row) for row in result.links],
        "communities": [_community(row) for row in result.communities],
        "similar": [],
        "claims": dict(zip(("asked", "checked", "held"), result.claims, strict=True)),
        "stats": dict(result.stats),
        "hubs": [_hub(row) for row in result.hubs if row.kind],
        "excluded": [_excluded(row) for row in result.hubs if not row.kind],
        "seed_failures": dict(result.seed_failures),
    }


def cuts(given: Iterable[Cut]) -> list[dict[str, str]]:
    """What budgets cut off."""
    return [{"what": cut.what, "detail": cut.detail} for cut in given]


def dumps(value: object) -> str:
    """JSON text that is readable, and safe to print: what could steer a terminal stays escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(_escaped(char) if _is_unsafe(char) else char for char in text)


def _is_unsafe(char: str) -> bool:
    return char > "\x7e" and unicodedata.category(char) in UNSAFE


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1] if char != "\x7f" else "\\u007f"


def _site(row: SiteRow) -> dict[str, Any]:
    rule = row.rule
    return {
        "site": row.site,
        "server": row.server,
        "title": row.title,
        "pages": row.pages,
        "hops": row.hops,
        "rule": {"prefix": rule.prefix, "level": rule.level, "filter": rule.filter, "reason": rule.reason},
    }


def _link(row: LinkRow) -> dict[str, Any]:
    return {
        "source": row.source,
        "target": row.target,
        "count": row.count,
        "mutual": row.mutual,
        "evidence": list(row.evidence),
    }


def _community(row: Community) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "size": row.size,
        "sites": list(row.sites),
        "seeds": list(row.seeds),
        "score": None,
        "one_owner": None,
    }


def _hub(row: HubRow) -> dict[str, Any]:
    return {"site": row.site, "kind": row.kind, "linked": row.linked}


def _excluded(row: HubRow) -> dict[str, Any]:
    return {"site": row.site, "pattern": row.pattern, "linked": row.linked}
