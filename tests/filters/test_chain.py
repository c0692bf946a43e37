"""The order of the filters: the first with an opinion on a prefix wins for it, and every opinion is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters import chain, components, correction
from filters.base import Rule, Verdict, view
from filters.learned import Lesson
from filters.patterns import parse
from tests.filters.servers import LONG, Server, opinion, paths_of, people

if TYPE_CHECKING:
    from filters.base import Filter, ServerView

ORDER = [
    "rules", "suffixes", "tilde", "conventions", "organisations",
    "one_directory", "page_count", "learned", "components", "backlinks",
]  # fmt: skip
TABLES = chain.Tables(
    own=parse("own.example\t2"),
    suffixes=parse("geocities.co.jp\t3\nsites.google.com/view\t3\ngithub.com/*\t2"),
    organisations={"acme.example": "Acme"},
    parents={"users": frozenset({"people"})},
    lessons={"old.example": Lesson(9, (Rule("/m/", 3, "backlinks", "few links"),))},
)
CHAIN = chain.chain(TABLES)


def test_the_order_is_that_of_the_spec() -> None:
    assert [item.name for item in CHAIN.filters] == ORDER


def test_filters_are_left_out_by_name() -> None:
    left = chain.chain(TABLES, without=("tilde", "backlinks"))
    assert [item.name for item in left.filters] == [name for name in ORDER if name not in ("tilde", "backlinks")]
    assert chain.decide(view("h.example", ("/~ann/x",)), left).site("/~ann/x") == ("/", None)


def test_everyone_is_asked_in_order_and_ecfc_at_last() -> None:
    assert [name for name, _ in chain.explain(view("h.example", ("/~ann/x",)), CHAIN)] == [*ORDER, "ecfc"]


def test_a_later_opinion_is_kept_though_it_decides_nothing() -> None:
    opinions = dict(chain.explain(view("geocities.co.jp", ("/~y/p",)), CHAIN))
    assert opinions["suffixes"] is not None
    assert opinions["tilde"] is not None
    assert chain.decide(view("geocities.co.jp", ("/~y/p",)), CHAIN).site("/~y/p")[0] == "/"


def test_no_opinion_on_an_unknown_server_is_one_site() -> None:
    found = chain.judge(view("h.example", ("/a/b",)), CHAIN)
    assert all(verdict is None for _, verdict in found.opinions)
    assert (found.layout.site("/a/b"), found.learned, found.judged) == (("/", None), (), True)


SIX = people("/u/", ("ann", "bob", "cid", "dan", "eve", "fay"))
SMALL = Server(fetched=frozenset({"/x"}), complete=True)


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("rules", view("own.example", ())),
        ("suffixes", view("geocities.co.jp", ())),
        ("suffixes", view("a.gitlab.io", ())),
        ("tilde", view("h.example", ("/~ann",))),
        ("conventions", view("h.example", ("/users/ann/", "/users/bob/"))),
        ("organisations", view("acme.example", ())),
        ("one_directory", SMALL.view()),
        ("page_count", SMALL.view()),
        ("components", SIX.view()),
        ("backlinks", SIX.view()),
    ],
)
def test_every_opinion_has_its_reason_and_its_counts(name: str, server: ServerView) -> None:
    """SPEC section 4: every opinion is kept with its reason and its counts."""
    item = next(item for item in CHAIN.filters if item.name == name)
    verdict = opinion(item, server)
    assert verdict.rules
    assert verdict.reason
    assert verdict.counts


class Says:
    """A filter that says what it is told to."""

    def __init__(self, name: str, *rules: tuple[str, int]) -> None:
        self.name = name
        self._rules = tuple(Rule(prefix, level, name, "because") for prefix, level in rules)

    def judge(self, view: ServerView) -> Verdict | None:
        return Verdict(self._rules, self.name, "because") if self._rules else None


def decided(*filters: Filter, ecfc: str = "rules", server: Server = Server()) -> list[tuple[str, int, str]]:  # noqa: B008  it is frozen
    rules = chain.decide(server.view(), chain.Chain(filters, ecfc)).rules
    return [(rule.prefix, rule.level, rule.filter) for rule in rules]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        (("/", 1), ("/", 2), [0]),  # the first wins
        (("/", 1), ("/u/", 3), [0]),  # one site is not divided
        (("/", 2), ("/u/", 3), [0]),  # nor is a user's
        (("/u/", 3), ("/", 1), [0, 1]),  # what is left of the server
        (("/u/", 3), ("/v/", 3), [0, 1]),
        (("/u/", 3), ("/u/ann/", 4), [0]),
        (("/u/", 4), ("/u/", 3), [0]),
        (("/u/", 1), ("/u/v/", 4), [0]),  # the administrator's
    ],
)
def test_the_first_with_an_opinion_on_a_prefix_wins(
    first: tuple[str, int], second: tuple[str, int], kept: list[int]
) -> None:
    both = [(*first, "one"), (*second, "two")]
    assert decided(Says("one", first), Says("two", second)) == [both[number] for number in kept]


@pytest.mark.parametrize(
    ("five", "six", "kept"),
    [
        (("/u/", 3), ("/u/", 4), [("/u/", 3, "components")]),  # filter 5 stands before filter 6
        (("/u/", 3), ("/u/ann/", 4), [("/u/", 3, "components")]),
        (("/u/ann/", 4), ("/u/", 3), [("/u/", 3, "backlinks")]),  # a user's site is not divided again
        (("/u/", 3), ("/v/", 3), [("/u/", 3, "components"), ("/v/", 3, "backlinks")]),
        (("/u/a/", 4), ("/u/", 4), [("/u/", 4, "backlinks"), ("/u/a/", 4, "components")]),  # the same sites
    ],
)
def test_filters_5_and_6_speak_together(
    five: tuple[str, int], six: tuple[str, int], kept: list[tuple[str, int, str]]
) -> None:
    assert decided(Says("components", five), Says("backlinks", six)) == kept


@pytest.mark.parametrize(("ecfc", "rules"), [("rules", 0), ("paper", 0), ("off", 1)])
def test_what_ecfc_withdraws_is_neither_decided_nor_learned(ecfc: str, rules: int) -> None:
    """Its verdict names what is gone."""
    homes = [f"/u/{name}/" for name in ("ann", "bob", "cid", "dan")]
    server = Server(fetched=frozenset(homes), links=tuple((a, b) for a in homes for b in homes))
    found = chain.judge(server.view(), chain.Chain((Says("components", ("/u/", 3)),), ecfc))
    assert (len(found.layout.rules), len(found.learned)) == (rules, rules)
    assert (dict(found.opinions)[correction.NAME] is None) == (rules == 1)


def test_ecfc_withdraws_only_what_filters_5_and_6_said() -> None:
    homes = [f"/u/{name}/" for name in ("ann", "bob", "cid", "dan")]
    server = Server(fetched=frozenset(homes), links=tuple((a, b) for a in homes for b in homes))
    assert decided(Says("conventions", ("/u/", 3)), ecfc="paper", server=server) == [("/u/", 3, "conventions")]


def test_limits_and_ecfc_are_handed_on() -> None:
    strict = chain.Limits(components=components.Limits(sizable=99))
    found = chain.chain(limits=strict, without=("backlinks",), ecfc="off")
    assert chain.decide(SIX.view(), found).rules == ()
    assert found.ecfc == "off"


@pytest.mark.parametrize(
    ("server", "path", "top"),
    [
        ("h.example", "/~ann/x", "/~ann/"),
        ("h.example", "/dept/~ann", "/dept/~ann/"),
        ("h.example", "/users/ann/x", "/"),  # conventions look at siblings: an address has none
        ("geocities.co.jp", "/a/b/c", "/a/b/"),
        ("github.com", "/alice", "/alice/"),
        ("own.example", "/a/b/c", "/a/"),
        ("acme.example", "/a/b", "/"),
        ("old.example", "/m/ann/x", "/m/ann/"),  # learned on an earlier visit
        ("127.0.0.1:81", "/~ann/x", "/~ann/"),
    ],
)
def test_what_an_address_alone_tells(server: str, path: str, top: str) -> None:
    assert chain.Namer(CHAIN).site(server, path)[0] == top


HOSTS = st.sampled_from(("h.example", "geocities.co.jp", "github.com", "a.gitlab.io", "own.example", "old.example"))


@LONG
@given(HOSTS, st.lists(paths_of(depth=5), min_size=1, max_size=6))
def test_an_address_alone_tells_what_its_own_view_tells(host: str, paths: list[str]) -> None:
    """The namer remembers layouts by server and place of the tilde; that is all that the filters look at."""
    namer, alone = chain.Namer(CHAIN), chain.known_from_url(CHAIN)
    for path in paths:
        assert namer.site(host, path) == chain.decide(view(host, (path,)), alone).site(path)
