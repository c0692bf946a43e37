"""The demo web is what it is said to be: the recording, its pages and servers, and the communities in it."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import pytest

from crawler import robots, urls
from crawler.model import Alias, Failed, Fetched
from crawler.recording.archive import Archive
from crawler.recording.reading import records
from ncf import data, recorded
from ncf.atlas import chart
from ncf.rules import RuleBook
from ncf.store import servers
from tests.support.demoweb import spellings, truth
from tests.support.demoweb.answers import ROBOTS, book
from tests.support.demoweb.people import PERSONAL, sites
from tests.support.demoweb.record import recording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.model import Page, Record

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
WARC = DEMO / "demo.warc.gz"
KEPLER = "http://kepler-college.example"
WHATWG = {
    "utf-8": "utf-8",
    "shift_jis": "shift_jis",
    "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp",
    "cp1251": "windows-1251",
    "koi8_r": "koi8-r",
    "iso-8859-1": "windows-1252",  # as browsers read it
}


@pytest.fixture(scope="module")
def answers() -> tuple[Record, ...]:
    """Everything in the recording but robots.txt."""
    with Archive.open([WARC]) as archive:
        assert not archive.skipped
        return tuple(records(archive))


@pytest.fixture(scope="module")
def pages(answers: tuple[Record, ...]) -> Mapping[str, Page]:
    """The HTML pages, by key; the one that has two addresses once."""
    found = (one for one in answers if isinstance(one, Fetched) and "?" not in one.url)
    return {urls.key(one.url): one.page for one in found if one.page}


@pytest.fixture(scope="module")
def leads(answers: tuple[Record, ...]) -> Mapping[str, str]:
    """Where the addresses lead that lead elsewhere."""
    found = ((urls.key(one.url), urls.key(one.target)) for one in answers if isinstance(one, Alias))
    return {name: target for name, target in found if name != target}


@cache
def table(name: str) -> list[dict[str, str]]:
    """A table of data/demo."""
    with (DEMO / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def site_of(name: str) -> str:
    """The site of sites.tsv that a page lies in; empty when it lies in none."""
    tops = (row["site"] for row in table("sites.tsv") if name.startswith(urls.key(row["site"])))
    return max(tops, key=len, default="")


def end(name: str, leads: Mapping[str, str]) -> str:
    """Where an address leads in the end."""
    while name in leads:
        name = leads[name]
    return name


def test_the_checked_in_files_are_what_the_generator_makes() -> None:
    """Unpacked, because another zlib packs the same records into other bytes."""
    assert gzip.decompress(recording()) == gzip.decompress(WARC.read_bytes())
    assert (DEMO / "sites.tsv").read_text("utf-8") == truth.site_table()
    assert (DEMO / "communities.tsv").read_text("utf-8") == truth.community_table()


def test_it_is_as_large_as_it_is_said_to_be(answers: tuple[Record, ...], pages: Mapping[str, Page]) -> None:
    hosts = {urls.server(one.address if isinstance(one, Fetched) else one.url) for one in answers}
    assert 75 <= len(table("sites.tsv")) <= 85
    assert 900 <= len(pages) <= 1100
    assert 23 <= len(hosts) <= 27
    sizes = sorted(one.length for one in answers if isinstance(one, Fetched) and one.page)
    assert 1000 <= sizes[len(sizes) // 2] <= 4000
    assert sizes[-1] <= 4000


def test_there_is_a_site_of_every_kind() -> None:
    kinds = Counter(row["kind"] for row in table("sites.tsv"))
    assert set(PERSONAL) | {"college", "company", "department", "portal", "ring", "farm"} <= set(kinds)
    assert {row["language"] for row in table("sites.tsv")} == {"en", "ja", "ru"}
    hosts = {urls.server(row["site"]) for row in table("sites.tsv")}
    assert sum(host.endswith(".pages.example") for host in hosts) >= 3  # hosts that a platform gave away


def test_every_page_says_its_title_whatever_its_encoding(pages: Mapping[str, Page]) -> None:
    expected = {urls.key(site.url + page.path): page.title for site in sites().values() for page in book(site)[1]}
    assert {name: page.title for name, page in pages.items()} == expected


def test_encodings_are_declared_in_every_way_and_read_right(pages: Mapping[str, Page]) -> None:
    ways = set()
    for site in sites().values():
        if site.charset_said != "nowhere":
            read = {page.charset for name, page in pages.items() if site_of(name) == site.url}
            assert read == {WHATWG[site.codec]}, site.key
            ways.add((site.codec, site.charset_said))
    assert {codec for codec, _ in ways} == set(WHATWG)
    for codec in ("shift_jis", "euc_jp", "cp1251", "koi8_r"):
        assert {(codec, "header"), (codec, "meta")} <= ways


def test_every_page_can_be_reached_by_links(pages: Mapping[str, Page], leads: Mapping[str, str]) -> None:
    linked = {end(urls.key(link.url), leads) for page in pages.values() for link in page.links}
    assert pages.keys() <= linked


def test_links_between_sites_make_the_communities_that_are_planned(
    pages: Mapping[str, Page], leads: Mapping[str, str]
) -> None:
    """Told from the recorded pages alone: the communities are known by construction, and the pages keep to it."""
    ends = {(site_of(name), site_of(end(urls.key(link.url), leads))) for name in pages for link in pages[name].links}
    mutual = nx.Graph((a, b) for a, b in ends if a and b and a != b and (b, a) in ends)
    found = {frozenset(clique) for clique in nx.find_cliques(mutual)}
    assert found == {frozenset(row["sites"].split()) for row in table("communities.tsv")}


def test_most_communities_speak_of_one_topic() -> None:
    """And some do not: what is found around a seed is not all about the seed's topic."""
    mixed = [row for row in table("communities.tsv") if len(row["topics"].split()) > 1]
    assert 0 < len(mixed) <= len(table("communities.tsv")) / 5
    assert len({row["topics"] for row in table("communities.tsv")}) >= 12


