"""Hubs: what the table says, and that it hides no home page."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import urls
from filters.patterns import TableError
from ncf import data
from ncf.hubs import DOMAIN, FRONT, HOST, SCOPES, USERS, Hubs, Line, parse

HOSTS = ("h.org", "a.h.org", "b.a.h.org", "ah.org", "github.io", "x.github.io", "y.x.github.io")
PATHS = ("/", "/a", "/a/", "/a/b", "/a.html", "/b/", "/~x/", "/a/~x/")
TABLES = st.dictionaries(
    st.sampled_from([*HOSTS, *(f"{host}/a" for host in HOSTS)]), st.sampled_from(SCOPES), max_size=6
).map(lambda found: {key: scope for key, scope in found.items() if "/" not in key or scope in (HOST, USERS)})
ADDRESSES = st.builds("http://{}{}{}".format, *map(st.sampled_from, (HOSTS, ("", ":81"), PATHS)))


def literal(table: dict[str, str], url: str) -> bool:
    """Whether a page is a hub's, as data/hubs.tsv puts it: every line that speaks of it, the longest decides."""
    server, path = urls.place(url)
    host = server.partition(":")[0]
    first = path.split("/")[1]
    speaking = {}
    for pattern, scope in table.items():
        name, slash, directory = pattern.partition("/")
        given_away = host.endswith(".github.io") and name == "io"
        below = host.endswith(f".{name}") and not slash and scope in (DOMAIN, USERS) and not given_away
        if below or (host == name and (not slash or directory == first)):
            speaking[bool(slash), name.count(".")] = scope
    if not speaking or path.startswith("/~"):
        return False
    scope = speaking[max(speaking)]
    is_front = path == "/" or (path.count("/") == 1 and "." in path)
    return scope in (DOMAIN, HOST) or (scope == FRONT and is_front)


@given(TABLES, ADDRESSES)
def test_of_is_its_literal_reading(table: dict[str, str], url: str) -> None:
    lines = "\n".join(f"{pattern}\t{scope}\t{'-' if scope == USERS else 'kind'}" for pattern, scope in table.items())
    assert parse(lines).of(url) == ("kind" if literal(table, url) else "")


def test_hosts_that_were_given_away_are_not_their_givers() -> None:
    """Unless the line names the very suffix."""
    some = parse("blogspot.com\tdomain\ta\namazonaws.com\tdomain\tb\n")
    assert some.of("http://alice.blogspot.com/") == "a"
    assert some.of("http://docs.amazonaws.com/") == "b"
    assert some.of("http://alice.s3.amazonaws.com/") == ""


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("", []),
        ("# words\n\n  \n", []),
        ("h.org\thost\tkind", ["h.org"]),
        ("h.org\thost\tkind\tnote\tmore", ["h.org"]),
        (" h.org \t host \t kind ", ["h.org"]),
        ("h.{org,com}\tdomain\tkind", ["h.com", "h.org"]),
        ("{a.b, c.d}\tdomain\tkind", ["a.b", "c.d"]),
        ("h.org/{a,b}\thost\tkind", ["h.org/a", "h.org/b"]),
        ("xn--mnchen-3ya.de\thost\tkind", ["xn--mnchen-3ya.de"]),
    ],
)
def test_a_table_is_read(text: str, patterns: list[str]) -> None:
    assert sorted(parse(text).lines) == patterns


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("h.org", "the scope is none of"),
        ("h.org\tall\tkind", "the scope is none of"),
        ("h.org\thost", "needs its kind"),
        ("h.org\thost\t-", "needs its kind"),
        ("h.org\tusers\tkind", "have none"),
        ("H.org\thost\tkind", "no host name in lower case"),
        ("h\thost\tkind", "no host name"),
        ("h..org\thost\tkind", "no host name"),
        (".h.org\thost\tkind", "no host name"),
        ("*.h.org\thost\tkind", "no host name"),
        ("h.org:80\thost\tkind", "no host name"),
        ("http://h.org\thost\tkind", "no host name"),
        ("münchen.de\thost\tkind", "no host name"),
        ("\thost\tkind", "no host name"),
        ("www.h.org\thost\tkind", "leave it out"),
        ("h.org/\thost\tkind", "only one name"),
        ("h.org/a/b\thost\tkind", "only one name"),
        ("h.org/a\tdomain\tkind", "is for host or users"),
        ("h.org/a\tfront\tkind", "is for host or users"),
        ("h.{org\thost\tkind", "braces do not match"),
        ("h.org}\thost\tkind", "no host name"),
        ("{a,b}.{org,com}\thost\tkind", "no host name"),
        ("{a,,b}.org\thost\tkind", "no host name"),
        ("h.org\thost\tkind\nh.org\tdomain\tkind", "has a line already"),
    ],
)
def test_a_line_without_sense_is_named(line: str, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence) as caught:
        parse(f"# first\n{line}\n")
    assert str(caught.value).startswith(f"line {3 if sentence == 'has a line already' else 2} (")


