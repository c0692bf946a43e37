"""The tables of words and sentences in `words/`.

A file has sections, `[name]`, of one entry a line; `#` begins a comment. In sentences, `{gaps}` are filled by prose.py.

- of a topic: things (slug | name: what articles are about), tool, place, mood; home, about, open, article, close,
  diary, comment (on a link) and guest (in a guestbook): sentences
- of an organisation: home: sentences; parts (directory | title), and for each part its pages (slug | name) under the
  directory's name, and sentences for them under `directory.text`
- of a language (`common-en`): label (name | text), month, person, and new: what a list of changes says
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
LANGUAGES = {"railways": "ja", "chess": "ru"}  # of topics; all others are English


@dataclass(frozen=True, slots=True)
class Words:
    """One file of words."""

    sections: Mapping[str, tuple[str, ...]]

    def of(self, section: str) -> tuple[str, ...]:
        """The entries of a section; none when there is no such section."""
        return self.sections.get(section, ())

    def pairs(self, section: str) -> dict[str, str]:
        """The entries of a section that are written `name | text`."""
        return dict(split(line)[:2] for line in self.of(section))


@cache
def words(name: str) -> Words:
    """The words of a topic, an organisation or a language."""
    sections: dict[str, list[str]] = {}
    for line in lines(f"words/{name}.txt"):
        if line.startswith("["):
            sections[line.strip("[]")] = []
        else:
            sections[list(sections)[-1]].append(line)
    return Words({name: tuple(found) for name, found in sections.items()})


def language(topic: str) -> str:
    """The language that people of a topic write in."""
    return LANGUAGES.get(topic, "en")


def lines(path: str) -> list[str]:
    """The lines of a table, without comments."""
    text = (HERE / path).read_text("utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def split(line: str) -> list[str]:
    """The columns of a line."""
    return [column.strip() for column in line.split("|")]
