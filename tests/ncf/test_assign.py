"""Many URLs and their sites: the quick way and the one URL parser agree, and a server's URLs are judged together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler import urls
from ncf import assign, data, recorded, rules
from ncf.assign import Assignment, place
from ncf.rules import RuleBook
from ncf.sites import layouts_of, name, site_of
from ncf.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"

HOSTS = st.sampled_from(
    "a.example www.a.example www.com a.b-c.example xn--bcher-kva.example 1.2.3.4 a.0x7f a. a..b A.example www.a".split()
)
NAMES = (
    "~ann users bob index.html INDEX.HTM index.php index.html.bak default.asp . .. .x a.b %7Ec a%2fb ;jsessionid=1"
    " (S(aaaaaaaaa)) @x - _ é"
)
SEGMENTS = st.sampled_from([*NAMES.split(), "", " "])
TAILS = st.sampled_from(["", "/", "?q=/~x/", "#f", "?a#b", "?", " ", "\t", "/?index.html"])
TEXTS = st.builds(
    lambda scheme, host, path, tail: f"{scheme}{host}/{'/'.join(path)}{tail}",
    st.sampled_from(["http://", "https://", "HTTP://", "http:/", "ftp://", ""]),
    HOSTS,
    st.lists(SEGMENTS, max_size=5),
    TAILS,
)


@given(TEXTS | st.text(max_size=30))
@example("http://a.example")
@example("http://a.example/index.html/")
@example("http://a.example//index.html")
def test_the_quick_way_says_what_the_parser_says(text: str) -> None:
    """An address that is taken as it stands has the server, path and scheme that the one URL parser gives it."""
    quick = assign._PLAIN.fullmatch(text)
    if quick:
        assert quick.groups() == place(text)


@given(st.lists(TEXTS, max_size=12))
def test_urls_are_judged_together(texts: list[str]) -> None:
    """As ncf.sites judges them one by one, with what the addresses of their servers tell."""
    known = [url for text in texts if place(text) and (url := urls.canonical(text))]
    layouts = layouts_of(known, data.filters())
    for text, site in Assignment(RuleBook()).assign([text for text in texts if urls.canonical(text)]):
        found = site_of(urls.canonical(text) or "", layouts)
        assert site in (name(found.key), name(found.key, "https"))


def test_lines_keep_their_order_and_strange_ones_stay_empty() -> None:
    assignment = Assignment(RuleBook())
    texts = ["http://h.example/~a/x", "hello", "", "h.example/~b", "http://h.example/~a/x"]
    assert list(assignment.assign(texts)) == [
        ("http://h.example/~a/x", "http://h.example/~a/"),
        ("hello", ""),
        ("", ""),
        ("h.example/~b", "http://h.example/~b/"),
        ("http://h.example/~a/x", "http://h.example/~a/"),
    ]
    assert assignment.strange == 2


def test_what_comes_later_counts() -> None:
    """One directory below /users/ tells nothing, two do; a name is a directory when a page stands below it."""
    texts = [f"http://h.example/users/{rest}" for rest in ("ann", "ann/1.html", "bob/2.html", "cid/3.html")]
    sites = [site for _, site in Assignment(RuleBook()).assign(texts)]
    assert sites[:3] == ["http://h.example/users/ann/"] * 2 + ["http://h.example/users/bob/"]


def test_a_site_is_named_by_https_when_all_its_urls_are() -> None:
    texts = ["https://h.example/~a/", "https://h.example/~b/", "http://h.example/~b/1"]
    sites = [site for _, site in Assignment(RuleBook()).assign(texts)]
    assert sites == ["https://h.example/~a/", "http://h.example/~b/", "http://h.example/~b/"]


def test_your_rules_come_first() -> None:
    book = rules.parse("h.example\t1\n.h.example/u\t3\n")
    texts = ["http://h.example/~a/", "http://x.h.example/u/ann/1"]
    sites = [site for _, site in Assignment(book).assign(texts)]
    assert sites == ["http://h.example/", "http://x.h.example/u/ann/"]


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "demo.sqlite") as store:
        recorded.load(store, [DEMO])
        yield store


def test_what_the_store_knows_counts(demo: Store) -> None:
    """Names by the stored pages' scheme, other names of a server, and a user who was never met before."""
    book = rules.parse("postcards.example\t=kepler-college.example\n")
    texts = [
        "http://nightsky.example/new.html",
        "http://tetsudo.example/far/~new/1.html",
        "http://postcards.example/~anna/",
        "https://kepler-college.example/~anna/",
    ]
    assert [site for _, site in Assignment(book, demo).assign(texts)] == [
        "https://nightsky.example/",
        "http://tetsudo.example/far/~new/",
        "http://kepler-college.example/~anna/",
        "http://kepler-college.example/~anna/",
    ]