@pytest.mark.parametrize(
    ("kind", "addresses"),
    [
        ("search", "google.com/ www.google.co.jp/search?q=x mail.google.com/ yahoo.com/ dir.yahoo.com/a/ bing.com/"),
        ("search", "altavista.com/ dmoz.org/Arts/ yandex.ru/ baidu.com/s"),
        ("social", "facebook.com/alice www.facebook.com/ de-de.facebook.com/x/ twitter.com/alice x.com/alice/status/1"),
        ("social", "instagram.com/alice/ linkedin.com/in/alice reddit.com/r/x/ old.reddit.com/ weibo.com/u/1 t.me/x"),
        ("video", "youtube.com/watch?v=1 www.youtube.com/@alice m.youtube.com/ youtu.be/x vimeo.com/1 bilibili.com/"),
        ("validator", "validator.w3.org/check?uri=x jigsaw.w3.org/css-validator/ w3.org/ w3.org/TR/html4/"),
        ("encyclopedia", "wikipedia.org/ en.wikipedia.org/wiki/Web ja.m.wikipedia.org/ commons.wikimedia.org/"),
        ("shop", "amazon.com/dp/1 www.amazon.co.uk/ smile.amazon.de/ ebay.com/"),
        ("code", "github.com/alice/project gist.github.com/alice sourceforge.net/projects/x/"),
        ("archive", "web.archive.org/web/2001/http://h.example/~ann/ archive.org/details/x"),
        ("hosting", "geocities.com/ www.geocities.com/index2.html blogspot.com/ wordpress.com/ neocities.org/browse"),
        ("hosting", "livejournal.com/ angelfire.com/ tripod.com/"),
        ("counter", "statcounter.com/ extreme-dm.com/tracking/?x my.statcounter.com/"),
        ("licence", "creativecommons.org/licenses/by/4.0/ gnu.org/licenses/gpl.html"),
        ("download", "adobe.com/products/acrobat/ apple.com/quicktime/"),
        ("shortener", "bit.ly/x t.co/x tinyurl.com/x"),
        ("music", "last.fm/user/x open.spotify.com/x"),
        ("photos", "flickr.com/photos/alice/"),
        ("news", "bbc.co.uk/news cnn.com/ nytimes.com/"),
    ],
)
def test_what_everybody_links_to_is_a_hub(kind: str, addresses: str) -> None:
    assert {name: data.hubs().of(f"http://{name}") for name in addresses.split()} == dict.fromkeys(
        addresses.split(), kind
    )


