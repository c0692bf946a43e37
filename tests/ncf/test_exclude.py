"""What `--exclude` leaves out."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import urls
from ncf.errors import UsageError
from ncf.exclude import Excluded, fits

PATTERNS = (
    "example.org", "example.org/", "example.org/a/", "example.org/a", "https://www.example.org/a/b/", "*.example.org",
    "b.example.org/a/", "example.org:8080", "example.org:443/a/", "*/a/", "exam*.org", "*.org/*/b",
    "example.net", "*:8080",
)  # fmt: skip
HOSTS = ("example.org", "www.example.org", "b.example.org", "c.b.example.org", "myexample.org", "example.net", "h")
PATHS = ("/", "/a", "/a/", "/a/b/", "/a/b/c.html", "/ab", "/b", "/x/a/", "/x/b/y", "/a?b=/c/", "/?/a/")
ADDRESSES = st.builds("{}://{}{}{}".format, *map(st.sampled_from, (("http", "https"), HOSTS, ("", ":8080"), PATHS)))


def means(pattern: str, url: str) -> bool:
    return Excluded.parse([pattern]).matches(urls.canonical(url) or url) == pattern


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        (
            "example.org",
            "http://example.org/ https://www.example.org/a?b http://b.example.org/ http://c.b.example.org:81/x",
            "http://myexample.org/ http://example.org.net/ http://example.com/example.org",
        ),
        (
            "example.org/forum/",
            "http://example.org/forum/ http://example.org/forum https://www.example.org/forum/1?x",
            "http://example.org/ http://example.org/forums/ http://b.example.org/forum/ http://example.org/x/forum/"
            " http://example.org/foru",
        ),
        (
            "example.org/forum",
            "http://example.org/forum http://example.org/forum/1 http://example.org/forums/",
            "http://example.org/foru http://example.org/Forum",
        ),
        ("https://example.org/", "http://example.org/a https://www.example.org/", "http://b.example.org/"),
        ("HTTP://Example.ORG", "https://example.org/a", "http://b.example.org/"),
        ("*://example.org/a/", "https://example.org/a/b", "http://example.org/b"),
        (
            "*.example.org",
            "http://b.example.org/ http://c.b.example.org/x",
            "http://example.org/ http://www.example.org/ http://myexample.org/",
        ),
        (
            "example.org/*/print/",
            "http://example.org/a/print/ http://example.org/a/b/print/2",
            "http://example.org/print/ http://example.org/a/print http://example.org/a/printer/",
        ),
        ("example.org/*.pdf", "http://example.org/a/b.pdf http://example.org/b.pdf?x", "http://example.org/b.html"),
        ("*/wiki/", "http://a.example/wiki/x http://b.example/wiki", "http://a.example/x/wiki/"),
        ("shop*", "http://shop.example.org/ http://shops/", "http://myshop.example/"),
        ("example.org:8080", "http://example.org:8080/a http://b.example.org:8080/", "http://example.org/"),
        ("example.org:443", "https://example.org/ ", "http://example.org:8080/ http://example.org:443/"),
        ("http://example.org:80/", "http://example.org/ https://example.org/", "http://example.org:8080/"),
        ("[::1]", "http://[::1]/x http://[::1]:81/", "http://[::2]/"),
        ("[::1]:81", "http://[::1]:81/x", "http://[::1]/"),
        ("127.0.0.1", "http://127.0.0.1/x", "http://27.0.0.1/"),
        ("münchen.example", "http://xn--mnchen-3ya.example/", "http://munchen.example/"),
        ("example.org/%7Eann/", "http://example.org/~ann/ http://example.org/~ann", "http://example.org/~anna/"),
        ("example.org/a b/", "http://example.org/a%20b/c", "http://example.org/a/"),
        ("example.org/x/../a/./", "http://example.org/a/b", "http://example.org/x/"),
        (" example.org ", "http://example.org/", "http://example.net/"),
        ("www.com", "http://www.com/", "http://example.com/"),
    ],
)
def test_a_pattern_means_what_it_says(pattern: str, inside: str, outside: str) -> None:
    assert [url for url in inside.split() if not means(pattern, url)] == []
    assert [url for url in outside.split() if means(pattern, url)] == []


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("*", "it would leave out everything"),
        ("*.*", "it would leave out everything"),
        ("*/*", "it would leave out everything"),
        ("http://*/", "it would leave out everything"),
        ("example.org/?a=b", "leave out what begins with"),
        ("example.org/#top", "leave out what begins with"),
        ("ftp://example.org/", "only http and https"),
        ("http:/example.org/", "host name"),
        ("/forum/", "host name"),
        ("ann@example.org", "host name"),
        ("exam ple.org", "host name"),
        ("exam\nple.org", "host name"),
        ("example.org\\a", "host name"),
        ("example.org:99999", "host name"),
        ("[::1", "host name"),
        ("a..example", "a name is missing beside a dot"),
        (".example.org", "a name is missing beside a dot"),
        ("mün*.example", "letters beyond a-z"),
        ("example.org/index.html", "default document"),
    ],
)
def test_a_pattern_without_sense_is_refused_with_the_reason(pattern: str, sentence: str) -> None:
    with pytest.raises(UsageError, match="makes no sense") as caught:
        Excluded.parse(["example.net", pattern])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=30))
def test_any_text_is_a_pattern_or_one_clear_error(text: str) -> None:
    """Nothing else is ever raised."""
    with suppress(UsageError):
        assert Excluded.parse([text]).matches("http://example.org/a/b") in ("", text)


@given(st.lists(st.sampled_from(PATTERNS), max_size=6), ADDRESSES)
def test_the_first_that_fits_is_told(patterns: list[str], url: str) -> None:
    """Whatever the index by host leaves out could not have fitted."""
    expected = next((pattern for pattern in patterns if means(pattern, url)), "")
    assert Excluded.parse(patterns).matches(urls.canonical(url) or url) == expected


@given(st.text("ab*.", max_size=8), st.text("ab*.\n", max_size=10))
def test_fits_is_its_regular_expression(pattern: str, text: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))
    assert fits(pattern, text) == bool(re.fullmatch(expression, text, re.DOTALL))


def test_many_stars_cost_little() -> None:
    """Where a regular expression would try for years."""
    started = time.process_time()
    assert not fits("*a" * 1_000 + "*b", "a" * 2_000)
    assert time.process_time() - started < 1


def test_nothing_is_left_out_by_nothing() -> None:
    assert not Excluded()
    assert Excluded().matches("http://example.org/") == ""
    assert Excluded.parse(["example.org"])


def test_many_patterns_cost_little() -> None:
    """A page meets the patterns of its own host, however many there are."""
    some = Excluded.parse([f"host{number}.example/forum/" for number in range(10_000)])
    started = time.process_time()
    found = [some.matches(f"http://host{number % 20_000}.example/forum/x") for number in range(50_000)]
    assert time.process_time() - started < 5
    assert found[9_999] == "host9999.example/forum/"
    assert found[10_000] == ""
