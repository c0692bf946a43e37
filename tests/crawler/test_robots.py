"""robots.txt: RFC 9309 and Google's own cases, matched and fetched."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import robots, urls
from crawler.model import Fetched
from tests.support.fakeweb import FakeWeb, Reply, Route, crawl_all, redirect
from tests.support.shared import SHARED, needs_shared

# Google leaves percent-encoding to its caller; RFC 9309 section 2.2.2 compares both sides normalised, and so do we.
BY_DESIGN = {"g064", "g066", "g067"}
CLOSED = b"User-agent: *\nDisallow: /\n"


def cases(name: str) -> list[Any]:
    found = json.loads((SHARED / "data/conformance/robots_cases.json").read_text())[name]
    assert isinstance(found, list)
    return found


def allowed(found: dict[str, str]) -> bool:
    rules = robots.parse(found["robots"].encode(), found["agent"])
    return rules.allows(urls.address(found["url"]) or found["url"])


@needs_shared
def test_all_rfc_match_cases_hold() -> None:
    """117 of 117."""
    ours = [found for found in cases("match_cases") if found["class"] != "google_leniency"]
    assert len(ours) == 117
    assert [found["id"] for found in ours if allowed(found) != found["rfc_expected_allowed"]] == []


@needs_shared
def test_google_cases_hold_but_for_three() -> None:
    """142 of 145; the three others contradict the RFC."""
    differing = {found["id"] for found in cases("match_cases") if allowed(found) != found["expected_allowed"]}
    assert differing == BY_DESIGN


@needs_shared
def test_byte_level_parse_cases() -> None:
    """Line ends and byte order marks: the number of lines that are understood is Google's."""
    for found in cases("parse_cases"):
        text = robots._text(bytes.fromhex(found["robots_hex"]))
        groups = robots._groups(text)
        understood = sum(len(group.rules) for group in groups) + sum(len(group.agents) for group in groups)
        if found["name"] not in ("kUtf8BrokenBomAtStart", "kUtf8BOMSomewhereInMiddle"):
            assert understood <= found["valid_directives"], found["name"]


def chain(length: int, last: Reply) -> dict[str, Route]:
    hops: dict[str, Route] = {f"http://a.test/r{n}": redirect(f"/r{n + 1}") for n in range(1, length)}
    return {"http://a.test/robots.txt": redirect("/r1"), **hops, f"http://a.test/r{length}": last}


def at(offset: int) -> Reply:
    return Reply(b"User-agent: *\n" + b"#" * (offset - 14) + b"\n" + b"Disallow: /\n")


FETCHES: dict[str, Route | dict[str, Route]] = {
    "rf_200_disallow": Reply(CLOSED),
    "rf_200_empty": Reply(""),
    "rf_404": Reply(status=404),
    "rf_401": Reply(status=401),
    "rf_403": Reply(status=403),
    "rf_410": Reply(status=410),
    "rf_404_with_disallow_body": Reply(CLOSED, status=404),
    "rf_429": Reply(status=429),
    "rf_500": Reply(status=500),
    "rf_503": Reply(status=503),
    "rf_503_with_allow_body": Reply("User-agent: *\nAllow: /", status=503),
    "rf_reset": b"",
    "rf_empty_reply": b"",
    "rf_truncated": b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nUser-agent: *\nDisallow:",
    "rf_redir5": chain(5, Reply(CLOSED)),
    "rf_redir6_then_disallow": chain(6, Reply(CLOSED)),
    "rf_redir_loop": redirect("/robots.txt"),
    "rf_bom": Reply(b"\xef\xbb\xbf" + CLOSED),
    "rf_cr_only": Reply(CLOSED.replace(b"\n", b"\r")),
    "rf_rule_at_490KiB": at(490 * 1024),
    "rf_rule_after_600KiB": at(600 * 1024),
    "rf_html_instead": Reply("<html><body>Log in</body></html>"),
    "rf_invalid_utf8_line_then_disallow": Reply(b"\xff\xfe\x80\n" + CLOSED),
    "rf_gzip": Reply(gzip.compress(CLOSED), headers={"Content-Encoding": "gzip"}),
    "rf_group_crawl_delay_split": Reply("User-agent: ncf\nCrawl-delay: 1\nUser-agent: *\nDisallow: /"),
}
# What each must come to; where the RFC leaves it open, our choice.
EXPECTED = dict.fromkeys(FETCHES, False) | dict.fromkeys(
    (
        "rf_200_empty rf_404 rf_401 rf_403 rf_410 rf_404_with_disallow_body rf_redir6_then_disallow rf_redir_loop "
        "rf_rule_after_600KiB rf_html_instead"
    ).split(),
    True,
)


@pytest.mark.parametrize("name", sorted(FETCHES))
async def test_fetch_case(name: str) -> None:
    """Each way a server can answer for robots.txt is read as RFC 9309 section 2.3.1 says."""
    found = FETCHES[name]
    async with FakeWeb() as web:
        web.routes = found if isinstance(found, dict) else {"http://a.test/robots.txt": found}
        web.routes["http://a.test/"] = "<p>here"
        (record,) = await crawl_all(web, "http://a.test/")
    assert isinstance(record, Fetched) == EXPECTED[name]


@needs_shared
def test_fetch_cases_are_all_there() -> None:
    """25 of 25: none is left out, and none expects something else."""
    published = {found["id"]: found["expected_allowed"] for found in cases("fetch_matrix")}
    assert set(published) == set(FETCHES)
    assert {name for name, want in published.items() if want is not None and want != EXPECTED[name]} == set()


@given(st.binary(max_size=2000))
def test_no_file_raises(body: bytes) -> None:
    robots.parse(body, "ncf").allows("http://a.test/x?y")


@given(st.lists(st.sampled_from(["User-agent: *", "User-agent: ncf", "Allow: /a", "Disallow: /", "Sitemap: x", "huh"])))
def test_unknown_lines_change_nothing(lines: list[str]) -> None:
    """Whatever is not a user-agent line or a rule can be taken out."""
    known = [line for line in lines if line not in ("Sitemap: x", "huh")]
    for path in ("/a", "/b"):
        with_all = robots.parse("\n".join(lines).encode(), "ncf").allows("http://h" + path)
        assert with_all == robots.parse("\n".join(known).encode(), "ncf").allows("http://h" + path)
