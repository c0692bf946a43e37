"""The budget, dealt out."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from crawler.ledger import Cost, Leave, Ledger, Purse
from crawler.model import Alias, Budget, Cut, Failed, Fetched, Page, Reason

AT = datetime(2026, 11, 18, tzinfo=UTC)
NAMES = "abcdefgh"


def page(url: str = "http://a/") -> Fetched:
    return Fetched(url, url, url, 0, 200, AT, page=Page())


def test_shares_are_equal_and_the_first_by_name_get_what_is_over() -> None:
    """7 for three: 3, 2, 2. When a has spent 1 and b 2 and c wants no more, 4 are left: 2 more for each."""
    ledger = Ledger(Budget(max_pages=7, max_requests=100), "cab")
    spent = {}
    for name, most in (("a", 1), ("b", 2), ("c", 0)):
        spent[name] = 0
        while spent[name] < most and ledger.admits(name) is Leave.YES:
            ledger.emitted(page(), name, Cost.PAGE)
            spent[name] += 1
    assert ledger.admits("b") is Leave.NOT_YET
    assert ledger.deal({"a", "b"})
    for name in "ab":
        while ledger.admits(name) is Leave.YES:
            ledger.emitted(page(), name, Cost.PAGE)
            spent[name] += 1
    assert spent == {"a": 3, "b": 4, "c": 0}
    assert not ledger.deal({"a", "b"})


@given(st.integers(0, 60), st.lists(st.integers(0, 20), min_size=1, max_size=len(NAMES)))
def test_all_is_dealt_and_nobody_is_favoured(limit: int, wants: list[int]) -> None:
    """Each group gets what it wants or as much as any other, give or take one a round; nothing is left over."""
    names = NAMES[: len(wants)]
    purse, had = Purse(limit, names), dict.fromkeys(names, 0)
    wanting = [name for name, want in zip(names, wants, strict=True) if want]
    rounds = 0
    while wanting and purse.left:
        rounds += 1
        purse.deal(wanting)
        for name in wanting:
            while had[name] < wants[names.index(name)] and purse.allows(name, 0):
                purse.spend(name)
                had[name] += 1
        wanting = [name for name in wanting if had[name] < wants[names.index(name)]]
    assert sum(had.values()) == min(limit, sum(wants))
    short = [had[name] for name in wanting]
    assert not short or max(had.values()) <= min(short) + rounds


def test_pages_under_way_keep_their_places() -> None:
    ledger = Ledger(Budget(max_pages_per_group=2))
    ledger.started("a")
    assert ledger.admits("a") is Leave.YES
    ledger.started("a")
    assert ledger.admits("a") is Leave.NOT_YET
    ledger.landed("a")
    ledger.landed("a")
    ledger.emitted(page(), "a", Cost.PAGE)
    assert ledger.admits("a") is Leave.YES
    ledger.emitted(page(), "a", Cost.NOTHING)
    assert ledger.admits("a") is Leave.NO
    assert ledger.cut() == [Cut("pages-per-site", "1 known pages of a were not asked for")]


def test_what_is_free_costs_no_share() -> None:
    ledger = Ledger(Budget(max_pages=1), "ab")
    assert (ledger.admits("b"), ledger.admits("b", free=True)) == (Leave.NOT_YET, Leave.YES)
    ledger.emitted(page(), "b", Cost.NOTHING)
    assert ledger.admits("a") is Leave.YES


def test_a_request_costs_whatever_comes_of_it() -> None:
    ledger = Ledger(Budget(max_requests=3))
    ledger.emitted(Failed("", "", 0, Reason.STATUS, "", AT), "a", Cost.REQUEST)
    ledger.emitted(Alias("", "", 0, ()), "a", Cost.REQUEST)
    assert ledger.open()
    ledger.started("a")
    assert not ledger.open()


def test_why_it_ended() -> None:
    for budget, stopped, what in (
        (Budget(max_pages=0), "", "max-pages"),
        (Budget(max_requests=0), "", "max-requests"),
        (Budget(max_seconds=0), "", "minutes"),
        (Budget(max_pages=0), "stopped", "stopped"),
        (Budget(), "network", "network"),
    ):
        ledger = Ledger(budget)
        ledger.close(3, stopped)
        (cut,) = ledger.cut()
        assert cut.what == what
        assert "3 known pages were not asked for" in cut.detail
