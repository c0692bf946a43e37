"""ECFC: rules of filters 5 and 6 are withdrawn where their sites are cliques."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.base import Rule
from filters.correction import MODES, OFF, PAPER, RULES, correct
from tests.filters.literal import Literal
from tests.filters.servers import LONG, Server

if TYPE_CHECKING:
    from collections.abc import Iterable

    from filters.base import Verdict


def rule(prefix: str, level: int) -> Rule:
    return Rule(prefix, level, "backlinks", "few links")


U, V = rule("/u/", 3), rule("/v/", 3)


def homes(place: str, count: int) -> list[str]:
    return [f"{place}{number}/" for number in range(count)]


def server(pages: Iterable[str], links: Iterable[tuple[str, str]]) -> Server:
    return Server(fetched=frozenset(pages), links=tuple(links))


def gone(verdict: Verdict | None) -> list[str]:
    return [one.prefix for one in verdict.rules] if verdict else []


@pytest.mark.parametrize(
    ("clique", "sites", "withdrawn"),
    [
        (4, 4, True),
        (4, 7, True),  # 4 of 7 are more than half
        (4, 8, False),  # half is not more than half
        (3, 3, False),  # smaller cliques are friends
        (5, 9, True),
        (5, 10, False),
    ],
)
def test_a_rule_goes_when_more_than_half_of_its_sites_all_link_to_each_other(
    clique: int, sites: int, withdrawn: bool
) -> None:
    links = permutations(homes("/u/", clique), 2)
    verdict = correct(server(homes("/u/", sites), links).view(), [U])
    assert gone(verdict) == (["/u/"] if withdrawn else [])


def test_the_verdict_has_its_reason_and_its_counts() -> None:
    verdict = correct(server(homes("/u/", 4), permutations(homes("/u/", 4), 2)).view(), [U, V])
    assert verdict is not None
    assert (verdict.filter, verdict.counts) == ("ecfc", {"rules": 1, "cliques": 1})
    assert verdict.reason == "the rule for /u/ is withdrawn: more than half of its sites all link to each other"


def test_sites_that_were_never_had_are_not_counted() -> None:
    """They could not have linked back: four of four fetched sites are a clique, whatever else is known."""
    links = [*permutations(homes("/u/", 4), 2), *(("/u/0/", home) for home in homes("/u/", 20))]
    assert gone(correct(server(homes("/u/", 4), links).view(), [U])) == ["/u/"]


def test_links_one_way_make_no_clique() -> None:
    seen = server(homes("/u/", 6), combinations(homes("/u/", 6), 2)).view()
    assert [correct(seen, [U], mode) for mode in MODES] == [None] * 3


def test_a_clique_across_two_rules_withdraws_neither() -> None:
    """Friends from two places know each other; a bar stays in its own."""
    friends = [*homes("/u/", 3), *homes("/v/", 3)]
    assert correct(server(friends, permutations(friends, 2)).view(), [U, V]) is None


def test_the_papers_wording_undoes_everything_for_two_friends() -> None:
    seen = server([*homes("/u/", 9), *homes("/v/", 9)], permutations(homes("/u/", 2), 2)).view()
    assert gone(correct(seen, [U, V], PAPER)) == ["/u/", "/v/"]
    assert correct(seen, [U, V], RULES) is None


def test_off_corrects_nothing() -> None:
    assert correct(server(homes("/u/", 5), permutations(homes("/u/", 5), 2)).view(), [U], OFF) is None


@pytest.mark.parametrize("mode", MODES)
def test_nothing_to_correct(mode: str) -> None:
    """No rules; rules for a place that is not there; a server without pages."""
    seen = server(homes("/u/", 5), permutations(homes("/u/", 5), 2)).view()
    assert correct(seen, [], mode) is None
    assert correct(seen, [rule("/not/there/", 4), rule("/u/", 9)], mode) is None
    assert correct(Server().view(), [U], mode) is None


def test_pages_deep_in_a_site_speak_for_it() -> None:
    """Links between any two pages are links between their sites; those above the users' level are nobody's."""
    deep = [f"{home}x/y.html" for home in homes("/u/", 4)]
    links = [(a + "x/y.html", b) for a, b in permutations(homes("/u/", 4), 2)]
    assert gone(correct(server(deep, links).view(), [U])) == ["/u/"]
    assert correct(server(deep, permutations([f"/u/{number}" for number in range(4)], 2)).view(), [U]) is None


def brute_force(seen: Server, rules: list[Rule], mode: str) -> set[str]:
    """Maximal cliques by a look at every subset, and the definition word for word."""
    home = Literal(seen).home
    site = {page: (top, one.prefix) for page in home for one in rules if (top := _top(one, home[page]))}
    links = {(site[a][0], site[b][0]) for a, b in seen.links if a in site and b in site}
    sites = sorted({end for link in links for end in link})
    mutual = {frozenset((a, b)) for a, b in links if a != b and (b, a) in links}
    subsets = [set(some) for size in range(2, len(sites) + 1) for some in combinations(sites, size)]
    cliques = [some for some in subsets if all(frozenset(pair) in mutual for pair in combinations(some, 2))]
    maximal = [one for one in cliques if not any(one < other for other in cliques)]
    if mode == PAPER:
        return {one.prefix for one in rules} if maximal else set()
    owner = dict(site.values())
    inside = {one for some in maximal if len(some) >= 4 and len({owner[one] for one in some}) == 1 for one in some}
    had = {site[page][0] for page in seen.fetched if page in site}
    mine = {one.prefix: [{top for top in tops if owner[top] == one.prefix} for tops in (inside, had)] for one in rules}
    return (
        {prefix for prefix, (caught, every) in mine.items() if 2 * len(caught) > len(every)} if mode != OFF else set()
    )


def _top(one: Rule, home: str) -> str:
    """The site of a page by a rule; empty when the rule does not speak of it."""
    if not home.startswith(one.prefix) or home.count("/") < one.level:
        return ""
    return "/".join(home.split("/")[: one.level]) + "/"


@st.composite
def neighbors(draw: st.DrawFn) -> Server:
    """Up to eight sites in two places, many of which link to each other both ways."""
    sites = [*homes("/u/", draw(st.integers(1, 6))), *homes("/v/", draw(st.integers(0, 4)))][:8]
    pages = [*sites, *(f"{site}x.html" for site in sites), "/", "/u/"]
    friends = [pair for pair in combinations(sites, 2) if draw(st.integers(0, 5))]
    others = draw(st.lists(st.tuples(st.sampled_from(pages), st.sampled_from(pages)), max_size=8))
    links = [*friends, *((b, a) for a, b in friends if draw(st.integers(0, 9))), *others]
    return Server(tuple(pages), frozenset(page for page in pages if draw(st.integers(0, 4))), tuple(links))


@LONG
@given(
    neighbors(),
    st.sampled_from([[U, V], [U], [rule("/", 2)], [rule("/", 3)], [rule("/", 3), V], [U, rule("/none/", 3)]]),
    st.sampled_from(MODES),
)
def test_corrections_are_those_of_brute_force(seen: Server, rules: list[Rule], mode: str) -> None:
    assert set(gone(correct(seen.view(), rules, mode))) == (brute_force(seen, rules, mode) if mode != OFF else set())
