"""What holds for every server, whatever the filters say of it."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from filters import backlinks, chain, components
from filters.base import ServerView, view
from filters.conventions import Conventions
from filters.layout import Layout
from filters.learned import Lesson
from filters.names import Names
from filters.patterns import parse
from tests.filters.servers import LONG, PATIENTLY, Server, people, servers
from tests.filters.test_layout import scanned

if TYPE_CHECKING:
    from filters.base import Rule

LIMITS = chain.Limits(
    components.Limits(agreement=0.5, kinship=1.0, topical=0.9),
    backlinks.Limits(siblings=2, kinship=1.0, topical=0.9, at_root=1),
)  # so low that small servers get opinions
NAMES = Names(frozenset({"news"}))
PARENTS = {"users": frozenset({"people"}), "b": frozenset({"group"})}
LINES = st.sampled_from(("/a\t1", "/a\t2", "/users/*\t3", "\t3", "/#*\t2", "/ann\t4", "/b/~*\t3"))
SERVERS = servers(segments=("a", "b", "ann", "bell", "users", "news", "~x", "7", "@y", "@z"))


@st.composite
def chains(draw: st.DrawFn, own: bool = True) -> chain.Chain:
    """Filters with tables that speak of some servers and not of others."""
    suffixes, mine = draw(st.lists(LINES, max_size=2)), draw(st.lists(LINES, max_size=2)) if own else []
    tables = chain.Tables(
        own=parse("\n".join(f"h.example{line}" for line in mine)),
        suffixes=parse("\n".join(f"h.example{line}" for line in suffixes)),
        organisations={"h.example": "Acme"} if draw(st.integers(0, 5)) == 0 else {},
        parents=PARENTS if draw(st.booleans()) else {},
        names=NAMES,
    )
    return chain.chain(tables, limits=LIMITS, ecfc=draw(st.sampled_from(("rules", "paper", "off"))))


@LONG
@given(SERVERS, chains())
def test_every_path_lies_in_one_site_and_shares_its_prefix(server: Server, filters: chain.Chain) -> None:
    """A site's top directory is a beginning of its pages' paths, and the administrator's takes what is left."""
    seen = server.view()
    layout = chain.decide(seen, filters)
    for path in seen.paths:
        top, rule = layout.site(path)
        assert f"{path}/".startswith(top)
        assert top.endswith("/")
        assert layout.site(top) == (top, rule) or top == "/"
        assert (rule is None) <= (top == "/")


@LONG
@given(SERVERS, chains())
def test_more_specific_rules_win(server: Server, filters: chain.Chain) -> None:
    """Of the rules that the filters left, the longest that speaks of a path decides alone."""
    seen = server.view()
    layout = chain.decide(seen, filters)
    assert [layout.site(path) for path in seen.paths] == [
        scanned(layout.rules, seen.directories, path) for path in seen.paths
    ]


MANY = tuple(f"b{letter}d" for letter in "abcdefghijklmnopqr")


def nested(layout: Layout, paths: tuple[str, ...]) -> list[tuple[Rule, str, Rule]]:
    """Sites that stand inside another: the outer rule and site, and the inner rule."""
    sites = {top: rule for top, rule in map(layout.site, paths) if rule is not None and top != "/"}
    pairs = ((outer, inner) for outer in sites for inner in sites if outer != inner and inner.startswith(outer))
    return [(sites[outer], outer, sites[inner]) for outer, inner in pairs]


@LONG
@given(SERVERS, chains(own=False))
def test_a_site_inside_another_has_a_longer_rule(server: Server, filters: chain.Chain) -> None:
    """Sites share no page: where one directory stands in another, the longer rule takes its pages out of the outer."""
    seen = server.view()
    layout = chain.decide(seen, filters)
    assert all(inner.prefix.startswith(top) for _, top, inner in nested(layout, seen.paths))


def test_an_at_users_directories_are_their_own() -> None:
    seen = view("h.example", ("/@dan/x", "/@eve/x", "/@dan/users/ann/x", "/@dan/users/bob/x"))
    assert nested(chain.decide(seen, chain.chain(chain.Tables(parents=PARENTS))), seen.paths) == []


def test_a_longer_line_takes_its_pages_out_of_the_outer_site() -> None:
    layout = Layout(entry.rule("rules") for entry in parse("h.example\t2\nh.example/a/b\t4").about("h.example"))
    assert [layout.site(path)[0] for path in ("/a/x", "/a/b/c/x", "/a/b/x")] == ["/a/", "/a/b/c/", "/"]


def shuffled(seen: ServerView, seed: int) -> ServerView:
    """The same server, its links in another order and its sets made anew."""
    order = list(range(len(seen.sources)))
    random.Random(seed).shuffle(order)
    titles = list(seen.titles.items())
    random.Random(seed).shuffle(titles)
    return replace(seen, sources=seen.sources[order], targets=seen.targets[order], titles=dict(titles))


