"""The summary of a crawl, for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncf.export.json import SCHEMA, cuts, dumps
from ncf.export.table import count, cut_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ncf.collect import Collecting


def json_text(collecting: Collecting, places: Sequence[str], *, stopped: bool) -> str:
    """One JSON document."""
    stats = collecting.stats
    document = {
        "schema": SCHEMA,
        "seeds": list(collecting.errand.starts),
        "complete": not collecting.cut and not stopped,
        "stopped": stopped,
        "cut": cuts(collecting.cut),
        "kept": list(places),
        "stats": {
            "fetched": stats.fetched,
            "pages": stats.html,
            "cached": stats.unchanged,
            "failed": stats.failed,
            "refused_by_robots": stats.refused_by_robots,
            "requests": stats.requests,
            "bytes": stats.bytes,
            "seconds": round(stats.seconds, 1),
            "reasons": {str(reason): number for reason, number in sorted(stats.reasons.items())},
        },
    }
    return dumps(document) + "\n"


def text(collecting: Collecting, places: Sequence[str], *, stopped: bool) -> str:
    """Lines for people."""
    stats = collecting.stats
    head = "stopped: " if stopped else ""
    lines = [
        f"{head}{count(stats.fetched, 'page')} from {count(stats.servers, 'server')}, {stats.failed} failed "
        f"({stats.refused_by_robots} refused by robots.txt), {stats.seconds:.1f} s; kept in {' and '.join(places)}",
        *cut_lines(collecting.cut),
    ]
    return "\n".join(lines) + "\n"
