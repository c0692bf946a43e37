"""Which site a URL belongs to, and which URL a person means."""

from __future__ import annotations

import pytest

from ncf import data, sites
from ncf.errors import UsageError
from ncf.seeds import address

CASES = [
    ("http://www.h.example/~alice/x.html", "h.example/~alice/"),
    ("https://h.example/~alice", "h.example/~alice/"),
    ("http://h.example/research/?page=/~bob/", "h.example/"),
    ("http://h.example:8080/~alice/", "h.example:8080/~alice/"),
    ("http://www.geocities.co.jp/Playtown-Denei/1722/src/SRC.html", "geocities.co.jp/Playtown-Denei/1722/"),
    ("https://sites.google.com/view/alice/home", "sites.google.com/view/alice/"),
    ("https://alice.github.io/blog/", "alice.github.io/"),
    ("https://bob.dyndns.org/~x/", "bob.dyndns.org/~x/"),  # a machine at home has users too
]


@pytest.mark.parametrize(("url", "key"), CASES)
def test_site_of_a_url(url: str, key: str) -> None:
    assert sites.site_of(url, sites.layouts_of([url], data.filters())).key == key


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.org/~x", "http://example.org/~x"),
        ("HTTPS://Example.ORG", "https://example.org/"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("example.org:8080", "http://example.org:8080/"),
        ("http://intranet/", "http://intranet/"),
        (" [::1]/ ", "http://[::1]/"),
    ],
)
def test_what_people_type(text: str, url: str) -> None:
    assert address(text) == url


NOT_URLS = ["", "nonsense", "two words", "ftp://h.example/", "file:///etc/passwd", "mailto:a@b.example", "http://"]


@pytest.mark.parametrize(
    "text",
    [*NOT_URLS, "http://h:99999/", "javascript:alert(1)", "http://h.example/" + "a" * 3000],
    ids=lambda t: t[:20],
)
def test_what_is_not_a_url(text: str) -> None:
    with pytest.raises(UsageError):
        address(text)
