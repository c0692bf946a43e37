from __future__ import annotations

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler import urls
from crawler.extract import extract
from crawler.model import Link, Page

HERE = "http://h.org/dir/page.html"


def read(html: str) -> Page:
    return extract(html, HERE, "utf-8")


def targets(html: str) -> list[str]:
    return [link.address for link in read(html).links]


def test_all_kinds_of_links_in_document_order() -> None:
    html = (
        "<link rel=next href=1><a href=2>x</a><map><area href=3></map><iframe src=4></iframe>"
        "<svg><a xlink:href=5></a><a href=6></a></svg><noscript><a href=7>y</a></noscript>"
    )
    assert targets(html) == [f"http://h.org/dir/{n}" for n in range(1, 8)]
    assert [link.kind for link in read(html).links] == ["link", "a", "area", "iframe", "a", "a", "a"]


def test_frames_are_links() -> None:
    page = read("<frameset><frame src=menu.html><frame src=/main.html></frameset>")
    assert [(link.address, link.kind) for link in page.links] == [
        ("http://h.org/dir/menu.html", "frame"),
        ("http://h.org/main.html", "frame"),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<template><a href=x>x</a></template>",
        "<!-- <a href=x>x</a> -->",
        "<script>'<a href=x>'</script>",
        "<a name=x>x</a>",
        "<a href>x</a>",
        "<a href='#top'>x</a>",
        "<a href='page.html#top'>x</a>",
        "<a href='mailto:a@h.org'>x</a>",
        "<a href='javascript:go()'>x</a>",
        "<a href='http://h:99999/'>x</a>",
        "<img src=x><form action=x></form>",
    ],
)
def test_what_is_no_link(html: str) -> None:
    page = read(html)
    assert (page.links, page.links_dropped) == ((), 0)


@pytest.mark.parametrize("rel", ["next", "PREV", "home", "up", "contents", "author", "me nofollow", "bookmark"])
def test_navigational_link_elements_are_links(rel: str) -> None:
    assert targets(f"<link rel='{rel}' href=x>") == ["http://h.org/dir/x"]


@pytest.mark.parametrize(
    "rel", ["stylesheet", "icon", "canonical", "preconnect", "alternate", "alternate home", "", "search"]
)
def test_other_link_elements_are_not(rel: str) -> None:
    assert targets(f"<link rel='{rel}' href=/x>") == []


@pytest.mark.parametrize(
    ("base", "want"),
    [
        ("<base href=http://other.org/a/>", "http://other.org/a/x"),
        ("<base href=../up/>", "http://h.org/up/x"),
        ("<base target=_top><base href=/one/><base href=/two/>", "http://h.org/one/x"),
        ("<base href=mailto:a@b><base href=/two/>", "http://h.org/dir/x"),
        ("<base href='http://h:99999/'>", "http://h.org/dir/x"),
    ],
)
def test_the_first_base_counts(base: str, want: str) -> None:
    assert targets(f"{base}<a href=x>x</a>") == [want]


def test_a_base_counts_for_links_before_it() -> None:
    assert targets("<a href=x>x</a><base href=/b/>") == ["http://h.org/b/x"]


@pytest.mark.parametrize(
    ("href", "want"),
    [
        (" x\n", "http://h.org/dir/x"),
        ("a\tb\nc", "http://h.org/dir/abc"),
        ("\\\\other.org\\a", "http://other.org/a"),
        ("///other.org", "http://other.org/"),
        ("?q&amp;r", "http://h.org/dir/page.html?q&r"),
        ("http:rel", "http://h.org/dir/rel"),
    ],
)
def test_references_are_resolved_as_browsers_do(href: str, want: str) -> None:
    assert targets(f'<a href="{href}">x</a>') == [want]


def test_copies_of_a_link_are_one() -> None:
    """The first spelling and the first text that is not empty win; another rel is another link."""
    html = (
        "<a href='/%7Ea/'><img></a><a href='/~a/index.html'> Al\nice </a><a href=/~a/>B</a>"
        "<a rel='UGC nofollow ugc' href=/~a/>C</a>"
    )
    assert read(html).links == (
        Link("http://h.org/~a/", "http://h.org/%7Ea/", (), "Al ice", "a", 3),
        Link("http://h.org/~a/", "http://h.org/~a/", ("nofollow", "ugc"), "C", "a", 1),
    )


