"""Filter 0: the database of host suffixes, and the hosts that platforms give away."""

from __future__ import annotations

import pytest

from filters import chain
from filters.base import view
from filters.patterns import parse
from filters.suffixes import Suffixes, is_public_suffix, is_registry, private_suffix
from tests.filters.servers import levels, opinion

TABLE = parse(
    "geocities.co.jp\t3\trental\nsites.google.com/view\t3\nsites.google.com/site\t3\nmembers.example.net\t2\n"
    "example.net\t1\ngithub.com/*\t2\nmedium.com/@*\t2\ngeocities.com/Tokyo/#*\t3\ngithub.io\t2\n.tripod.com\t1\n"
)
FILTER = Suffixes(TABLE)
CHAIN = chain.chain(chain.Tables(suffixes=TABLE))

CASES = [
    ("www.geocities.co.jp", "/Playtown-Denei/1722/src/SRC.html", "/Playtown-Denei/1722/"),  # NCF's own example
    ("geocities.co.jp", "/Playtown-Denei/1722", "/"),  # not known as a directory
    ("geocities.co.jp:8080", "/a/b/c", "/a/b/"),
    ("geocities.co.jp", "/about.html", "/"),
    ("geocities.co.jp", "/~x/y", "/"),  # the database has spoken of the whole host
    ("notgeocities.co.jp", "/a/b/c", "/"),  # only on a label boundary
    ("sites.google.com", "/view/alice/home", "/view/alice/"),
    ("sites.google.com", "/site/alice/home", "/site/alice/"),
    ("sites.google.com", "/about/alice/home", "/"),
    ("members.example.net", "/bob/x.html", "/bob/"),  # the longest suffix
    ("other.example.net", "/bob/x.html", "/"),
    ("github.com", "/alice", "/alice/"),
    ("github.com", "/alice/repo", "/alice/"),
    ("github.com", "/robots.txt", "/"),
    ("github.com", "/about.html", "/"),
    ("medium.com", "/@alice", "/@alice/"),
    ("medium.com", "/tag/x/y", "/"),
    ("geocities.com", "/Tokyo/1722", "/Tokyo/1722/"),
    ("geocities.com", "/Tokyo/pics/x", "/"),
    ("alice.github.io", "/blog/x.html", "/blog/"),  # the database can say more than the list of public suffixes
    ("alice.gitlab.io", "/blog/x.html", "/"),
    ("alice.gitlab.io", "/~bob/x.html", "/~bob/"),  # its owner may have guests
    ("alice.gitlab.io", "/blog/~bob/x.html", "/blog/~bob/"),
    ("gitlab.io", "/~x/a", "/~x/"),  # the suffix itself is not below one
    ("alice.tripod.com", "/~x/a", "/"),
    ("tripod.com", "/~x/a", "/~x/"),
    ("127.0.0.1", "/~x/a", "/~x/"),
    ("[::1]:81", "/~x/a", "/~x/"),
]


@pytest.mark.parametrize(("server", "path", "top"), CASES)
def test_site_of_a_path(server: str, path: str, top: str) -> None:
    assert chain.decide(view(server, (path,)), CHAIN).site(path)[0] == top


@pytest.mark.parametrize("server", ["h.example", "127.0.0.1", "127.0.0.1:81", "[::1]:81", "co.uk", "github.blog", ""])
def test_no_opinion_on_a_server_that_nobody_knows(server: str) -> None:
    assert FILTER.judge(view(server, ("/a/b/c",))) is None


def test_the_database_gives_its_reason_and_its_counts() -> None:
    verdict = opinion(FILTER, view("sites.google.com", ()))
    assert verdict.reason == "sites.google.com is in the database"
    assert (verdict.counts, levels(verdict)) == ({"lines": 2}, {"/view/": 3, "/site/": 3})


def test_a_host_that_a_platform_gave_away_is_one_site() -> None:
    verdict = opinion(FILTER, view("alice.gitlab.io", ()))
    assert (verdict.reason, levels(verdict)) == ("gitlab.io gives every user a host", {"/": 1})


def test_guests_of_a_given_host_are_the_tildes_and_go_with_it() -> None:
    filters = chain.chain(without=("tilde",))
    assert chain.decide(view("alice.gitlab.io", ("/~bob/x",)), filters).site("/~bob/x")[0] == "/"


def test_a_longer_public_suffix_goes_before_a_shorter_line() -> None:
    """`io` in the database says nothing about the hosts that gitlab.io gives away."""
    verdict = opinion(Suffixes(parse("io\t2")), view("alice.gitlab.io", ()))
    assert levels(verdict) == {"/": 1}


@pytest.mark.parametrize(
    ("host", "private", "public", "registry"),
    [
        ("alice.github.io", "github.io", False, False),
        ("a.b.github.io", "github.io", False, False),
        ("github.io", "", True, False),
        ("example.co.uk", "", False, False),
        ("co.uk", "", True, True),
        ("com", "", True, True),
        ("127.0.0.1", "", False, False),
        ("[::1]", "", False, False),
        ("localhost", "", False, False),
    ],
)
def test_public_suffixes(host: str, private: str, public: bool, registry: bool) -> None:
    assert (private_suffix(host), is_public_suffix(host), is_registry(host)) == (private, public, registry)
