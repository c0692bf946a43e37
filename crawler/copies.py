"""What the caller has already: a crawl takes it in place of a request, in the same order and under the same caps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from crawler import urls
from crawler.model import Redirect

if TYPE_CHECKING:
    from crawler.model import Failed, Fetched, Page


@dataclass(frozen=True, slots=True)
class Validators:
    """What a stored copy of a page can be checked with."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """What became of an address when it was asked for before.

    A redirect is told as one, hop by hop, whatever came of it: how far a crawl goes is its own to decide.
    """

    told: Fetched | Failed | Redirect
    mine: bool = False  # this very run asked for it, before it was interrupted: it counts as asked for now

    def answer(self, url: str) -> Fetched | Failed | Redirect:
        """What the address itself answered, also where the record tells of the whole chain that began there."""
        if isinstance(self.told, Redirect):
            return self.told
        hops = (hop for hop in self.told.redirects if (urls.canonical(hop.address) or hop.address) == url)
        return next(hops, self.told)


class Copies(Protocol):
    """Kept by the caller."""

    def holds(self, url: str) -> bool:
        """Whether `recall` has an answer for a canonical URL."""
        ...

    def recall(self, url: str) -> Copy | None:
        """The answer that is good enough in place of a request; None when the Web must be asked."""
        ...

    def validators(self, url: str) -> Validators | None:
        """What an older copy can be checked with, when there is one."""
        ...

    def page(self, url: str) -> Page | None:
        """The copy that the server says is unchanged."""
        ...


class NoCopies:
    """Of a caller who has none."""

    def holds(self, url: str) -> bool:
        """See Copies."""
        return False

    def recall(self, url: str) -> Copy | None:
        """See Copies."""
        return None

    def validators(self, url: str) -> Validators | None:
        """See Copies."""
        return None

    def page(self, url: str) -> Page | None:
        """See Copies."""
        return None
