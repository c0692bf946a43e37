"""What was found on an earlier visit, until the server has grown by half."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters import chain
from filters.base import Rule, view
from filters.learned import Learned, Lesson
from tests.filters.servers import PATIENTLY, Server, people

RULE = Rule("/u/", 3, "components", "they hang together")
PEOPLE = people("/v/", ("ann", "bob", "cid"))


def filter_of(pages: int, *rules: Rule) -> Learned:
    return Learned({"h.example": Lesson(pages, rules)})


def fetched(count: int) -> list[str]:
    return [f"/u/{number}/x" for number in range(count)]


@pytest.mark.parametrize(
    ("then", "now", "holds"),
    [
        (10, 10, True),
        (10, 14, True),
        (10, 15, False),  # grown by half
        (10, 3, True),  # a store that was cleared has no better knowledge
        (9, 13, True),
        (9, 14, False),
        (1, 1, True),
        (1, 2, False),
        (0, 1, True),
        (0, 2, False),
        (0, 0, True),
    ],
)
def test_a_lesson_holds_until_the_server_has_grown_by_half(then: int, now: int, holds: bool) -> None:
    verdict = filter_of(then, RULE).judge(view("h.example", (), fetched=fetched(now)))
    assert (verdict is not None) == holds


@PATIENTLY
@given(st.integers(1, 60), st.integers(0, 100))
def test_grown_by_half_in_one_line(then: int, now: int) -> None:
    verdict = filter_of(then, RULE).judge(view("h.example", ("/not/fetched",), fetched=fetched(now)))
    assert (verdict is not None) == (2 * now < 3 * then)


def test_the_opinion_is_the_rules_of_then_with_reason_and_counts() -> None:
    """A rule keeps the filter that found it."""
    verdict = filter_of(1, RULE).judge(view("h.example", ()))
    assert verdict is not None
    assert (verdict.rules, verdict.filter, verdict.reason) == ((RULE,), "learned", "judged before, on 1 page")
    assert verdict.counts == {"pages": 1, "rules": 1}


def test_that_nothing_was_found_is_a_lesson_too() -> None:
    verdict = filter_of(8).judge(view("h.example", ()))
    assert verdict is not None
    assert (verdict.rules, verdict.reason, verdict.counts) == (
        (),
        "judged before, on 8 pages",
        {"pages": 8, "rules": 0},
    )


@pytest.mark.parametrize("server", ["other.example", "a.h.example", "h.example:8080", "127.0.0.1", ""])
def test_a_lesson_is_about_one_server(server: str) -> None:
    """Not about hosts below it, and not about another port."""
    assert filter_of(10, RULE).judge(view(server, ())) is None


def judge(pages: int, server: Server = PEOPLE, *, everyone: bool = False) -> chain.Decision:
    tables = chain.Tables(lessons={"h.example": Lesson(pages, (RULE,))})
    return chain.judge(server.view(), chain.chain(tables), everyone=everyone)


def test_filters_5_and_6_rest_while_a_lesson_holds() -> None:
    found = judge(5)
    assert not found.judged
    assert {"components", "backlinks"}.isdisjoint(dict(found.opinions))
    assert (found.layout.rules, found.learned) == ((RULE,), ())


def test_filters_5_and_6_judge_again_when_the_server_has_grown() -> None:
    found = judge(4)
    assert found.judged
    assert dict(found.opinions)["learned"] is None
    assert [rule.prefix for rule in found.learned] == [rule.prefix for rule in found.layout.rules] == ["/v/"]


def test_everyone_is_asked_and_the_lesson_decides_still() -> None:
    """`explain` shows what filters 5 and 6 would say; the sites are those that the others would get."""
    found, short = judge(5, everyone=True), judge(5)
    assert dict(found.opinions)["components"] is not None
    assert list(dict(found.opinions))[-3:] == ["components", "backlinks", "ecfc"]
    assert (found.layout.rules, found.judged, found.learned) == (short.layout.rules, False, ())


@pytest.mark.parametrize("without", ["learned", "nothing"])
def test_a_lesson_can_be_left_out(without: str) -> None:
    tables = chain.Tables(lessons={"h.example": Lesson(5, (RULE,))})
    found = chain.judge(PEOPLE.view(), chain.chain(tables, without=(without,)))
    assert [rule.prefix for rule in found.layout.rules] == (["/v/"] if without == "learned" else ["/u/"])


def test_a_lesson_that_nothing_stands_there_keeps_a_server_whole() -> None:
    tables = chain.Tables(lessons={"h.example": Lesson(6, ())})
    assert chain.decide(PEOPLE.view(), chain.chain(tables)).site("/v/ann/") == ("/", None)


def test_what_was_found_is_what_is_learned_and_decides_the_same() -> None:
    """Judged once, kept, and read again: no path changes its site."""
    first = chain.judge(PEOPLE.view(), chain.chain())
    tables = chain.Tables(lessons={"h.example": Lesson(len(PEOPLE.fetched), first.learned)})
    again = chain.judge(PEOPLE.view(), chain.chain(tables))
    assert again.layout.rules == first.layout.rules
    assert [again.layout.site(path) for path in PEOPLE.fetched] == [first.layout.site(path) for path in PEOPLE.fetched]
