"""Everything the filters know: a person's rules, ncf's own tables, and what a store has learned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from filters.chain import Chain, Limits, chain
from filters.correction import RULES
from filters.patterns import Patterns
from ncf import data
from ncf.store import lessons

if TYPE_CHECKING:
    from collections.abc import Collection

    from ncf.store.store import Store


def filters(
    store: Store | None = None,
    own: Patterns = Patterns(),
    *,
    without: Collection[str] = (),
    limits: Limits = Limits(),
    ecfc: str = RULES,
) -> Chain:
    """The filters in their order, with all that they know.

    Lessons are what ECFC leaves by rule: who corrects otherwise must judge anew.
    """
    known = lessons.lessons(store) if store and ecfc == RULES else {}
    tables = replace(data.tables(), own=own, lessons=known)
    return chain(tables, without=without, limits=limits, ecfc=ecfc)
