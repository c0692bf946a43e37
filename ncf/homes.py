"""Where URLs belong while a graph grows: a site that is known, or the rest of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from crawler import urls
from ncf.aliases import Aliases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from filters.chain import Namer
    from filters.layout import Layout


@dataclass(frozen=True, slots=True)
class Home:
    """Where a URL belongs: a known site, or what is left of its server."""

    key: str
    known: bool  # a rule, or filters 0 to 2, name it from the URL

    @property
    def server(self) -> str:
        """The server that it stands on."""
        return self.key.partition("/")[0]


@dataclass(eq=False)
class Homes:
    """The naming of one stretch of a run. It never changes: what is learned on the way makes a new one."""

    namer: Namer  # what can be told from a URL, with the lessons of earlier runs
    aliases: Aliases = field(default_factory=Aliases)
    judged: Mapping[str, Layout] = field(default_factory=dict)  # servers that this run has seen enough of, divided

    def __post_init__(self) -> None:
        self.of = lru_cache(maxsize=1 << 18)(self._of)

    def _of(self, url: str) -> Home:
        """The home of a canonical URL."""
        name, path = urls.place(url)
        server = self.aliases.server(name)
        layout = self.judged.get(server)
        if layout is not None:
            return Home(server + layout.site(path)[0], known=True)
        prefix, rule = self.namer.site(server, path)
        return Home(server + prefix, known=rule is not None)

    def of_address(self, address: str) -> Home:
        """The home of what is fetched."""
        return self.of(urls.canonical(address) or address)