@pytest.mark.parametrize(
    "addresses",
    [
        "geocities.com/Area51/1/ www.geocities.co.jp/Playtown-Denei/1722/ geocities.ws/alice/ geocities.yahoo.com/x/",
        "angelfire.com/ny/alice/ members.tripod.com/alice/ alice.tripod.com/ members.aol.com/alice/x.html",
        "freeyellow.com/members/alice/ fortunecity.com/a/b/1/ beepworld.de/members/alice/ members.xoom.com/alice/",
        "alice.github.io/ alice.github.io/project/ alice.gitlab.io/ alice.netlify.app/ alice.vercel.app/",
        "alice.blogspot.com/ alice.blogspot.co.uk/2004/ alice.wordpress.com/ alice.tumblr.com/ alice.typepad.com/x/",
        "alice.livejournal.com/ livejournal.com/users/alice/ alice.dreamwidth.org/ xanga.com/alice diaryland.com/~x/",
        "alice.neocities.org/ alice.nekoweb.org/ alice.bearblog.dev/ alice.substack.com/ alice.medium.com/",
        "w3.org/People/Alice/ w3.org/~alice/ google.com/~alice/ people.debian.org/~alice/ stanford.edu/~alice/",
        "sites.google.com/view/alice/ sites.google.com/site/alice/ hi.baidu.com/alice/ blog.naver.com/alice/",
        "alice.free.fr/ alice.hatenablog.com/ d.hatena.ne.jp/alice/ ameblo.jp/alice/ alice.fc2.com/ note.com/alice/x",
        "alice.itch.io/ alice.sourceforge.net/ alice.bandcamp.com/ alice.deviantart.com/ alice.narod.ru/",
        "medium.com/@alice/story medium.com/@alice alice.pages.dev/ my.opera.com/alice/",
        "dev.to/alice/ write.as/alice/ members.lycos.co.uk/alice/ user.qzone.qq.com/1/ oocities.org/area51/1/",
        "example.org/ notgoogle.com/ google.com.example.org/ wikipedia.org.example/ nowhere/ [::1]/ 127.0.0.1/",
    ],
)
def test_no_hub_hides_a_home_page(addresses: str) -> None:
    assert {
        name: data.hubs().of(f"http://{name}") for name in addresses.split() if data.hubs().of(f"http://{name}")
    } == {}


def test_hosts_below_a_service_that_gives_hosts_away_are_never_its_own() -> None:
    """Every host suffix whose users filter 0 knows: a hub covers them only where a crawler sees no page of theirs."""
    closed = {"meetup.com", "stackexchange.com", "instagram.com"}
    given = {host for host, entries in data.tables().suffixes.entries.items() for entry in entries if entry.below}
    assert {host for host in given if data.hubs().of(f"http://alice.{host}/")} <= closed


def test_the_table_says_what_it_is_made_of() -> None:
    """Its kinds are those that its head lists, and every group names a source and a date."""
    text = (data.folder() / "hubs.tsv").read_text("utf-8")
    (listed,) = (
        line.removeprefix("# kinds: ").split(", ") for line in text.splitlines() if line.startswith("# kinds:")
    )
    assert {line.kind for line in data.hubs().lines.values()} - {""} == set(listed)
    groups = [line for line in text.splitlines() if line.startswith("# ==")]
    assert len(groups) > 20
    assert [line for line in groups if "== source: " not in line or "; date: 20" not in line] == []
    assert len(data.hubs().lines) > 1_000


def test_no_line_is_idle() -> None:
    """No line says only what the line of a host above says already."""
    table = data.hubs()

    def told(lines: dict[str, Line], pattern: str) -> list[str]:
        return [Hubs(lines).of(f"http://{pattern}/{rest}") for rest in ("", "x/")]

    lines = dict(table.lines)
    idle = []
    for pattern, line in table.lines.items():
        without = {name: lines[name] for name in _above(pattern) if name in lines}
        if told(without, pattern) == told(without | {pattern: line}, pattern):
            idle.append(pattern)
    assert idle == []


def _above(pattern: str) -> list[str]:
    """The patterns that speak of a pattern's page, itself left out."""
    host, slash, _ = pattern.partition("/")
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(0 if slash else 1, len(labels))]


def test_a_line_is_falsy_in_no_way() -> None:
    """`of` takes the first line that there is."""
    assert Line(USERS, "")


def test_many_pages_cost_little() -> None:
    table = data.hubs()
    started = time.process_time()
    for number in range(100_000):
        table.of(f"http://a.b.c.d.e.host{number}.example/x/y")
    assert time.process_time() - started < 5
