"""Everything the filters know: a person's rules, ncf's own tables, and what a store has learned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from filters.chain import Chain, Limits, chain
from filters.correction import RULES
from filters.patterns import Patterns
from ncf import data
from ncf.store import lessons as learned

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from filters.learned import Lesson
    from ncf.store.store import Store


def filters(
    store: Store | None = None,
    own: Patterns | None = None,
    *,
    without: Collection[str] = (),
    limits: Limits = Limits(),
    ecfc: str = RULES,
    lessons: Mapping[str, Lesson] | None = None,
) -> Chain:
    """The filters in their order, with all that they know.

    Lessons are what ECFC leaves by rule: who corrects otherwise must judge anew.
    """
    known = lessons if lessons is not None else learned.lessons(store) if store else {}
    tables = replace(data.tables(), own=own or Patterns(), lessons=known if ecfc == RULES else {})
    return chain(tables, without=without, limits=limits, ecfc=ecfc)
