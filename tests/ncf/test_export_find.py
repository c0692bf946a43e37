"""What `find` prints: the result, nothing but the result, and nothing that could steer a reader's machine."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from crawler.model import Cut
from filters.base import Rule
from ncf.export import find_csv, table
from ncf.export.json import document, dumps
from ncf.export.text import UNSAFE
from ncf.result import Community, HubRow, LinkRow, Result, SiteRow

if TYPE_CHECKING:
    from pathlib import Path

ANNA, BEN, SKY, CHIYO = "http://k.example/~anna/", "http://k.example/~ben/", "https://sky.example/", "http://c.example/"
RULE = Rule("/", 2, "tilde", "names that begin with ~ below / are users")
STATS = {"fetched": 425, "cached": 31, "failed": 12, "refused_by_robots": 7, "requests": 471, "seconds": 8.6}
HOSTILE = [
    "\x1b[2J\x1b[31mred",
    "\x1b]8;;http://evil.example/\x07click\x1b]8;;\x07",
    "\x1b]52;c;aGk=\x07\x1b]0;title\x07",
    "\x9b31m\x90\x85",
    "\u202egnp.exe\u202c\u200b\u2066",
    "[/bold] [red]x[/red] [link=http://evil.example/]y[/link]",
    "a\nb\r\nc\u2028d\x0be",
    "\x00\x08\x7f\ud800\ufeff",
    "=1+1",
    " =cmd|' /C calc'!A0",
    "\x1b+1",
    "\u200b@SUM(A1)",
    '-"quoted", and; more',
    "x" * 40_000,
]


def site(address: str, title: str = "", pages: int = 5, hops: int = 1) -> SiteRow:
    return SiteRow(address, address.split("/")[2], title, pages, hops, RULE)


def both_ways(*sites: str) -> tuple[LinkRow, ...]:
    """All sites link to each other, from a page that is named after the other one."""
    return tuple(
        LinkRow(one, other, 1, mutual=True, evidence=(f"{one}to-{sites.index(other)}.html", other))
        for one, other in permutations(sites, 2)
    )


def result(**changes: object) -> Result:
    """Anna, Ben and Sky link to each other; so do Ben and Chiyo."""
    made = Result(
        run=1,
        seeds=(ANNA,),
        growth=2,
        method="cliques",
        cut=(),
        sites=(
            site(ANNA, "Anna's observatory", 13, 0),
            site(BEN, "Ben's radio shack", 10, 1),
            site(SKY, "Night Sky", 1234567, 1),
            site(CHIYO, "", 9, 2),
        ),
        aliases={"www.k.example": "k.example"},
        links=(*both_ways(ANNA, BEN, SKY), *both_ways(BEN, CHIYO)),
        communities=(Community(1, (ANNA, BEN, SKY), (ANNA,)), Community(2, (BEN, CHIYO), ())),
        stats=STATS,
    )
    return replace(made, **changes)  # type: ignore[arg-type] # the fields of a result, by name


def drawn(told: Result, width: int = 80, top: int | None = None) -> str:
    """What a terminal without colours gets."""
    out = io.StringIO()
    table.show(told, Console(file=out, width=width, force_terminal=True, color_system=None), top)
    return out.getvalue()


def many(number: int) -> Result:
    """So many pairs around Anna."""
    others = [f"http://h{place}.example/" for place in range(number)]
    return result(
        sites=(site(ANNA, hops=0), *map(site, others)),
        links=tuple(link for other in others for link in both_ways(ANNA, other)),
        communities=tuple(Community(rank, (ANNA, other), (ANNA,)) for rank, other in enumerate(others, 1)),
    )


def clique(size: int, seed: int = 0) -> Result:
    """A community of so many sites, with the seed at a place of its own."""
    sites = tuple(f"http://h{place:03}.example/" for place in range(size))
    return result(
        seeds=(sites[seed],),
        sites=tuple(map(site, sites)),
        links=both_ways(*sites),
        communities=(Community(1, sites, (sites[seed],)),),
    )


def hostile(words: str) -> Result:
    """The words stand wherever strangers' words can stand."""
    bad, good = f"http://h.example/{words}/", "http://i.example/"
    return result(
        seeds=(bad,),
        sites=(site(bad, words), site(good, words)),
        links=(
            LinkRow(bad, good, 1, mutual=True, evidence=(f"{bad}{words}.html", f"{good}{words}")),
            LinkRow(good, bad, 1, mutual=True, evidence=(f"{good}{words}", bad)),
        ),
        communities=(Community(1, (bad, good), (bad,)),),
        cut=(
            Cut("stopped", words),
            Cut("pages-per-site", f"3 known pages of {words} were not asked for"),
            Cut(words, "x"),
        ),
        seed_failures={bad: words},
        hubs=(HubRow(bad, "search", "", 3), HubRow(bad, "", words, 2)),
    )


