"""In-links that the store holds: its own links reversed, and the claims of a recording or an edge list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncf.inlinks.base import MOST
from ncf.store import claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ncf.store.store import Store


class StoreLinks:
    """The links of pages that are in the store for another reason than the question at hand."""

    name = "store"

    def __init__(self, store: Store, question: str, web: int) -> None:
        self._store, self._question, self._web = store, question, web
        self._has_others = claims.has_others(store, question, web)  # a run adds none

    def inlinks(self, urls: Iterable[str]) -> Mapping[str, list[str]]:
        """See InlinkSource."""
        if not self._has_others:
            return {}
        return claims.linking(self._store, urls, self._question, self._web, MOST)


class Claims:
    """What a recording or an edge list says; it was read into the store beforehand."""

    def __init__(self, store: Store, name: str, provider: str) -> None:
        self.name = name
        self.provider = provider  # what its claims are kept under
        self._store = store

    def inlinks(self, urls: Iterable[str]) -> Mapping[str, list[str]]:
        """See InlinkSource."""
        return claims.claimed(self._store, urls, self.provider, MOST)