def test_the_seeds_are_people_and_organisations_in_many_topics() -> None:
    """And all communities of a seed are related to its topic."""
    seeds = truth.seeds()
    assert len(seeds) == 10
    assert len({seed.topic for seed in seeds}) >= 9
    assert 4 <= sum(seed.is_personal for seed in seeds) <= 6
    for seed in seeds:
        own = [members for row in table("communities.tsv") if seed.url in (members := row["sites"].split())]
        assert own
        assert all(truth.is_related(seed.topic, members) for members in own)


def test_the_demos_seed_has_a_community() -> None:
    assert any(data.DEMO_SEED in row["sites"].split() for row in table("communities.tsv"))


def test_there_are_dead_links(answers: tuple[Record, ...], pages: Mapping[str, Page]) -> None:
    gone = {urls.key(one.url) for one in answers if isinstance(one, Failed) and one.status == 404}
    linked = {urls.key(link.url) for page in pages.values() for link in page.links}
    assert len(gone) >= 10
    assert gone <= linked
    assert any(not site_of(name) for name in linked - {urls.key(one.url) for one in answers})  # on no recorded server


def test_there_are_redirects(answers: tuple[Record, ...], pages: Mapping[str, Page], leads: Mapping[str, str]) -> None:
    """For good and for a time, in chains, to other sites and servers, and none into the void."""
    statuses = Counter(hop.status for one in answers if isinstance(one, Alias) for hop in one.redirects)
    assert statuses[301] >= 20
    assert statuses[302] >= 5
    assert all(end(name, leads) in pages for name in leads)
    linked = {urls.key(link.url) for page in pages.values() for link in page.links}
    assert {urls.key(old) for old in spellings.OLD_NAMES.values()} <= linked
    assert leads[urls.key(spellings.OLD_NAMES["orion"])] in leads


def test_a_robots_txt_forbids_what_pages_link_to(pages: Mapping[str, Page]) -> None:
    rules = robots.parse(ROBOTS[f"{KEPLER}/robots.txt"].encode(), "ncf")
    linked = {link.url for page in pages.values() for link in page.links}
    for address in (f"{KEPLER}/private/minutes.html", f"{KEPLER}/~anna/drafts/"):
        assert address in linked
        assert urls.key(address) in pages
        assert not rules.allows(address)
    assert rules.allows(data.DEMO_SEED)


def test_the_filters_find_every_site_and_no_other() -> None:
    """The servers of the recording, divided by the filters alone."""
    with recorded.opened(None, [WARC]) as store:
        hosts = {urls.server(row["site"]) for row in table("sites.tsv")}
        atlas = chart(store, RuleBook(), hosts)
        found = {atlas.site(page.url).key for page in servers.pages(store, hosts) if page.fetched}
        assert found == {urls.key(row["site"]) for row in table("sites.tsv")}
        by = {rule.filter for host in hosts for rule in atlas.decision(host).layout.rules}
        assert {"tilde", "conventions", "one_directory", "page_count", "components"} <= by
