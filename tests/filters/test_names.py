"""What the name of a directory tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filters.names import Names, parse

NAMES = Names(frozenset({"research", "lab", "courses", "研究"}))


@pytest.mark.parametrize(
    ("name", "topical"),
    [
        ("research", True),
        ("Research", True),
        ("RESEARCH", True),
        ("ai-lab", True),
        ("ai_lab", True),
        ("aiLab", True),
        ("LabNotes", True),
        ("labarge", False),  # only whole words
        ("lab2", True),
        ("1996", True),  # years, issues and courses
        ("cs101", False),
        ("v1.2", True),  # nobody logs in with a dot
        ("a%20b", True),
        ("j.smith", True),
        ("a", True),  # the letter of an index
        ("", True),
        ("-", True),
        ("研究", True),
        ("山田", False),
        ("alice", False),
        ("McGregor", False),
    ],
)
def test_topical_names(name: str, topical: bool) -> None:
    assert NAMES.is_topical(name) == topical


@pytest.mark.parametrize(
    ("name", "title", "person"),
    [
        ("bershad", "Brian Bershad's Home Page", True),
        ("bershad", "Welcome to the home page of Brian N. Bershad", True),
        ("bnb", "Brian N. Bershad", True),  # initials
        ("brianb", "Brian Bershad", True),
        ("bbershad", "Brian Bershad", True),
        ("bersh", "Brian Bershad", True),  # the beginning of a name
        ("bnz", "Brian N. Bershad", False),
        ("bershadb", "Bershad, Brian", False),  # a comma ends the name
        ("bershadb", "Bershad Brian", True),  # in any order
        ("bqb", "Brian Bershad", True),  # a middle name that the title leaves out
        ("brad", "Brad's pages", True),
        ("brad", "Brad home page", False),  # a name alone is a person's only as an owner's
        ("muller", "Jörg Müller - Home", True),  # logins are ASCII
        ("jones", "Brian Bershad", False),  # named after somebody else
        ("bershad", "Bershad", False),  # one word can be anything
        ("bershad", "The Bershad Research", False),
        ("bershad", "brian bershad", False),  # people write their names large
        ("bershad", "A Long Title Of Many Words About Brian Bershad", False),
        ("research", "Research Lab", False),
        ("Bershad", "Brian Bershad", False),  # logins are small
        ("bershad2", "Brian Bershad", False),
        ("bershad", "", False),
    ],
)
def test_persons(name: str, title: str, person: bool) -> None:
    assert NAMES.is_person(name, title) == person


@pytest.mark.parametrize(
    ("names", "share"),
    [([], 0), (["alice", "bob"], 0), (["alice", "lab"], 0.5), (["1", "2", "lab"], 1)],
)
def test_the_share_of_topical_names(names: list[str], share: float) -> None:
    assert NAMES.topical_share(names) == share


@given(st.text(max_size=40), st.text(max_size=60))
def test_any_text_is_a_name_and_a_title(name: str, title: str) -> None:
    """Real names never raise; what speaks of a topic is nobody's."""
    assert not (NAMES.is_person(name, title) and NAMES.is_topical(name))


def test_the_table_is_words_and_notes() -> None:
    assert parse("# comment\n\nResearch \ttopic\nlab\n").words == {"research", "lab"}


def test_without_a_table_only_numbers_and_letters_are_topical() -> None:
    assert [name for name in ("research", "1996", "x", "alice") if Names().is_topical(name)] == ["1996", "x"]