@pytest.mark.parametrize(
    ("html", "want"),
    [
        ("<a href=x> one\n <b>two</b>&nbsp;</a>", "one two"),
        ("<a href=x><b><img src=i alt=' A  picture '></b></a>", "A picture"),
        ("<a href=x>text<img alt=no></a>", "text"),
        ("<a href=x><img alt></a>", ""),
        ("<map><area href=x alt='the map'></map>", "the map"),
        # A numeric reference to a C1 control means the windows-1252 character.
        ("<a href=x>a\x01\x7f&#x9b;b&#xD800;</a>", "a›b\ufffd"),
        ("<a href=x>" + "ab " * 100 + "</a>", ("ab " * 67)[:200].rstrip()),
    ],
)
def test_anchor_text(html: str, want: str) -> None:
    assert read(html).links[0].text == want


def test_long_addresses_are_dropped_and_counted() -> None:
    fits = "a" * (urls.MAX_LENGTH - len("http://h.org/"))
    page = read(f"<a href=/{fits}>x</a><a href=/{fits}a>y</a><a href=/b>z</a>")
    assert ([len(link.address) for link in page.links], page.links_dropped) == ([urls.MAX_LENGTH, 14], 1)


def test_links_beyond_the_cap_are_counted() -> None:
    html = "".join(f"<a href={n}>x</a>" for n in (1, 2, 1, 3, 4, 2))
    page = extract(html, HERE, "utf-8", max_links=2)
    assert ([link.count for link in page.links], page.links_dropped) == ([2, 2], 2)


def test_only_the_first_part_of_a_long_text_is_read() -> None:
    page = extract("<a href=1>x</a><a href=2>y</a>", HERE, "utf-8", max_text=20)
    assert (len(page.links), page.text_cut) == (1, True)
    assert not read("<a href=1>x</a>").text_cut


def test_queries_are_written_in_the_encoding_of_the_page() -> None:
    page = extract("<a href='?q=あ'>x</a>", HERE, "shift_jis")
    assert (page.links[0].address, page.charset) == (HERE + "?q=%82%A0", "shift_jis")


@pytest.mark.parametrize(
    ("html", "want"),
    [
        ("<title> My \n page\x02 </title>", "My page"),
        ("<svg><title>drawing</title></svg><title>page</title>", "page"),
        ("<title>one</title><title>two</title>", "one"),
        ("<title>&lt;b&gt; &amp;</title>", "<b> &"),
        ("<title></title>", ""),
        ("<p>no title", ""),
        (f"<title>{'x' * 600}</title>", "x" * 500),
        ("<title>a\ud800b</title>", "ab"),
    ],
)
def test_title(html: str, want: str) -> None:
    assert read(html).title == want


@pytest.mark.parametrize(
    ("html", "want"),
    [
        ("<html lang=ja>", "ja"),
        ("<html lang=' EN_us '>", "en-us"),
        ("<html xml:lang=zh-Hant>", "zh-hant"),
        ("<html lang='not a tag'>", ""),
        ("<html lang=''><meta http-equiv=Content-Language content=de>", "de"),
        ("<meta http-equiv=content-language content='de, en'>", ""),
        ("<html lang=fr><meta http-equiv=content-language content=de>", "fr"),
        ("<p lang=it>x", ""),
    ],
)
def test_language(html: str, want: str) -> None:
    assert read(html).language == want


@pytest.mark.parametrize(
    ("href", "want"),
    [
        ("/~a/index.html", "http://h.org/~a/"),
        ("https://www.h.org/a?utm_source=x", "https://www.h.org/a"),
        ("http://other.org/", ""),
        ("http://h.org:81/", ""),
        ("mailto:a@h.org", ""),
        ("", ""),
    ],
)
def test_canonical_only_of_the_same_server(href: str, want: str) -> None:
    page = read(f"<link rel=canonical href='{href}'><link rel=canonical href=/second>")
    assert page.canonical == want


@pytest.mark.parametrize(
    ("content", "want"),
    [
        ("0; url=new.html", ["http://h.org/dir/new.html"]),
        ("0;URL='/new'", ["http://h.org/new"]),
        ('5 ; Url = "/new" junk', ["http://h.org/new"]),
        ("0,/new", ["http://h.org/new"]),
        ("0 /new", ["http://h.org/new"]),
        ("1.5; url=/new", ["http://h.org/new"]),
        (".5; url=/new", ["http://h.org/new"]),
        ("100;url=/new", ["http://h.org/new"]),
        ("101;url=/new", []),
        ("0" * 9 + "1;url=/new", ["http://h.org/new"]),
        ("9" * 9999 + ";url=/new", []),
        ("5", []),
        ("0;url=", []),
        ("0;url=page.html", []),
        ("0;url=javascript:go()", []),
        ("url=/new", []),
        ("", []),
    ],
)
def test_a_refresh_is_a_link(content: str, want: list[str]) -> None:
    page = extract("", HERE, "utf-8", refresh=content)
    assert [(link.address, link.kind) for link in page.links] == [(target, "refresh") for target in want]