@LONG
@given(SERVERS, chains(), st.integers(0, 99))
def test_the_order_of_pages_and_links_changes_nothing(server: Server, filters: chain.Chain, seed: int) -> None:
    """Rules, reasons, counts and sites are the same."""
    mixed = list(server.paths), list(server.links), sorted(server.fetched)
    for column in mixed:
        random.Random(seed).shuffle(column)
    again = Server(tuple(mixed[0]), frozenset(mixed[2]), tuple(mixed[1]), server.complete, server.titles).view()
    first, others = chain.judge(server.view(), filters), (again, shuffled(server.view(), seed))
    for other in (chain.judge(one, filters) for one in others):
        assert (first.opinions, first.learned, first.judged) == (other.opinions, other.learned, other.judged)
        assert first.layout.rules == other.layout.rules
        assert first.layout.directories == other.layout.directories


@PATIENTLY
@given(servers(complete=False), chains())
def test_a_crawl_that_was_cut_off_never_passes_for_a_small_server(server: Server, filters: chain.Chain) -> None:
    opinions = dict(chain.explain(server.view(), filters))
    assert opinions["one_directory"] is None
    assert opinions["page_count"] is None


def test_more_pages_of_the_same_server_can_only_end_a_small_one() -> None:
    """The whole crawl says one site, and the first half of it nothing yet."""
    whole = Server(fetched=frozenset({"/a/x", "/a/y"}), complete=True)
    half = Server(paths=("/a/y",), fetched=frozenset({"/a/x"}))
    assert [len(chain.decide(one.view(), chain.chain()).rules) for one in (whole, half)] == [1, 0]


FINAL = st.sampled_from(
    ("\t1", "\t2", "\t4", "/a\t1", "/a\t5", "/a\t2", "/a\t3", "/users\t3", "/users/b*\t3", "/a/b\t4", "/#*\t2")
)


@LONG
@given(SERVERS, chains(own=False), st.sets(FINAL, min_size=1, max_size=3))
@example(people("/u/", MANY[:6]), chain.chain(), {"\t1"})
def test_a_persons_rule_is_final(server: Server, filters: chain.Chain, lines: set[str]) -> None:
    """Of what a person's rules speak of, nobody else has a say."""
    own = parse("\n".join(f"h.example{line}" for line in sorted(lines)))
    lesson = {"h.example": Lesson(99, chain.judge(server.view(), filters).learned)}
    mine, taught = chain.chain(chain.Tables(own=own, lessons=lesson)), chain.chain(chain.Tables(own=own))
    seen = server.view()
    alone = Layout((entry.rule("rules") for entry in own.about("h.example")), seen.directories)
    for found in (mine, taught, chain.Chain((taught.filters[0], *filters.filters[1:]), filters.ecfc)):
        layout = chain.decide(seen, found)
        said = [path for path in seen.paths if alone.site(path)[1] is not None]
        assert [layout.site(path) for path in said] == [alone.site(path) for path in said]


ODD = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ("", "..", ".", "...", "~", "~~", "*", "#", "@", "%", "%7E", "%2F", "users", "日本", "\u202e", "💥", "a" * 500)
    ),
)


@LONG
@given(st.lists(st.lists(ODD, max_size=6), max_size=8), st.booleans(), st.integers(0, 99))
@example([["a"] * 1000, ["a"] * 999 + ["~x", "y"], [""] * 1000], True, 1)
@example([["users"] * 1000, ["users", *"abc"] * 250, ["~x"] * 1000], True, 2)
def test_odd_paths_never_raise(names: list[list[str]], complete: bool, seed: int) -> None:
    """Every path that a server could send has a site; what the filters say has a reason."""
    paths = ["/" + "/".join(segments) for segments in names]
    dice = random.Random(seed)
    links = [(dice.choice(paths), dice.choice(paths)) for _ in range(2 * len(paths))]
    seen = view(
        "h.example", paths, fetched=paths[::2], links=links, complete=complete, titles=dict.fromkeys(paths, "A B")
    )
    tables = chain.Tables(parents=PARENTS, suffixes=parse("h.example/@*\t2"))
    found = chain.judge(seen, chain.chain(tables, limits=LIMITS))
    assert all(verdict.reason for _, verdict in found.opinions if verdict)
    assert all(f"{path}/".startswith(found.layout.site(path)[0]) for path in seen.paths)


@pytest.mark.parametrize(
    "server", ["", "h.example", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:81", "h", "a.gitlab.io"]
)
def test_a_server_of_which_nothing_is_known(server: str) -> None:
    for complete in (False, True):
        layout = chain.decide(view(server, (), complete=complete), chain.chain())
        assert [layout.site(path)[0] for path in ("/", "/a", "/~a/b"[:2])] == ["/"] * 3


@PATIENTLY
@given(SERVERS)
def test_a_filter_that_is_left_out_leaves_no_rule(server: Server) -> None:
    tables = chain.Tables(parents=PARENTS, names=NAMES)
    for name in (item.name for item in chain.chain(tables).filters):
        layout = chain.decide(server.view(), chain.chain(tables, without=(name,), limits=LIMITS))
        assert all(rule.filter != name for rule in layout.rules)


def test_conventions_can_be_switched_off() -> None:
    """SPEC section 4: so that evidence alone can be measured."""
    seen = view("h.example", ("/users/ann/x", "/users/bob/x"))
    tables = chain.Tables(parents=PARENTS)
    assert Conventions(PARENTS).judge(seen) is not None
    assert chain.decide(seen, chain.chain(tables, without=("conventions",))).rules == ()
