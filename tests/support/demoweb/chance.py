"""Choices that are the same on every machine and in every version of Python: hashes of names."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


class Chance:
    """A row of choices that depends on a name alone."""

    def __init__(self, *names: str) -> None:
        self._name = "\0".join(names)
        self._asked = 0

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included.

        >>> [Chance("a").number(1, 6) == Chance("a").number(1, 6), 1 <= Chance("b").number(1, 6) <= 6]
        [True, True]
        """
        self._asked += 1
        digest = hashlib.blake2b(f"{self._name}\0{self._asked}".encode(), digest_size=8).digest()
        return low + int.from_bytes(digest) % (high - low + 1)

    def of_hundred(self, share: int) -> bool:
        """True in `share` cases of a hundred."""
        return self.number(1, 100) <= share

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.number(0, len(items) - 1)]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """So many of the items, each once, in the order in which they were chosen."""
        left = list(items)
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(min(count, len(left)))]
