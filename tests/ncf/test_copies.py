"""What the store offers a crawl in place of a request: what it holds comes back as it was, while it is good."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from crawler.copies import Copy, Validators
from crawler.model import PASSING, Alias, Failed, Fetched, Link, Page, Reason, Redirect
from ncf.store import runs
from ncf.store.copies import DAY, FOREVER, REST, StoredCopies, Terms
from ncf.store.store import Store
from tests.ncf.test_store import AT, A, B, C

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawler.model import Record

LINKS = (Link(B, B, ("nofollow",), count=2), Link(C, C, kind="refresh"))
PAGE = Page("T", "de", "utf-8", LINKS, 3, "", noindex=True, nofollow=True, text_cut=True)
FETCHED = Fetched(A, A, A, 0, 200, AT, (), "text/html", '"1"', "then", "00", 9, "length", page=PAGE)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.sqlite") as opened:
        yield opened


def kept(store: Store, *records: Record, age: float = 0.0, run: int | None = None, web: int = 0) -> None:
    store.keep_all(records, run=run, web=web)
    with store.writing() as db:
        db.execute("UPDATE pages SET checked_at = checked_at - ?", (age,))


def recall(store: Store, url: str, **terms: float | bool) -> Copy | None:
    copies = StoredCopies(store, replace(Terms(), **terms))  # type: ignore[arg-type]  # each is a field of it
    found = copies.recall(url)
    assert copies.holds(url) is (found is not None)
    return found


def test_a_page_comes_back_whole(store: Store) -> None:
    kept(store, FETCHED)
    found = recall(store, A)
    assert found is not None
    assert isinstance(found.told, Fetched)
    assert found.told.page is not None
    links = sorted(found.told.page.links, key=lambda link: link.url)
    assert replace(found.told, page=found.told.page.with_links(tuple(links))) == FETCHED


def test_a_redirect_comes_back_as_one_hop(store: Store) -> None:
    kept(store, replace(FETCHED, asked=B, redirects=(Redirect(B, 301, C), Redirect(C, 302, A))))
    assert recall(store, B) == Copy(Redirect(B, 301, C))
    assert recall(store, C) == Copy(Redirect(C, 302, A))
    kept(store, Alias(B, A, 0, (Redirect(B, 302, A),)))
    assert recall(store, B) == Copy(Redirect(B, 302, A))


def test_what_failed_at_the_end_of_redirects_failed_there(store: Store) -> None:
    """The name that was asked for only leads there: nothing on the way is asked for again."""
    kept(store, Failed(A, C, 0, Reason.STATUS, "HTTP 404", AT, 404, (Redirect(A, 301, B), Redirect(B, 302, C))))
    assert [recall(store, url) for url in (A, B)] == [Copy(Redirect(A, 301, B)), Copy(Redirect(B, 302, C))]
    assert recall(store, C) == Copy(Failed(C, C, 0, Reason.STATUS, "HTTP 404", AT, 404))


def test_age_decides(store: Store) -> None:
    kept(store, FETCHED, age=2 * DAY)
    assert recall(store, A, fresh=3 * DAY)
    assert recall(store, A, fresh=DAY) is None
    assert recall(store, A, fresh=FOREVER)
    assert StoredCopies(store, Terms(fresh=DAY)).validators(A) == Validators('"1"', "then")
    assert StoredCopies(store, Terms(fresh=DAY)).page(A) is not None


def test_what_this_very_run_asked_for_never_ages_and_is_marked(store: Store) -> None:
    kept(store, FETCHED, age=2 * DAY, run=7)
    found = recall(store, A, run=7, fresh=DAY)
    assert found is not None
    assert found.mine
    assert recall(store, A, run=8, fresh=DAY) is None


def test_a_page_of_another_web_is_no_copy(store: Store) -> None:
    kept(store, FETCHED, web=1)
    assert recall(store, A) is None
    assert recall(store, A, web=1)
    assert StoredCopies(store, Terms()).validators(A) is None


@pytest.mark.parametrize("reason", list(Reason))
def test_what_may_be_over_is_asked_again(store: Store, reason: Reason) -> None:
    """Not in a recording, which never changes its mind, nor offline."""
    status = 404 if reason is Reason.STATUS else None
    kept(store, Failed(A, A, 0, reason, "x", AT, status))
    assert (recall(store, A) is None) == (reason in PASSING)
    assert recall(store, A, is_recording=True)
    assert recall(store, A, fresh=FOREVER)


def test_what_failed_in_a_run_that_came_to_its_end_rests_for_ten_minutes(store: Store) -> None:
    """The network was there, so the host is dead: the same question at once asks nobody."""
    failed = Failed(A, A, 0, Reason.CONNECT, "x", AT)
    run = runs.start(store, "find", {})
    kept(store, failed, run=run)
    assert recall(store, A) is None
    runs.finish(store, run, "{}")
    assert recall(store, A)
    assert recall(store, A, fresh=0) is None
    kept(store, failed, run=run, age=REST)
    assert recall(store, A) is None


def test_a_server_in_trouble_is_asked_again_after_a_day(store: Store) -> None:
    kept(store, Failed(A, A, 0, Reason.STATUS, "HTTP 503", AT, 503), age=DAY + 1)
    assert recall(store, A) is None
    kept(store, Failed(B, B, 0, Reason.STATUS, "HTTP 404", AT, 404), age=DAY + 1)
    assert recall(store, B)


def test_a_page_that_was_only_linked_to_is_no_copy(store: Store) -> None:
    kept(store, FETCHED)
    assert recall(store, B) is None
