from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler import urls
from tests.support.shared import SHARED, needs_shared

CONFORMANCE = SHARED / "data" / "conformance"

_MARKS = "http:// https:// // / . .. % %2e %7E %25 %2F ? & = ; # @ : \\ [::1] 0x7f 1 80 25 7e 41 xn-- www. h h. com"
_NAMES = "~a index.html default.asp utm_source=x PHPSESSID=1 ;jsessionid=a (S(12345678)) あ ß \ud800 \0 %E3%81"
_PIECES = st.sampled_from([*_MARKS.split(), *_NAMES.split(), " ", "\t"])
URL_LIKE = st.lists(_PIECES, max_size=12).map("".join)
REACHED = st.tuples(st.sampled_from(["http://h/", "https://www.h.org:81/", "http://u@h./"]), URL_LIKE).map("".join)


def _url_cases() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((CONFORMANCE / "url_cases.json").read_text("utf-8"))
    return cases


@needs_shared
def test_whatwg_cases_pass_but_for_invalid_punycode() -> None:
    """Every WHATWG case comes out right, except that ada-url 4.0 lets seven hosts with broken `xn--` labels pass."""
    cases = _url_cases()
    wrong = [case for case in cases if urls.parse(case["input"], case["base"]) != case.get("href")]
    assert all(case["failure"] and "xn--" in case["input"].lower() for case in wrong)
    assert (len(cases), len(wrong)) == (431, 7)


@needs_shared
def test_public_suffix_list_cases_pass() -> None:
    text = (CONFORMANCE / "test_psl.txt").read_text("utf-8")
    cases = re.findall(r"^checkPublicSuffix\('([^']+)', (?:'([^']+)'|null)\);", text, re.MULTILINE)
    wrong = [(host, want) for host, want in cases if (urls.registered_domain(host) or "") != want]
    assert len(cases) > 70
    assert wrong == []


@pytest.mark.parametrize(
    ("url", "want"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://h:80/", "http://h/"),
        ("https://h:443/", "https://h/"),
        ("http://h:443/", "http://h:443/"),
        ("http://h:8080/", "http://h:8080/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://h/%7Ealice/", "http://h/~alice/"),
        ("http://h/%41%2d%2E%5f%7e", "http://h/A-._~"),
        ("http://h/%e3%81%82", "http://h/%E3%81%82"),
        ("http://h/a%2fb", "http://h/a%2Fb"),
        ("http://h/%2541", "http://h/%2541"),
        ("http://h/%2e%2E/a", "http://h/a"),
        ("http://h/a/./b/../c", "http://h/a/c"),
        ("http://h/a/index.html", "http://h/a/"),
        ("http://h/a/INDEX.HTM", "http://h/a/"),
        ("http://h/index.php", "http://h/"),
        ("http://h/Default.aspx", "http://h/"),
        ("http://h/index.php?p=2", "http://h/?p=2"),
        ("http://h/myindex.html", "http://h/myindex.html"),
        ("http://h/index.html/x", "http://h/index.html/x"),
        ("http://h/a?utm_source=x&utm_medium=y", "http://h/a"),
        ("http://h/index.html?fbclid=1", "http://h/"),
        ("http://h/a?b=2&gclid=z&a=1", "http://h/a?b=2&a=1"),
        ("http://h/a?b=2&a=1&b=1", "http://h/a?b=2&a=1&b=1"),
        ("http://h/a?PHPSESSID=0af", "http://h/a"),
        ("http://h/a;jsessionid=12?x=1", "http://h/a?x=1"),
        ("http://h/(S(abcdefgh12345678))/a", "http://h/a"),
        ("http://h/a?sid=5", "http://h/a?sid=5"),
        ("http://h/a?sid=0123456789abcdef0123456789abcdef", "http://h/a"),
        ("http://h/a#top", "http://h/a"),
        ("http://h/a?", "http://h/a"),
        ("http://user:pass@h/a", "http://h/a"),
        ("http://a@b@h./x", "http://h/x"),
        ("http://h./a", "http://h/a"),
        ("http://h.:81/a", "http://h:81/a"),
        ("http://0x7f.1../", "http://127.0.0.1/"),
        ("http://[::1]:81/", "http://[::1]:81/"),
    ],
)
def test_canonical_form(url: str, want: str) -> None:
    assert urls.canonical(url) == want


@pytest.mark.parametrize(
    "text", ["", "mailto:a@h", "javascript:void(0)", "ftp://h/", "http://", "http://h:99999/", "/a"]
)
def test_what_is_no_web_address_has_no_canonical_form(text: str) -> None:
    assert urls.canonical(text) is None


def test_a_host_of_dots_is_never_taken_from_the_path() -> None:
    assert urls.address("http://./x") != "http://x/"


@pytest.mark.parametrize(
    ("encoding", "want"),
    [
        ("utf-8", "http://h/%E3%81%82?q=%E3%81%82&x=1"),
        ("shift_jis", "http://h/%E3%81%82?q=%82%A0&x=1"),
        ("euc-jp", "http://h/%E3%81%82?q=%A4%A2&x=1"),
        ("utf-16le", "http://h/%E3%81%82?q=%E3%81%82&x=1"),
    ],
)
def test_only_the_query_is_written_in_the_encoding_of_the_page(encoding: str, want: str) -> None:
    assert urls.join("http://h/", "あ?q=あ&x=1#あ", encoding) == want


def test_a_character_that_the_encoding_lacks_becomes_a_reference() -> None:
    assert urls.join("http://h/", "?q=é", "shift_jis") == "http://h/?q=%26%23233%3B"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://h.org/", "https://h.org/"),
        ("http://www.h.org/~a/", "http://h.org/%7Ea/index.html"),
        ("https://www.h.org/a?utm_source=x", "http://h.org/a"),
    ],
)
def test_names_of_one_page_share_a_key(one: str, other: str) -> None:
    assert urls.key(one) == urls.key(other)


@pytest.mark.parametrize(
    ("url", "want"),
    [
        ("http://www.h.org/a", "h.org"),
        ("https://h.org:8080/", "h.org:8080"),
        ("http://www.com/", "www.com"),
        ("http://[::1]:81/", "[::1]:81"),
    ],
)
def test_the_server_of_an_address(url: str, want: str) -> None:
    assert urls.server(url) == want


@given(st.one_of(st.text(), URL_LIKE, REACHED))
@example("http://user:pass@h/")
@example("http://h/%25%37%45")
@example("http://h/a;jsessionid=1/index.html")
def test_canonical_never_raises_and_is_its_own_canonical_form(text: str) -> None:
    found = urls.canonical(text)
    assert found is None or urls.canonical(found) == found


@given(REACHED)
def test_parts_of_a_canonical_address_agree(text: str) -> None:
    """Taking an address apart loses nothing, and its directories lead down to it."""
    url = urls.canonical(text)
    if url is None:
        return
    parts = urls.split(url)
    query = f"?{parts.query}" if parts.query else ""
    assert f"{parts.authority}{parts.path}{query}" == url
    assert parts.path.startswith(urls.directories(url)[-1])
    assert urls.key(url).startswith(urls.server(url) + "/")


@given(
    st.one_of(st.text(), URL_LIKE),
    st.sampled_from(["utf-8", "shift_jis", "iso-2022-jp", "gbk", "x-user-defined", "no"]),
)
def test_joining_never_raises(reference: str, encoding: str) -> None:
    found = urls.join("http://h/a/b?c", reference, encoding)
    assert found is None or urls.address(found) == found
