"""What filters 0 and 1 find in a list of URLs, by host suffix: for data without labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler import urls
from filters import suffixes, tilde
from ncf import data, knowledge, sites
from ncf.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from filters.base import Rule

_NODE = 3  # fields of a line `n ID URL`, as in Kleinberg's graphs


@dataclass(frozen=True, slots=True)
class Row:
    """The sites that one filter found below one suffix."""

    filter: str
    suffix: str
    sites: int
    pages: int


@dataclass(frozen=True, slots=True)
class Listing:
    """What was found in all."""

    pages: int
    servers: int
    sites: int
    tilde_pages: int
    tilde_right: int  # pages with a ~ that lie in the site which their first ~ names
    rows: tuple[Row, ...]


def read(path: Path) -> list[str]:
    """The canonical URLs of a file: one in a line, or as the nodes of a graph in lines `n ID URL`."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    found = {url for url in map(urls.canonical, _texts(lines)) if url}
    if not found:
        raise UsageError(f"{path} holds no http or https URL")
    return sorted(found)


def _texts(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        fields = line.split()
        if len(fields) >= _NODE and fields[0] == "n":
            yield fields[2]
        elif fields and "://" in fields[0]:
            yield fields[0]


def listing(found: Iterable[str]) -> Listing:
    """Put every URL into its site by what its address tells, and count by filter and suffix."""
    pages = list(found)
    layouts = sites.layouts_of(pages, knowledge.filters(without=("rules", "learned")))
    counts: Counter[tuple[str, str]] = Counter()
    members: dict[tuple[str, str], set[str]] = defaultdict(set)
    every, right, with_tilde = set(), 0, 0
    for url in pages:
        site = sites.site_of(url, layouts)
        every.add(site.key)
        named = _tilde_site(url)
        with_tilde += bool(named)
        right += bool(named) and named == site.key
        if site.rule is not None and site.rule.filter in (suffixes.NAME, tilde.NAME):
            row = (site.rule.filter, _suffix(site.server, site.rule))
            counts[row] += 1
            members[row].add(site.key)
    rows = tuple(Row(*row, len(members[row]), counts[row]) for row in counts)
    order = sorted(rows, key=lambda row: (-row.sites, row.filter, row.suffix))
    return Listing(len(pages), len(layouts), len(every), with_tilde, right, tuple(order))


def _tilde_site(url: str) -> str:
    """The key of the site that the first ~ of a URL names; empty when it has none."""
    server, path = urls.place(url)
    start = path.find("/~")
    end = path.find("/", start + 1)
    return "" if start < 0 else f"{server}{path if end < 0 else path[:end]}/"


def _suffix(server: str, rule: Rule) -> str:
    """What a site is counted under: the database's own suffix, or the registered domain."""
    host = server.partition(":")[0]
    if rule.filter == suffixes.NAME and (entries := data.tables().suffixes.about(host)):
        return entries[0].host
    return suffixes.private_suffix(host) or urls.registered_domain(host) or host