def test_a_refresh_can_stand_in_the_page() -> None:
    page = read("<META HTTP-EQUIV=Refresh CONTENT='0; URL=/new'>")
    assert page.links == (Link("http://h.org/new", "http://h.org/new", kind="refresh"),)


def test_a_refresh_for_readers_without_scripts_is_no_link() -> None:
    assert targets("<noscript><meta http-equiv=refresh content='0;url=/nojs'></noscript>") == []


@pytest.mark.parametrize(
    ("html", "tags", "noindex", "nofollow"),
    [
        ("<meta name=ROBOTS content='NoIndex, nofollow'>", [], True, True),
        ("<meta name=robots content=none>", [], True, True),
        ("<meta name=ncf content=nofollow>", [], False, True),
        ("<meta name=otherbot content=none>", [], False, False),
        ("<meta name=robots content=noindexed>", [], False, False),
        ("", ["noindex"], True, False),
        ("", ["NCF: nofollow"], False, True),
        ("", ["otherbot: noindex, nofollow"], False, False),
        ("", ["otherbot: noindex", "nofollow"], False, True),
        ("", ["otherbot: noindex, ncf: nofollow"], False, True),
        ("", ["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex"], True, False),
        ("", ["max-snippet:20, nofollow"], False, True),
    ],
)
def test_robots_directives(html: str, tags: list[str], noindex: bool, nofollow: bool) -> None:
    page = extract(html, HERE, "utf-8", robots_tags=tags)
    assert (page.noindex, page.nofollow) == (noindex, nofollow)


def test_nofollow_keeps_the_links() -> None:
    assert targets("<meta name=robots content=nofollow><a href=/x>x</a>") == ["http://h.org/x"]


def test_a_page_travels_between_processes() -> None:
    page = read("<title>t</title><a href=x>x</a>")
    assert pickle.loads(pickle.dumps(page)) == page
    assert pickle.loads(pickle.dumps(extract)) is extract


@pytest.mark.parametrize(
    "unit", ["<!--", '<a href="', "<![CDATA[", "&amp;", "&#99999999999;", "<a href=/x>y</a>", "<a href=x><b></b></a>"]
)
def test_a_megabyte_of_malice_is_read(unit: str) -> None:
    assert len(read(unit * (1024 * 1024 // len(unit))).links) <= 1


TAGS = "a area link frame iframe frameset base meta title html head body svg math template noscript table p img select"
ATTRIBUTES = "href src rel content http-equiv name lang xml:lang xlink:href alt charset"
VALUES = "next canonical refresh robots 0;url=/x en /x http://h.org/~a/ http://\ud800/ # \0 //[ %zz あ"


@st.composite
def markup(draw: st.DrawFn) -> str:
    tag = draw(st.sampled_from(TAGS.split()))
    names = draw(st.lists(st.sampled_from(ATTRIBUTES.split()), max_size=4))
    values = [draw(st.one_of(st.sampled_from(VALUES.split()), st.text(max_size=8))) for _ in names]
    inside = "".join(f' {name}="{value}"' for name, value in zip(names, values, strict=True))
    return draw(st.sampled_from([f"<{tag}{inside}>", f"</{tag}>", f"<{tag}{inside}", f"<!--{tag}"]))


@given(st.lists(st.one_of(markup(), st.text(max_size=5)), max_size=15).map("".join), st.text(max_size=20))
@example("<a href='http://\ud800/'>\ud800\0</a>", "\ud800")
def test_any_text_is_read_into_a_page_that_can_be_stored(html: str, header: str) -> None:
    page = extract(html, HERE, "euc-jp", robots_tags=[header], refresh=header)
    strings = [page.title, page.language, page.canonical]
    for link in page.links:
        strings += [link.url, link.address, link.text, *link.rel]
        assert urls.canonical(link.address) == link.url != urls.canonical(HERE)
    assert "".join(strings).encode().decode() == "".join(strings)
