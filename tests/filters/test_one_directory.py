"""Filter 3: a server with at most one directory is one site."""

from __future__ import annotations

import pytest
from hypothesis import given

from filters import chain
from filters.base import view
from filters.one_directory import OneDirectory
from tests.filters.servers import PATIENTLY, Server, levels, opinion, servers


@pytest.mark.parametrize(
    ("fetched", "directories"),
    [
        ([], 0),
        (["/"], 0),
        (["/", "/a.html", "/b.html"], 0),  # the root is left out
        (["/a/x", "/a/y"], 1),
        (["/", "/a/b/c/x"], 1),  # only what directly holds a page: /a/ and /a/b/ do not
        (["/a/b/", "/a/b"], 2),  # /a/b stands in /a/
        (["/a/x", "/b/x"], 2),
        (["/~ann/x", "/~bob/x"], 2),
        (["//x"], 1),
    ],
)
def test_directories_that_hold_a_page(fetched: list[str], directories: int) -> None:
    verdict = OneDirectory().judge(view("h.example", (), fetched=fetched, complete=True))
    assert (verdict is not None) == (directories <= 1)
    if verdict is not None:
        assert (levels(verdict), verdict.counts) == ({"/": 1}, {"directories": directories})


@pytest.mark.parametrize(
    ("fetched", "reason"),
    [
        (["/x"], "it has 0 directories with pages besides the root"),
        (["/a/x"], "it has 1 directory with pages besides the root"),
    ],
)
def test_the_reason_counts(fetched: list[str], reason: str) -> None:
    verdict = opinion(OneDirectory(), view("h.example", (), fetched=fetched, complete=True))
    assert (verdict.reason, verdict.rules[0].reason) == (reason, reason)


def test_pages_that_are_only_known_hold_nothing() -> None:
    """What was not had, a picture or a dead link, is no page."""
    assert OneDirectory().judge(view("h.example", ("/a/x", "/b/x"), fetched=["/c/x"], complete=True)) is not None


def test_how_many_is_a_setting() -> None:
    seen = view("h.example", (), fetched=["/a/x", "/b/x"], complete=True)
    assert OneDirectory(most=2).judge(seen) is not None
    assert OneDirectory(most=1).judge(seen) is None


@PATIENTLY
@given(servers())
def test_filter_3_in_one_line(server: Server) -> None:
    few = len({path.rpartition("/")[0] for path in server.fetched} - {""}) <= 1
    assert (OneDirectory().judge(server.view()) is not None) == (server.complete and few)


def test_a_server_with_one_user_keeps_the_user() -> None:
    """Filter 1 stands before filter 3: one directory, and it is somebody's."""
    seen = view("h.example", (), fetched=["/~ann/x"], complete=True)
    assert chain.decide(seen, chain.chain()).site("/~ann/x")[0] == "/~ann/"
