"""What the name of a directory tells: a topic, or perhaps a person."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+")
_TITLE_WORD = re.compile(r"[^\W\d_]+")
_NAME_WORDS = (2, 4)  # first name, middle names, family name
_NAME_LETTERS = 3  # of a name that a login begins with, at least
_PARTS = re.compile(r"\s*[,:;|@()\[\]]\s*|\s+[-–—]+\s+")  # a title says more than a name after these
_POSSESSIVE = re.compile(r"\w['’`´]s\b|\ws['’]", re.IGNORECASE)
# Words around a name in the title of a home page: they belong to no topic and to nobody's name.
_AROUND = frozenset(
    "a at about am an and by der des de di du el for from hello hi home homepage i im in is la le la me my mr mrs ms dr"
    " of on official page pages personal prof professor s site startpage t the this to von web webpage website welcome"
    " willkommen world wide www bienvenue benvenuti bienvenido homesite d e l".split()
)
_STRANGE = re.compile(r"[%.+,;=&()\s]")  # host names, files, escapes and versions: nobody logs in with these


@dataclass(frozen=True, slots=True)
class Names:
    """Tells topical names from others, by a table of words that speak of topics, functions, units and times."""

    words: frozenset[str] = field(default=frozenset())

    def is_topical(self, name: str) -> bool:
        """Whether a name speaks of a topic. Numbers do (issues, years, courses), and so do the letters of an index.

        >>> names = Names(frozenset({"research", "lab"}))
        >>> [name for name in ("Research", "ai-lab", "1996", "v1.2", "labarge", "alice") if names.is_topical(name)]
        ['Research', 'ai-lab', '1996', 'v1.2']
        """
        if len(name) < 2 or _STRANGE.search(name):
            return True
        words = _words(name)
        return not words or not self.words.isdisjoint(words)

    def is_person(self, name: str, title: str) -> bool:
        """Whether the entry page of a directory is titled with a person's name, and the directory is named after it.

        >>> names = Names(frozenset({"project"}))
        >>> [names.is_person("bershad", title) for title in ("Brian Bershad's Home Page", "The Bershad Project")]
        [True, False]
        >>> [names.is_person(name, "Brian N. Bershad") for name in ("bnb", "brian", "bbershad", "bersh", "bnz")]
        [True, True, True, True, False]
        >>> [names.is_person("brad", title) for title in ("Brad's pages", "Brad home page")]
        [True, False]
        """
        if not (name.isalpha() and name.islower()) or self.is_topical(name):
            return False
        plain = _plain(title)
        return any(self._names_owner(name, part) for part in _PARTS.split(plain))

    def _names_owner(self, login: str, title: str) -> bool:
        words = [word for word in _TITLE_WORD.findall(title) if word.lower() not in _AROUND]
        fewest, most = _NAME_WORDS
        lower = [word.lower() for word in words]
        if len(words) > most or not all(word[0].isupper() for word in words) or not self.words.isdisjoint(lower):
            return False
        if len(words) >= fewest:
            return _is_made_of(login, lower)
        # A first name alone is a person's only in "Brad's page": "MEMS home page" is a group's.
        return len(words) == 1 and bool(_POSSESSIVE.search(title)) and _begins(login, lower[0])

    def topical_share(self, names: Iterable[str]) -> float:
        """The share of names that speak of topics; 0 when there are none."""
        told = [self.is_topical(name) for name in names]
        return sum(told) / len(told) if told else 0.0


@lru_cache(maxsize=65536)
def _words(name: str) -> frozenset[str]:
    found = [word.lower() for word in _WORD.findall(name)]
    return frozenset((*found, name.lower()) if found else ())  # the whole name too: mp3, sci-fi


def _plain(text: str) -> str:
    """The text without the marks on its letters: logins are ASCII."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _begins(login: str, word: str) -> bool:
    return min(len(login), len(word)) >= _NAME_LETTERS and (login.startswith(word) or word.startswith(login))


def _is_made_of(login: str, words: list[str]) -> bool:
    """Whether a login is made of the beginnings of a person's names, in any order, each used once.

    Three letters may hold the initial of a middle name that the title leaves out.
    """
    if len(login) == _NAME_LETTERS and login[0] == words[0][0] and login[-1] == words[-1][0]:
        return True
    return _consists(login, tuple(words))


def _consists(login: str, words: tuple[str, ...], *, alone: bool = True) -> bool:
    """Whether a login is beginnings of distinct words, one after the other; one alone must be more than an initial."""
    if not login:
        return True
    for place, word in enumerate(words):
        others = words[:place] + words[place + 1 :]
        for length in range(1, min(len(login), len(word)) + 1):
            if login[:length] != word[:length]:
                break
            rest = login[length:]
            if (rest or not alone or length >= _NAME_LETTERS) and _consists(rest, others, alone=False):
                return True
    return False


def parse(text: str) -> Names:
    """Read the table: word and kind, separated by a tab.

    >>> sorted(parse("# comment\\nresearch\\ttopic\\n").words)
    ['research']
    """
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return Names(frozenset(line.partition("\t")[0].strip().lower() for line in lines))