def unsafe(text: str) -> set[str]:
    return {char for char in text if char != "\n" and unicodedata.category(char) in UNSAFE}


# The table


def test_a_community_shows_its_sites_and_the_pages_that_link_them() -> None:
    assert table.text(result()).split("\n\n")[1:3] == [
        "    site (* seed)              pages  hops  title",
        """\
 1  3 sites, with your seed
  * http://k.example/~anna/       13     0  Anna's observatory
    http://k.example/~ben/        10     1  Ben's radio shack
    https://sky.example/     1234567     1  Night Sky
      ~anna/to-1.html → ~ben/          ~anna/ ← ~ben/to-0.html
      ~anna/to-2.html → sky.example/   ~anna/ ← sky.example/to-0.html
      ~ben/to-2.html → sky.example/    ~ben/ ← sky.example/to-1.html""",
    ]


def test_the_pages_of_a_mutual_link_stand_below_each_other_on_a_narrow_terminal() -> None:
    """Left is one site, right the other; the arrow tells which links."""
    shown = drawn(result(), width=60)
    assert "      ~anna/to-1.html → ~ben/\n      ~anna/          ← ~ben/to-0.html\n" in shown


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    """All but an address that is longer than the terminal is wide: it stays whole."""
    long = f"http://k.example/{'deep/' * 60}"
    told = result(
        sites=(*result().sites[:3], site(long, "A title of quite a few words, " * 9)),
        links=(*both_ways(ANNA, BEN, SKY), *both_ways(BEN, long)),
        communities=(result().communities[0], Community(2, (BEN, long), ())),
        hubs=(HubRow("http://google.com/", "search", "", 12),),
    )
    lines = [line for line in drawn(told, width).splitlines() if long not in line]
    assert max(map(len, lines)) <= width
    assert long in drawn(told, width)


def test_every_number_is_in_the_result() -> None:
    told = result(cut=(Cut("max-pages", "77 known pages were not asked for"),), claims=(40, 33, 22))
    shown = re.sub(r"to-\d\.html", "", table.text(told))
    facts = {row.pages for row in told.sites} | {row.hops for row in told.sites}
    facts |= {community.rank for community in told.communities} | {community.size for community in told.communities}
    facts |= {int(one) for one in STATS.values()} | {6}  # seconds are 8.6
    facts |= {40, 33, 22, 77}
    facts |= {len(told.communities), len(told.sites), len(told.links), 4, 3}  # 4 mutual pairs, 3 servers
    assert {int(number) for number in re.findall(r"\d+", shown)} <= facts
    assert "2 communities among 4 sites on 3 servers; 8 links between sites, 4 mutual pairs." in shown
    assert "425 pages fetched, 31 from the store, 12 failed (7 refused by robots.txt), 8.6 s." in shown


def test_communities_come_in_the_order_of_the_result() -> None:
    shown = table.text(many(30))
    assert re.findall(r"^ *(\d+)  2 sites, with your seed$", shown, re.MULTILINE) == [str(n) for n in range(1, 21)]


def test_the_limit_is_said() -> None:
    assert "… and 10 more: --top 30 lists them all; so do --format json and csv." in table.text(many(30))
    assert "… and 25 more: --top 30" in table.text(many(30), top=5)
    assert "more:" not in table.text(many(30), top=30)


