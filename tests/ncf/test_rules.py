"""A person's own rules: what is read, what is refused and why, how the file is changed, and what moves in a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncf import recorded, rules, rules_file
from ncf.atlas import chart
from ncf.errors import RulesError
from ncf.preview import effects, preview
from ncf.rules import RuleBook, parse, statement
from ncf.rules_file import RulesFile, added, read, removed, write
from ncf.store import servers
from ncf.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = Path(__file__).resolve().parents[2] / "data/demo/demo.warc.gz"
KEPLER = "kepler-college.example"


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Store]:
    """The demo web, every page of it, in a store."""
    with Store.open(tmp_path / "demo.sqlite") as store:
        recorded.load(store, [DEMO])
        yield store


@pytest.mark.parametrize(
    ("pattern", "level", "line"),
    [
        ("Example.ORG", "1", "example.org\t1"),
        ("www.example.org/users/", "3", "example.org/users\t3"),
        ("https://www.example.org/%7Eteam", "2", "example.org/~team\t2"),
        (".tumblr.com", "1", ".tumblr.com\t1"),
        (".github.io", "2", ".github.io\t2"),
        ("medium.com/@*", "2", "medium.com/@*\t2"),
        ("geocities.com/Tokyo/#*", "3", "geocities.com/Tokyo/#*\t3"),
        ("bücher.example/本", "2", "xn--bcher-kva.example/%E6%9C%AC\t2"),
        ("example.org/users", "1", "example.org/users\t1"),
        ("localhost", "2", "localhost\t2"),
        ("a.example", "apart", "a.example\tapart"),
        ("WWW.a.example", "=WWW.B.example", "a.example\t=b.example"),
    ],
)
def test_a_good_rule_is_written_in_one_form(pattern: str, level: str, line: str) -> None:
    """Hosts by the one URL parser, `www.` left out, paths in canonical form; written and read again it is the same."""
    found = statement(pattern, level)
    assert found.text == line
    assert parse(found.text).statements[0].text == line


@pytest.mark.parametrize(
    ("pattern", "level", "reason"),
    [
        ("com", "2", "com is a public suffix, never a site"),
        (".com", "2", "com is a public suffix"),
        ("co.uk", "1", "co.uk is a public suffix"),
        ("www.co.uk/x", "2", "co.uk is a public suffix"),
        (
            "github.io",
            "2",
            "github.io is a public suffix, never a site: what stands below it belongs to different people;"
            " write .github.io to speak of the hosts below it",
        ),
        ("a.example", "=com", "com is a public suffix"),
        ("h.example/a/b", "2", "/a/b/ itself stands at level 3"),
        ("h.example/*", "3", "the star stands at level 2"),
        ("h.example/a*b/c", "3", "a star may stand only at the end"),
        ("*.h.example", "1", ".example.org means the hosts below"),
        ("", "2", "does not begin with a host name"),
        ("/users", "2", "does not begin with a host name"),
        ("two words", "2", "does not begin with a host name"),
        ("me@h.example", "2", "does not begin with a host name"),
        ("h.example:8080", "2", "leave the port out"),
        ("h.example/a?b", "2", "never its query"),
        ("h.example/#a", "2", "a # may stand only in #*"),
        ("h.example", "", "not a number from 1 to 99"),
        ("h.example", "many", "'many' is not a number from 1 to 99, `apart` or `=host`"),
        ("h.example", "0", "not a number from 1 to 99"),
        ("h.example", "100", "not a number from 1 to 99"),
        ("h.example/a", "apart", "write it without dot and path"),
        (".h.example", "=b.example", "write it without dot and path"),
        ("h.example", "=", "does not begin with a host name"),
        ("h.example", "=www.h.example", "cannot be another name of itself"),
    ],
)
def test_a_bad_rule_is_refused_with_the_reason(pattern: str, level: str, reason: str) -> None:
    with pytest.raises(RulesError) as error:
        statement(pattern, level)
    assert reason in str(error.value)


@given(st.text(max_size=30), st.sampled_from(("1", "2", "3", "apart", "=b.example")))
def test_any_text_is_a_rule_or_refused(pattern: str, level: str) -> None:
    """Nothing else is raised, and what is taken is taken again as it was written."""
    try:
        found = statement(pattern, level)
    except RulesError:
        return
    assert statement(found.pattern, found.value).text == found.text


def test_a_book_knows_levels_and_names() -> None:
    book = parse("# mine\n\nh.example/users\t3\tpeople\na.example\tapart\n  # more\r\nb.example\t=h.example\r\n")
    assert [entry.prefix for entry in book.patterns.about("h.example")] == ["/users/"]
    assert book.apart == {"a.example"}
    assert book.same == {"b.example": "h.example"}
    assert [(one.line, one.note) for one in book.statements] == [(3, "people"), (4, ""), (6, "")]


def test_a_level_and_a_name_may_be_told_of_one_host() -> None:
    assert len(parse("h.example\t2\nh.example\tapart\n").statements) == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("# fine\nh.example\t2\nh.example 3\n", "line 3 of my.tsv ('h.example 3') cannot be used: a tab must stand"),
        (
            "h.example\t2\nwww.H.example\t3",
            "line 2 of my.tsv ('www.H.example\\t3') cannot be used: h.example stands on",
        ),
        ("a.example\t=b.example\nb.example\t=a.example", "line 2 of my.tsv"),
        ("com\t2", "line 1 of my.tsv ('com\\t2') cannot be used: com is a public suffix"),
    ],
)
def test_a_bad_line_is_one_sentence_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(RulesError) as error:
        parse(text, "my.tsv")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_names_must_not_form_a_circle() -> None:
    pairs = (("a.example", "b.example"), ("b.example", "c.example"))
    lines = {line.key: line for line in (statement(name, f"={of}") for name, of in pairs)}
    with pytest.raises(RulesError, match="circle"):
        rules.check_fits(statement("c.example", "=a.example"), lines)
    rules.check_fits(statement("d.example", "=a.example"), lines)


def test_a_level_of_many_digits_is_refused() -> None:
    with pytest.raises(RulesError, match="from 1 to 99"):
        statement("h.example", "9" * 5000)


def test_a_missing_file_is_an_empty_book(tmp_path: Path) -> None:
    file = read(tmp_path / "none.tsv")
    assert not file.exists
    assert file.book == RuleBook()


@pytest.mark.parametrize("data", [b"h.example\t2\t\xff\xfe", None])
def test_a_file_that_cannot_be_read_says_so(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "rules.tsv"
    path.mkdir() if data is None else path.write_bytes(data)
    with pytest.raises(RulesError, match=r"rules\.tsv (is not UTF-8|cannot be read)"):
        read(path)


def test_the_place_is_an_option_a_variable_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCF_RULES", str(tmp_path / "named.tsv"))
    assert read().path == tmp_path / "named.tsv"
    monkeypatch.delenv("NCF_RULES")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert rules_file.default_path().name == "rules.tsv"
    assert "ncf" in rules_file.default_path().parts


TEXT = "# first\nh.example\t2\told\n\n# second\r\nz.example\t1\r\nh.example\tapart\n# end"


def test_adding_keeps_every_other_line() -> None:
    file = RulesFile(Path("r.tsv"), TEXT, exists=True)
    assert added(file, statement("n.example", "2")).text == f"{TEXT}\r\nn.example\t2\r\n"
    with pytest.raises(RulesError, match=r"h.example stands on line 2 of r.tsv already, with level 2 \(old\); --repl"):
        added(file, statement("h.example", "3"))
    assert added(file, statement("h.example", "3"), replace=True).text == TEXT.replace(
        "h.example\t2\told", "h.example\t3"
    )


def test_adding_to_nothing_begins_with_a_word_to_the_reader() -> None:
    text = added(RulesFile(Path("r.tsv")), statement("n.example", "2")).text
    assert text.startswith("#")
    assert len(parse(text).statements) == 1


def test_removing_keeps_every_other_line() -> None:
    """All that is said of a pattern goes, whatever way it is spelled."""
    file = RulesFile(Path("r.tsv"), TEXT, exists=True)
    draft = removed(file, "http://www.H.example/")
    assert draft.text == "# first\n\n# second\r\nz.example\t1\r\n# end"
    assert [one.value for one in draft.told] == ["2", "apart"]
    with pytest.raises(RulesError, match=r"no rule of r.tsv is about x.example; `ncf rules list`"):
        removed(file, "x.example")


def test_writing_is_whole_and_makes_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "a/b/rules.tsv"
    write(path, "h.example\t2\n")
    path.chmod(0o600)
    write(path, "h.example\t3\n")
    assert path.read_text() == "h.example\t3\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["rules.tsv"]


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.tsv").write_text("")
    (tmp_path / "link.tsv").symlink_to(tmp_path / "real.tsv")
    write(tmp_path / "link.tsv", "h.example\t3\n")
    assert (tmp_path / "link.tsv").is_symlink()
    assert (tmp_path / "real.tsv").read_text() == "h.example\t3\n"


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RulesError, match=r"cannot be written: .*; --rules or NCF_RULES names another place"):
        write(tmp_path / "file" / "rules.tsv", "")


@pytest.mark.parametrize(
    ("pattern", "spoken_of", "not_spoken_of"),
    [
        ("h.example", {"h.example", "a.h.example", "h.example:8080"}, {"xh.example", "example"}),
        (".h.example", {"a.h.example"}, {"h.example"}),
    ],
)
def test_a_rule_speaks_of_hosts_on_label_boundaries(pattern: str, spoken_of: set[str], not_spoken_of: set[str]) -> None:
    rule = statement(pattern, "2")
    assert {name for name in spoken_of | not_spoken_of if rule.speaks_of(name)} == spoken_of


def test_a_preview_counts_what_moves(demo: Store) -> None:
    """Kepler College has eleven people with 125 pages, and 44 pages of its own."""
    rule = statement(KEPLER, "1")
    seen = preview(demo, RuleBook(), rules.book([rule]), [rule])
    (change,) = seen.changes
    assert (seen.servers, seen.moved, seen.sites) == (1, 125, (12, 1))
    assert (change.server, change.pages) == (KEPLER, 169)
    assert len(change.examples) == 3
    assert {move.after for move in change.examples} == {f"http://{KEPLER}/"}


def test_a_preview_is_what_then_happens(demo: Store) -> None:
    """A rule applies at once: the same store, asked with the rule, gives the sites that were announced."""
    rule = statement(f"{KEPLER}/physics", "2")
    after = rules.book([rule])
    (change,) = preview(demo, RuleBook(), after, [rule]).changes
    atlas = chart(demo, after, [KEPLER])
    found = {atlas.site(page.url).key for page in servers.pages(demo, [KEPLER]) if page.fetched}
    assert f"{KEPLER}/physics/" in found
    assert len(found) == change.sites_after
    for move in change.examples:
        assert "http://" + atlas.site(move.url).key == move.after


def test_a_preview_of_what_nobody_has(demo: Store) -> None:
    rule = statement("nobody.example", "1")
    assert preview(demo, RuleBook(), rules.book([rule]), [rule]).servers == 0


def test_a_preview_of_another_name(demo: Store) -> None:
    rule = statement("postcards.example", f"={KEPLER}")
    seen = preview(demo, RuleBook(), rules.book([rule]), [rule])
    assert [change.server for change in seen.changes] == ["postcards.example"]
    assert seen.changes[0].examples[0].after == f"http://{KEPLER}/"


def test_a_rule_for_another_name_is_remarked_on(demo: Store) -> None:
    """A server goes by one name, and rules for its others count for nothing."""
    joined, rule = statement("postcards.example", f"={KEPLER}"), statement("postcards.example", "1")
    seen = preview(demo, rules.book([joined]), rules.book([joined, rule]), [rule])
    assert seen.remarks == (f"postcards.example is another name of {KEPLER}, and only rules for {KEPLER} count there",)


def test_each_line_tells_what_it_decides(demo: Store) -> None:
    text = f"{KEPLER}/physics\t2\nnobody.example\t1\npostcards.example\t={KEPLER}\ntetsudo.example\tapart\n"
    found = [(one.servers, one.pages, one.sites) for one in effects(demo, parse(text))]
    assert found[0] == (1, 33, 1)
    assert found[1] == (0, 0, 0)
    assert found[2][0] == 2
    assert found[2][2] == 1
    assert found[3] == (1, 67, 6)
