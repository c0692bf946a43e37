"""Sentences with their gaps filled: what one page of one site says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.support.demoweb.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.demoweb.chance import Chance
    from tests.support.demoweb.words import Words

_GAP = re.compile(r"\{(\w+)\}")
_BEGINNING = re.compile(r"(^|[.!?] )(\w)")
_MANY = (11, 12, 14, 15, 17, 18, 20, 25, 26, 30, 36, 40, 45, 48, 50, 60)  # of which Russian says the same form


class Voice:
    """Somebody who speaks of some things in one language. A sentence is said once a page."""

    def __init__(self, own: Words, language: str, things: Sequence[str], chance: Chance) -> None:
        self.chance = chance
        self.language = language
        self.common = words(f"common-{language}")
        self._own = own
        self._things = things
        self._said: set[str] = set()

    def label(self, name: str) -> str:
        """What a page, a list or a button is called."""
        return self.common.pairs("label")[name]

    def say(self, section: str, count: int, thing: str = "") -> list[str]:
        """So many sentences of a section, about one thing or about any."""
        known = self._own.of(section) or self.common.of(section)
        fresh = [sentence for sentence in known if sentence not in self._said]
        chosen = self.chance.some(fresh, count)
        self._said.update(chosen)
        return [self._filled(sentence, thing) for sentence in chosen]

    def text(self, section: str, count: int, thing: str = "") -> str:
        """So many sentences as a paragraph."""
        return self.joined(self.say(section, count, thing))

    def joined(self, sentences: Sequence[str]) -> str:
        """Sentences as a paragraph; Japanese has no spaces between them."""
        return ("" if self.language == "ja" else " ").join(sentences)

    def _filled(self, sentence: str, thing: str) -> str:
        text = _GAP.sub(lambda gap: self._fill(gap[1], thing), sentence)
        return _BEGINNING.sub(lambda found: found[1] + found[2].upper(), text)

    def _fill(self, gap: str, thing: str) -> str:
        value = self._value(gap.lower(), thing)
        return value if gap.islower() else upper(value)

    def _value(self, gap: str, thing: str) -> str:
        match gap:
            case "thing":
                return thing or self.chance.pick(self._things)
            case "n":
                return str(self.chance.number(2, 9))
            case "few":
                return str(self.chance.number(2, 4))
            case "many":
                return str(self.chance.pick(_MANY))
        return self.chance.pick(self._own.of(gap) or self.common.of(gap))

    def date(self, year: int, month: int, day: int) -> str:
        """A date as people write it."""
        match self.language:
            case "ja":
                return f"{year}年{month}月{day}日"
            case "ru":
                return f"{day:02}.{month:02}.{year}"
        return f"{day} {self.month(month)} {year}"

    def period(self, year: int, month: int) -> str:
        """A month of a year."""
        return f"{year}年{month}月" if self.language == "ja" else f"{self.month(month)} {year}"

    def month(self, number: int) -> str:
        """The name of a month."""
        return self.common.of("month")[number - 1]


def upper(text: str) -> str:
    """The text with a capital at its beginning.

    >>> upper("the Moon")
    'The Moon'
    """
    return text[:1].upper() + text[1:]