def test_pairs_of_the_seed_come_first_and_the_others_are_counted() -> None:
    shown = table.text(clique(6, seed=4))
    assert [line.split()[0] for line in shown.splitlines() if "→" in line] == [
        "h004.example/to-0.html",
        "h004.example/to-1.html",
        "h004.example/to-2.html",
    ]
    assert "… and 12 more pairs" in shown


def test_a_large_community_lists_its_seed_and_counts_the_rest() -> None:
    shown = table.text(clique(90, seed=88))
    assert "  * http://h088.example/" in shown
    assert shown.count("http://") == 30
    assert "… and 60 more sites" in shown


def test_sites_of_one_name_are_told_apart() -> None:
    one, other = "http://a.example/~x/", "http://b.example/~x/"
    told = result(
        sites=(site(one), site(other)), links=both_ways(one, other), communities=(Community(1, (one, other), ()),)
    )
    assert "a.example/~x/to-1.html → b.example/~x/" in table.text(told)


def test_a_page_is_shortened_only_beyond_the_name_of_its_site() -> None:
    """`www.` and a missing last slash make no difference; a page that stands elsewhere keeps its address."""
    links = (
        LinkRow(ANNA, BEN, 1, mutual=True, evidence=("http://www.k.example/~anna", "https://k.example/~ben/a/b.html")),
        LinkRow(BEN, ANNA, 1, mutual=True, evidence=("http://old.example/ben.html", ANNA)),
    )
    shown = table.text(result(links=links, communities=(Community(1, (ANNA, BEN), (ANNA,)),)))
    assert "~anna/ → ~ben/a/b.html   ~anna/ ← old.example/ben.html" in shown


def test_no_communities_is_said_with_advice() -> None:
    none = result(communities=(), links=())
    assert table.text(none).startswith(
        "No communities found: no two of its sites link to each other both ways.\n"
        "Try --growth 3, another seed, or --inlinks for who links here.\n"
    )
    assert "the graph has one site" in table.text(replace(none, sites=none.sites[:1]))


def test_hubs_and_what_was_excluded_stay_visible() -> None:
    hubs = (
        HubRow("http://google.com/", "search", "", 12),
        HubRow("http://www.b.example/forum/", "", "b.example/forum", 1),
    )
    shown = table.text(result(hubs=hubs))
    told = (
        "google.com (search, linked with 12 sites), b.example/forum (excluded by b.example/forum, linked with 1 site)."
    )
    assert f"Not grown through: {told}" in shown
    assert ", and 3 more." in table.text(result(hubs=hubs[:1] * 11))


def test_claims_are_told_when_there_were_any() -> None:
    assert "In-links: 40 links claimed by other sources, 31 checked, 22 held." in table.text(
        result(claims=(40, 31, 22))
    )
    assert "In-links" not in table.text(result())


@pytest.mark.parametrize("what", ["max-pages", "max-requests", "minutes", "sites-per-step", "stopped", "network"])
def test_what_was_cut_off_says_that_it_goes_on(what: str) -> None:
    shown = table.text(result(cut=(Cut(what, "17 known pages were not asked for"),)))
    assert ": 17 known pages were not asked for. The same command goes on from here." in shown


@pytest.mark.parametrize(
    ("what", "advice"),
    [
        ("offline", "Drop --offline"),
        ("pages-per-site", "A larger --pages-per-site"),
        ("effort", "try a smaller --growth"),
    ],
)
def test_what_was_cut_off_says_what_to_do(what: str, advice: str) -> None:
    assert advice in table.text(result(cut=(Cut(what, "17 of them"),)))


def test_each_kind_of_cut_has_one_line() -> None:
    cuts = tuple(Cut("pages-per-site", f"{more} known pages of h/~{more}/ were not asked for") for more in range(1, 41))
    cuts += tuple(Cut("max-hops", f"{more} links") for more in range(1, 6))
    lines = [line for line in table.text(result(cut=cuts)).splitlines() if line.startswith("Cut off by")]
    assert lines == [
        "Cut off by --pages-per-site: 40 sites had more pages: h/~40/ (40 not asked for), h/~39/ (39 not asked for), "
        "h/~38/ (38 not asked for), and 37 more. A larger --pages-per-site asks for them.",
        "Cut off by the limit on depth: 1 links; 2 links; 3 links; and 2 more of this kind.",
    ]


