"""Filter 5: directories whose pages hang together, and not with their neighbors' pages, are sites.

NCF section 2.2, filter 5: decompose the server's graph into connected components and regard each as a site. The pages
of a directory P and above it are left out, because in a crawl from one seed everything hangs together by them. P gets a
rule when its children and the components divide the pages below it in the same way, by B-cubed F1 (Bagga and Baldwin
1998). B-cubed counts pages, so one large child can hide that others are entangled: links between siblings count too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from filters.base import Rule, Verdict
from filters.evidence import evidence_of
from filters.names import Names

if TYPE_CHECKING:
    from filters.base import ServerView
    from filters.evidence import Evidence

NAME = "components"


@dataclass(frozen=True, slots=True)
class Limits:
    """What filter 5 asks for: the first two are SPEC section 4's, the others are chosen on labelled data."""

    sizable: int = 2  # children of two pages or more, at least, and half of those that hold a page
    agreement: float = 0.9  # B-cubed F1 of components and children, at least
    kinship: float = 0.1  # share of the possible links between siblings, at most
    topical: float = 0.3  # share of the children's names that speak of topics, at most


@dataclass(frozen=True, slots=True)
class Components:
    """The filter, with its table of names and its limits."""

    names: Names = Names()
    limits: Limits = Limits()

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One rule for each outermost directory whose children are components of their own."""
        evidence, limits = evidence_of(view), self.limits
        fits = (
            (evidence.sizable >= np.maximum(limits.sizable, evidence.fetched / 2))
            & (evidence.agreement >= limits.agreement)
            & (evidence.kinship <= limits.kinship)
            & (evidence.topical(self.names) <= limits.topical)
        )
        found = evidence.outermost(np.flatnonzero(fits).tolist())
        if not found:
            return None
        sites = sum(int(evidence.children[place]) for place in found)
        reason = f"{sites} directories below {len(found)} others are connected components of their own"
        return Verdict(
            tuple(_rule(evidence, place) for place in found), NAME, reason, {"prefixes": len(found), "sites": sites}
        )


def _rule(evidence: Evidence, place: int) -> Rule:
    prefix, children = evidence.tree.names[place], int(evidence.children[place])
    reason = (
        f"the {children} directories below {prefix} hold pages that hang together and not with each other's"
        f" (agreement {evidence.agreement[place]:.2f})"
    )
    return Rule(prefix, int(evidence.tree.depth[place]) + 1, NAME, reason)
