"""A person's own rules: they come before every filter and are final."""

from __future__ import annotations

import pytest

from filters import chain
from filters.base import view
from filters.own_rules import OwnRules
from filters.patterns import parse
from tests.filters.servers import levels, opinion, people

TEXT = "h.example/staff\t3\tmine\nh.example\t1\nusers.h.example\t2\n.below.example\t2\n"
OWN = OwnRules(parse(TEXT))


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("h.example", {"/staff/": 3, "/": 1}),
        ("h.example:8080", {"/staff/": 3, "/": 1}),  # a port is no other host
        ("www2.h.example", {"/staff/": 3, "/": 1}),
        ("users.h.example", {"/": 2}),
        ("a.below.example", {"/": 2}),
        ("below.example", {}),
        ("other.example", {}),
        ("127.0.0.1:81", {}),
        ("[::1]", {}),
    ],
)
def test_whom_the_rules_speak_of(server: str, expected: dict[str, int]) -> None:
    assert levels(OWN.judge(view(server, ()))) == expected


def test_the_opinion_has_its_reason_and_its_counts() -> None:
    verdict = opinion(OWN, view("www2.h.example", ()))
    assert verdict.reason == "your rules speak of h.example"
    assert verdict.counts == {"lines": 2}
    assert verdict.rules[0].reason == "h.example/staff has its users at level 3 (mine)"


def test_without_rules_there_is_no_opinion() -> None:
    assert OwnRules().judge(view("h.example", ("/~alice/",))) is None


PARENTS = {"users": frozenset({"people"})}


@pytest.mark.parametrize(
    ("line", "path", "top"),
    [
        ("h.example\t1", "/~alice/x", "/"),  # not even a tilde
        ("h.example\t1", "/users/ann/x", "/"),
        ("h.example\t2", "/users/ann/x", "/users/"),
        ("h.example\t2", "/users/index.html", "/users/"),
        ("h.example\t3", "/~alice/x/y", "/~alice/x/"),
        ("h.example/users\t1", "/users/ann/x", "/"),
        ("h.example/users\t2", "/users/~bob/x", "/users/"),
        ("h.example/users/a*\t3", "/users/ann", "/users/ann/"),
        ("h.example/deep/er\t4", "/deep/er/x/y", "/deep/er/x/"),
    ],
)
def test_a_persons_rule_is_final(line: str, path: str, top: str) -> None:
    """Filter 0, the tilde, conventions and a known organisation all say something else."""
    tables = chain.Tables(
        own=parse(line), suffixes=parse("h.example\t5"), parents=PARENTS, organisations={"h.example": "Acme"}
    )
    seen = view("h.example", (*people("/users/", ("ann", "bob", "cid")).fetched, path))
    assert chain.decide(seen, chain.chain(tables)).site(path)[0] == top


def test_what_a_rule_does_not_speak_of_is_left_to_the_filters() -> None:
    tables = chain.Tables(own=parse("h.example/users/a*\t3"), parents=PARENTS)
    seen = view("h.example", (*people("/users/", ("ann", "bob", "cid")).fetched, "/~eve/"))
    layout = chain.decide(seen, chain.chain(tables))
    found = [layout.site(path)[1] for path in ("/users/ann/", "/users/bob/", "/~eve/")]
    assert [rule.filter for rule in found if rule] == ["rules", "conventions", "tilde"]


def test_a_persons_rule_goes_before_filter_0() -> None:
    """The same line in both tables: only the person's is heard, though both opinions are kept."""
    tables = chain.Tables(own=parse("geocities.co.jp\t2"), suffixes=parse("geocities.co.jp\t3"))
    found = chain.judge(view("geocities.co.jp", ("/a/b/c",)), chain.chain(tables))
    assert [(rule.filter, rule.level) for rule in found.layout.rules] == [("rules", 2)]
    assert dict(found.opinions)["suffixes"] is not None


@pytest.mark.parametrize(
    ("line", "path", "top"),
    [
        ("h.example\t4", "/a/~x/y/z", "/a/~x/y/"),  # the tilde makes /a/~x/ of it
        ("h.example\t3", "/users/a/ann/x", "/users/a/"),  # conventions make /users/a/ann/ of it
    ],
)
def test_a_persons_rule_is_final_below_its_prefix_too(line: str, path: str, top: str) -> None:
    tables = chain.Tables(own=parse(line), parents=PARENTS)
    known = (path, "/users/b/bob/x", "/users/c/cid/x", "/users/d/dan/x")
    assert chain.decide(view("h.example", known), chain.chain(tables)).site(path)[0] == top
