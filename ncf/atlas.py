"""The servers of a store, divided into sites: what the filters make of everything that is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler import urls
from filters import chain, correction, own_rules
from filters.learned import Lesson
from ncf import aliases, knowledge
from ncf.aliases import Aliases, Said
from ncf.sites import Site
from ncf.store import lessons, servers, twins
from ncf.store.views import server_view

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from filters.base import ServerView
    from filters.chain import Chain, Decision
    from ncf.rules import RuleBook
    from ncf.store.store import Store


class Atlas:
    """Judges a server when it is first asked for, and remembers the answer while it lives."""

    def __init__(self, store: Store, filters: Chain, said: Said = Said(), hosts: Collection[str] = ()) -> None:
        """`hosts` are the servers whose pages are compared to find names that mean the same."""
        self.aliases = aliases.of_store(store, said, hosts)
        self._store = store
        self.filters = filters
        self._decisions: dict[str, Decision] = {}
        self._judged: dict[str, Lesson] = {}

    def site(self, url: str) -> Site:
        """The site of a canonical URL."""
        host, path = urls.place(url)
        return self.aliases.site(self._own_site(host, path))

    def view(self, server: str) -> ServerView:
        """What the store knows of a server, under all its names."""
        return server_view(self._store, server, self.aliases.names(server))

    def decision(self, server: str) -> Decision:
        """How a server is divided, and what the filters said."""
        found = self._decisions.get(server)
        if found is None:
            seen = self.view(server)
            found = self._decisions[server] = chain.judge(seen, self.filters)
            # What a person's rules leave over is not what the filters find: no lesson, or it would outlive the rules.
            told = dict(found.opinions).get(own_rules.NAME) is not None
            if found.judged and not told and self.filters.ecfc == correction.RULES and seen.fetched.any():
                self._judged[server] = Lesson(int(seen.fetched.sum()), found.learned)
        return found

    def join_sites(self, hosts: Collection[str], said: Said = Said()) -> None:
        """Find the users' sites that stand on two of these hosts; their servers are judged for it."""
        found = aliases.same_sites(twins.contents(self._store, hosts), self._own_site, said)
        self.aliases = Aliases(self.aliases.servers, found)

    def _own_site(self, server: str, path: str) -> Site:
        used = self.aliases.server(server)
        prefix, rule = self.decision(used).layout.site(path)
        return Site(used, prefix, rule)

    @property
    def judged(self) -> Mapping[str, Lesson]:
        """What filters 5, 6 and ECFC found on the servers that they were asked about."""
        return self._judged

    def learn(self) -> None:
        """Keep what was found in the store's part of the filter database."""
        lessons.learn(self._store, self._judged)


def chart(store: Store, book: RuleBook, names: Collection[str], ecfc: str = correction.RULES) -> Atlas:
    """An atlas of some servers by a person's rules; those that hold pages of the same content may be one server."""
    hosts = servers.sharing(store, names) if names else set()
    found = Atlas(store, knowledge.filters(store, book.patterns, ecfc=ecfc), book.said, hosts)
    found.join_sites(hosts, book.said)
    return found
