"""`find` on the recorded Web of 1997, beside an independent list of its communities; skipped where the data is not."""

from __future__ import annotations

import asyncio
import csv
from collections import defaultdict, deque
from functools import cache
from typing import TYPE_CHECKING

import pytest

from crawler import urls
from crawler.model import Fetched
from crawler.recording.archive import Archive
from crawler.recording.reading import records
from crawler.recording.replay import Replay
from crawler.settings import REPLAY
from ncf import find
from ncf.growth import Access, Limits
from ncf.inlinks import recording
from ncf.store.store import Store
from tests.support.shared import SHARED

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = SHARED / "data/webkb"
WARC = FOLDER / "webkb-cornell-texas-washington.warc.gz"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the shared data is not here")

BERSHAD = "http://www.cs.washington.edu/homes/bershad/"
MANY = Limits(max_pages=1 << 40, sites_per_step=1 << 40)


@cache
def gold() -> dict[str, str]:
    """The site of every recorded page, by name: a person's, or the host."""
    with (FOLDER / "pages.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {urls.key(row["url"]): site_name(row["user_site"]) or urls.server(row["url"]) for row in rows}


def site_name(text: str) -> str:
    return urls.key(f"http://{text}").rstrip("/") if text else ""


@cache
def near(seed: str) -> frozenset[str]:
    """The sites that two links lead to."""
    out = defaultdict[str, set[str]](set)
    with Archive.open([WARC]) as archive:
        for record in records(archive):
            if isinstance(record, Fetched) and record.page:
                ends = (gold().get(urls.key(url)) for url in (record.url, *(link.url for link in record.page.links)))
                source, *targets = ends
                out[source or ""].update(target for target in targets if source and target)
    found, queue = {seed: 0}, deque([seed])
    while queue:
        site = queue.popleft()
        for target in out[site] - found.keys() if found[site] < 2 else ():
            found[target] = found[site] + 1
            queue.append(target)
    return frozenset(found)


def listed(seed: str) -> list[set[str]]:
    """The communities of three or more near a seed, without hosts: which of a host's names counts, the filters say."""
    rows = [set(line.split("\t")) for line in (FOLDER / "communities.tsv").read_text().splitlines()]
    return [{site for site in row if "/" in site} for row in rows if len(row) >= 3 and row <= near(seed)]


async def found(seed: str, path: Path, *, inlinks: bool) -> list[set[str]]:
    with Archive.open([WARC]) as archive, Store.open(path) as store:
        web = recording.name_of(archive)
        sources = {"recording": recording.source(store, archive, web)} if inlinks else {}
        question = find.Question((seed,), 2, limits=MANY, inlinks=tuple(sources))
        async with Replay(archive) as replayed:
            means = find.Means(store, Access(REPLAY, replayed), web=web, sources=sources)
            result = await find.find(question, means)
    return [{urls.key(site).rstrip("/") for site in community.sites} for community in result.communities]


def start(site: str) -> str:
    """A recorded page of a site to begin at."""
    return min((url for url, name in gold().items() if name == site), key=lambda url: (len(url), url))


def test_bershads_community_is_found(tmp_path: Path) -> None:
    communities = asyncio.run(found(BERSHAD, tmp_path / "s.sqlite", inlinks=False))
    three = {f"cs.washington.edu/homes/{name}" for name in ("bershad", "romer", "wolman")}
    assert any(three <= community for community in communities)
    expected = listed("cs.washington.edu/homes/bershad")
    held = [any(row <= community for community in communities) for row in expected]
    assert sum(held) >= 0.9 * len(held) > 0


def test_a_seed_off_the_beaten_track(tmp_path: Path) -> None:
    """Its page links nowhere and nobody links to it: what stands above it does."""
    seed = "cs.cornell.edu/Info/People/amith"
    communities = asyncio.run(found(f"http://{start(seed)}", tmp_path / "s.sqlite", inlinks=False))
    expected = listed(seed)
    assert sum(any(row <= community for community in communities) for row in expected) >= 0.9 * len(expected) > 0
