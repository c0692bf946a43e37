"""Lines that say where users live: how they are read, and which of them speak of a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.patterns import Entry, TableError, parse, parse_entry, table
from tests.filters.servers import PATIENTLY

TABLE = parse(
    "# a comment\n\n"
    "example.org\t3\trental\n"
    "users.example.org\t2\n"
    ".tripod.com\t1\ta host for every user\n"
    "tripod.com\t2\tmembers\n"
    ".tumblr.com\t1\n"
    "youtube.com/user\t3\n"
    "youtube.com/channel\t3\n"
)


@pytest.mark.parametrize(
    ("host", "patterns"),
    [
        ("example.org", ["example.org"]),
        ("a.b.example.org", ["example.org"]),
        ("users.example.org", ["users.example.org"]),  # the longest suffix decides alone
        ("alice.users.example.org", ["users.example.org"]),
        ("notexample.org", []),  # only on a label boundary
        ("org", []),
        ("tripod.com", ["tripod.com"]),
        ("alice.tripod.com", [".tripod.com"]),
        ("a.b.tripod.com", [".tripod.com"]),
        ("tumblr.com", []),  # `.host` speaks only of hosts below it
        ("alice.tumblr.com", [".tumblr.com"]),
        ("m.youtube.com", ["youtube.com/user", "youtube.com/channel"]),
        ("127.0.0.1", []),
        ("[::1]", []),
        ("", []),
    ],
)
def test_the_lines_about_a_host(host: str, patterns: list[str]) -> None:
    assert [entry.pattern for entry in TABLE.about(host)] == patterns


@pytest.mark.parametrize(
    ("pattern", "level", "entry"),
    [
        ("geocities.co.jp", "3", Entry("geocities.co.jp", False, "/", 3)),
        ("GeoCities.co.jp/", "3", Entry("geocities.co.jp", False, "/", 3)),
        (".tumblr.com", "1", Entry("tumblr.com", True, "/", 1)),
        ("sites.google.com/view", "3", Entry("sites.google.com", False, "/view/", 3)),
        ("sites.google.com//view/", "3", Entry("sites.google.com", False, "/view/", 3)),
        ("h.example/View", "2", Entry("h.example", False, "/View/", 2)),  # a directory can be a site itself
        ("h.example/a/b", "1", Entry("h.example", False, "/a/b/", 1)),  # or the administrator's
        ("github.com/*", "2", Entry("github.com", False, "/", 2, "", "", True)),
        ("medium.com/@*", "2", Entry("medium.com", False, "/", 2, "", "@", True)),
        ("geocities.com/Tokyo/#*", "3", Entry("geocities.com", False, "/Tokyo/", 3, "", "#", True)),
        ("127.0.0.1", "2", Entry("127.0.0.1", False, "/", 2)),
    ],
)
def test_how_a_line_is_read(pattern: str, level: str, entry: Entry) -> None:
    assert parse_entry(pattern, level) == entry


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("geocities.com", "number"),
        ("geocities.com\tmany", "number"),
        ("geocities.com\t0", "number"),
        ("geocities.com\t-2", "number"),
        ("geocities.com\t100", "number"),
        ("geocities.com\t2.5", "number"),
        ("\t3", "host name"),
        (".\t3", "host name"),
        ("/view\t3", "host name"),
        ("a..example\t3", "host name"),
        ("http://h.example/\t3", "host name"),
        ("h.example:80\t2", "host name"),
        ("*.example\t2", "host name"),
        ("a.example/b/c\t2", "level 3"),  # the directory itself stands deeper
        ("github.com/*\t1", "level 2"),
        ("github.com/*\t3", "level 2"),
        ("github.com/*/x\t3", "star"),
        ("github.com/a*b*\t2", "star"),
        ("github.com/**\t2", "star"),
    ],
)
def test_a_bad_line_is_named_with_what_is_wrong(line: str, why: str) -> None:
    with pytest.raises(TableError, match=rf"line 3 .*{why}"):
        parse(f"# comment\nok.example\t2\n{line}\n")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("h.example\t1\tshop", "h.example is one site (shop)"),
        ("h.example/cgi\t1", "h.example/cgi is the administrator's"),
        ("h.example/u\t3\trental", "h.example/u has its users at level 3 (rental)"),
        ("h.example/@*\t2", "h.example/@* has its users at level 2"),
    ],
)
def test_the_reason_of_a_line(line: str, reason: str) -> None:
    rule = parse(line).about("h.example")[0].rule("test")
    assert (rule.reason, rule.filter) == (reason, "test")


HOSTS = st.lists(st.sampled_from(("a", "b", "example", "org")), min_size=1, max_size=4).map(".".join)
ENTRIES = st.builds(Entry, HOSTS, st.booleans(), st.sampled_from(("/", "/u/", "/u/v/")), st.integers(3, 5))
STARRED = st.builds(Entry, HOSTS, st.booleans(), st.just("/"), st.just(2), only=st.sampled_from(("", "@", "#")))


@given(st.one_of(ENTRIES, STARRED.map(lambda one: Entry(one.host, one.below, "/", 2, "", one.only, True))))
def test_a_line_is_read_as_it_is_written(entry: Entry) -> None:
    assert parse_entry(entry.pattern, str(entry.level)) == entry


@PATIENTLY
@given(st.lists(ENTRIES), HOSTS)
def test_the_longest_suffix_is_found_as_by_looking_at_every_line(entries: list[Entry], host: str) -> None:
    """All lines that fit are looked at; those of the longest stay, and `.host` before `host`, below it."""

    def fits(entry: Entry) -> bool:
        return host.endswith(f".{entry.host}") or (host == entry.host and not entry.below)

    longest = max((len(entry.host) for entry in entries if fits(entry)), default=0)
    fitting = [entry for entry in entries if fits(entry) and len(entry.host) == longest]
    below = [entry for entry in fitting if entry.below]
    assert list(table(entries).about(host)) == (below or fitting)
