"""Filter 4: a small server is one site."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters import chain
from filters.base import view
from filters.page_count import PageCount
from tests.filters.servers import PATIENTLY, Server, levels, opinion, people, servers


def pages(count: int) -> list[str]:
    return [f"/{number % 3}/{number}.html" for number in range(count)]


@pytest.mark.parametrize(("count", "small"), [(0, True), (1, True), (20, True), (21, False), (300, False)])
def test_at_most_twenty_pages(count: int, small: bool) -> None:
    verdict = PageCount().judge(view("h.example", (), fetched=pages(count), complete=True))
    assert (verdict is not None) == small
    if verdict is not None:
        assert (levels(verdict), verdict.counts) == ({"/": 1}, {"pages": count})


@pytest.mark.parametrize(("count", "reason"), [(1, "it has 1 page in all"), (2, "it has 2 pages in all")])
def test_the_reason_counts(count: int, reason: str) -> None:
    verdict = opinion(PageCount(), view("h.example", (), fetched=pages(count), complete=True))
    assert (verdict.reason, verdict.rules[0].reason) == (reason, reason)


@pytest.mark.parametrize("count", [0, 1, 20])
def test_a_crawl_that_was_cut_off_is_no_small_server(count: int) -> None:
    assert PageCount().judge(view("h.example", pages(200), fetched=pages(count))) is None


def test_only_fetched_pages_count() -> None:
    """Two hundred dead links and pictures make no large server."""
    assert PageCount().judge(view("h.example", pages(200), fetched=pages(5), complete=True)) is not None


@PATIENTLY
@given(servers(), st.integers(0, 15))
def test_filter_4_in_one_line(server: Server, most: int) -> None:
    assert (PageCount(most).judge(server.view()) is not None) == (server.complete and len(server.fetched) <= most)


@pytest.mark.parametrize(("complete", "top"), [(False, "/u/ann/"), (True, "/")])
def test_evidence_does_not_divide_a_small_server(complete: bool, top: str) -> None:
    """Three people with two pages each are filter 5's, unless that is all there is."""
    server = people("/u/", ("ann", "bob", "cid"))
    whole = Server(fetched=server.fetched, links=server.links, complete=complete)
    assert chain.decide(whole.view(), chain.chain()).site("/u/ann/")[0] == top


def test_users_with_a_tilde_live_on_small_servers_too() -> None:
    seen = view("h.example", (), fetched=["/~ann/x", "/~bob/x", "/news/x"], complete=True)
    layout = chain.decide(seen, chain.chain())
    assert [layout.site(path)[0] for path in seen.paths] == ["/", "/~ann/", "/~bob/"]
