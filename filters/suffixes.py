"""Filter 0: host suffixes whose users' level is known, and the hosts that platforms give to their users (NCF 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from filters.base import Rule, ServerView, Verdict
from filters.patterns import Patterns

if TYPE_CHECKING:
    import tldextract

NAME = "suffixes"


@dataclass(frozen=True, slots=True)
class Suffixes:
    """The filter, on its table."""

    table: Patterns = Patterns()

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """The longest suffix in the table decides; else a host that a platform gave away is a server of its own."""
        known = self.table.about(view.host)
        given = private_suffix(view.host)
        if known and (not given or known[0].host.count(".") >= given.count(".")):
            reason = f"{known[0].host} is in the database"
            return Verdict(tuple(entry.rule(NAME) for entry in known), NAME, reason, {"lines": len(known)})
        return _given(given) if given else None


def _given(suffix: str) -> Verdict:
    """One site for a host that was given away; its owner may have ~guests there, as on machines at home."""
    reason = f"{suffix} gives every user a host"
    return Verdict((Rule("/", 1, NAME, reason, yields=True),), NAME, reason, {"hosts": 1})


@lru_cache(maxsize=65536)
def private_suffix(host: str) -> str:
    """The private public suffix that a host stands below, such as github.io; empty when there is none."""
    found = _public_suffixes()(host)
    return found.suffix if found.is_private and found.domain else ""


def is_public_suffix(host: str) -> bool:
    """Whether a host is a public suffix, ICANN's or private: what stands below belongs to different people.

    >>> [is_public_suffix(host) for host in ("co.uk", "github.io", "example.org")]
    [True, True, False]
    """
    found = _public_suffixes()(host)
    return bool(found.suffix) and not found.domain


def is_registry(host: str) -> bool:
    """Whether a host is one of ICANN's public suffixes, such as com and co.uk."""
    return is_public_suffix(host) and not _public_suffixes()(host).is_private


@lru_cache(maxsize=1)
def _public_suffixes() -> tldextract.TLDExtract:
    # The packaged list, never fetched; loaded late, because it brings 90 ms of imports with it.
    import tldextract

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
