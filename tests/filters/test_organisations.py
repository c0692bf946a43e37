"""Filter 2: known organisations whose server is one site."""

from __future__ import annotations

import pytest

from filters import chain
from filters.base import view
from filters.organisations import Organisations, parse
from tests.filters.servers import levels, opinion, people

TABLE = parse("# comment\n\nsony.co.jp\tSony\nExample.org \tan example\nplain.example\n")
FILTER = Organisations(TABLE)


def test_the_table_is_suffixes_and_notes() -> None:
    assert TABLE == {"sony.co.jp": "Sony", "example.org": "an example", "plain.example": ""}


@pytest.mark.parametrize("server", ["sony.co.jp", "www2.sony.co.jp", "sony.co.jp:8080", "a.b.example.org"])
def test_a_known_organisation_is_one_site(server: str) -> None:
    """NCF's own example is www.sony.co.jp."""
    assert levels(opinion(FILTER, view(server, ("/a/b/c",)))) == {"/": 1}


@pytest.mark.parametrize(
    "server",
    ["h.example", "notsony.co.jp", "sony.co.jp.evil.example", "co.jp", "127.0.0.1", "127.0.0.1:81", "[::1]", ""],
)
def test_no_opinion_on_others(server: str) -> None:
    assert FILTER.judge(view(server, ("/a/b/c",))) is None


def test_without_a_table_there_is_no_opinion() -> None:
    assert Organisations().judge(view("sony.co.jp", ())) is None


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ("a.sony.co.jp", "sony.co.jp is known to be one site (Sony)"),
        ("plain.example", "plain.example is one site"),
    ],
)
def test_the_reason_names_who_that_is(server: str, reason: str) -> None:
    verdict = opinion(FILTER, view(server, ()))
    assert (verdict.reason, verdict.rules[0].reason) == (reason, reason)


def test_evidence_does_not_divide_an_organisation() -> None:
    """Directories that would be people's by filter 5 are the organisation's own."""
    server = people("/u/", ("ann", "bob", "cid"))
    divided = chain.decide(server.view("plain.example"), chain.chain())
    whole = chain.decide(server.view("plain.example"), chain.chain(chain.Tables(organisations=TABLE)))
    assert [layout.site("/u/ann/")[0] for layout in (divided, whole)] == ["/u/ann/", "/"]


def test_tildes_on_an_organisations_server_are_still_users() -> None:
    """Filter 1 stands before filter 2, and has spoken of the names that begin with a tilde."""
    paths = ("/~ann/x", "/products/x")
    layout = chain.decide(view("sony.co.jp", paths), chain.chain(chain.Tables(organisations=TABLE)))
    assert [layout.site(path)[0] for path in paths] == ["/~ann/", "/"]
    assert layout.site("/products/x")[1] is not None
