"""Pages whose site is known, to measure the filters by."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from crawler import urls
from ncf.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_GROUPS = ("group", "university")


class Kind(StrEnum):
    """Whose page it is."""

    TILDE = "tilde"  # of a user with a ~
    USER = "user"  # of another user
    ADMIN = "administrator"
    NEUTRAL = "neutral"  # may rightly be a site of its own or not: in no count


@dataclass(frozen=True, slots=True)
class Label:
    """One page's gold."""

    url: str  # canonical
    kind: Kind
    site: str  # key of its site; of an administrator's page, the server's
    group: str = ""  # what belongs together when thresholds are chosen on the others

    @property
    def server(self) -> str:
        """The page's server."""
        return urls.server(self.url)

    @property
    def prefix(self) -> str:
        """The directory that the page's site stands in, with its server."""
        return self.site[: self.site.rindex("/", 0, -1) + 1]


def read(path: Path) -> tuple[Label, ...]:
    """Read a table with a header: url, user_site, neutral, and perhaps tilde_site and a group; each page once."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            missing = {"url", "user_site"} - set(rows.fieldnames or ())
            if missing:
                raise UsageError(f"{path} has no column {' and '.join(sorted(missing))}: it is no table of gold sites")
            found = {urls.key(label.url): label for label in _labels(rows)}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not found:
        raise UsageError(f"{path} holds no page")
    return tuple(found[key] for key in sorted(found))


def _labels(rows: csv.DictReader[str]) -> Iterator[Label]:
    group = next((name for name in _GROUPS if name in (rows.fieldnames or ())), "")
    for row in rows:
        url = urls.canonical(row["url"] or "")
        if url is not None:
            yield _label(url, row, row.get(group) or "")


def _label(url: str, row: Mapping[str, str | None], group: str) -> Label:
    site = (row.get("user_site") or row.get("tilde_site") or "").strip()
    if row.get("neutral") == "1":
        kind = Kind.NEUTRAL
    elif row.get("tilde_site") or "/~" in site:
        kind = Kind.TILDE
    else:
        kind = Kind.USER if site else Kind.ADMIN
    key = urls.key(f"http://{site.partition('://')[2] or site}".rstrip("/") + "/") if site else urls.server(url) + "/"
    return Label(url, kind, key, group)