def test_seeds_that_were_not_used_are_told() -> None:
    assert "Seed not used: http://x.example/: HTTP 404\n" in table.text(
        result(seed_failures={"http://x.example/": "HTTP 404"})
    )


def test_a_file_gets_the_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "found.txt"
    table.write(many(3), path, 1)
    assert path.read_text("utf-8") == table.text(many(3), 1)


# Strangers' words


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_steers_the_terminal_or_the_file(words: str) -> None:
    told = hostile(words)
    for shown in (drawn(told), table.text(told), drawn(replace(told, communities=()))):
        assert unsafe(shown) == set()
    assert len(table.text(told).splitlines()) <= len(table.text(hostile("x")).splitlines()) + 4  # no line of their own


def test_markup_is_only_text() -> None:
    words = "[/bold] [red]x[/red]"
    assert words in table.text(hostile(words))


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_json_is_safe_to_print_and_loses_nothing(words: str) -> None:
    told = hostile(words)
    printed = dumps(document(told))
    assert unsafe(printed) == set()
    assert json.loads(printed) == document(told)
    assert json.loads(printed)["sites"][0]["title"] == words


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_csv_has_no_formulas_and_no_controls(words: str) -> None:
    printed = find_csv.text(hostile(words))
    assert unsafe(printed) == set()
    rows = list(csv.reader(io.StringIO(printed)))
    assert [len(row) for row in rows] == [len(find_csv.COLUMNS)] * 3
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@given(st.text())
def test_any_title_is_safe_everywhere(words: str) -> None:
    told = hostile(words)
    for shown in (table.text(told), dumps(document(told)), find_csv.text(told)):
        assert unsafe(shown) == set()


# For programs


def test_json_holds_the_contract() -> None:
    hubs = (HubRow("http://google.com/", "search", "", 12), HubRow("http://b.example/", "", "b.example", 1))
    told = document(result(hubs=hubs, claims=(40, 31, 22), cut=(Cut("max-pages", "1 known page"),)))
    contract = "schema run seeds growth method complete cut sites aliases links communities similar claims stats"
    assert set(told) == {*contract.split(), "hubs", "excluded", "seed_failures"}
    assert told["communities"][0] == {
        "rank": 1, "size": 3, "sites": [ANNA, BEN, SKY], "seeds": [ANNA], "score": None, "one_owner": None,
    }  # fmt: skip
    assert told["links"][0] == {
        "source": ANNA, "target": BEN, "count": 1, "mutual": True, "evidence": [f"{ANNA}to-1.html", BEN],
    }  # fmt: skip
    assert set(told["sites"][0]) == {"site", "server", "title", "pages", "hops", "rule"}
    assert told["claims"] == {"asked": 40, "checked": 31, "held": 22}
    assert set(told["stats"]) >= {"fetched", "cached", "failed", "refused_by_robots", "seconds"}
    assert told["complete"] is False
    assert told["hubs"] == [{"site": "http://google.com/", "kind": "search", "linked": 12}]
    assert told["excluded"] == [{"site": "http://b.example/", "pattern": "b.example", "linked": 1}]
    assert json.loads(dumps(told)) == told


def test_csv_has_a_row_for_each_site_of_each_community() -> None:
    rows = list(csv.DictReader(io.StringIO(find_csv.text(result()))))
    assert [(row["community"], row["site"], row["is_seed"]) for row in rows] == [
        ("1", ANNA, "true"),
        ("1", BEN, "false"),
        ("1", SKY, "false"),
        ("2", BEN, "false"),
        ("2", CHIYO, "false"),
    ]
    assert rows[1] == {
        "community": "1", "size": "3", "site": BEN, "title": "Ben's radio shack", "server": "k.example", "pages": "10",
        "hops": "1", "is_seed": "false", "partner": ANNA, "links": "1", "page": f"{BEN}to-0.html", "target": ANNA,
        "partner_links": "1", "partner_page": f"{ANNA}to-1.html", "partner_target": BEN,
    }  # fmt: skip


def test_csv_without_communities_is_its_head() -> None:
    assert find_csv.text(result(communities=())) == ",".join(find_csv.COLUMNS) + "\n"
