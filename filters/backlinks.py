"""Filter 6: many sibling directories with few links into them are users' directories.

NCF section 2.2, filter 6: the users' top directories "have few back-links and a number of these directories are much
larger than a number of parent directories of them". For a directory P and a level below it: n directories at that
level, m parents of them, b the median number of distinct pages elsewhere on the server that link into one. The
smallest level with n/m ≥ R and b ≤ B is the users'.

Further evidence is ours: users' directories seldom link to their neighbors (an official part of a server has bars that
link every part to every other), and their names seldom speak of topics. Where most entry pages are titled with a
person's name that the directory is named after, few siblings are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from filters.base import Rule, Verdict
from filters.evidence import evidence_of
from filters.names import Names

if TYPE_CHECKING:
    from filters.base import Flags, ServerView
    from filters.evidence import Evidence

NAME = "backlinks"
_MOST = 0.8  # a level below P's children is the users' when so many of its parents would be chosen alone …
_PARENTS = 3  # … and there are so many of them


@dataclass(frozen=True, slots=True)
class Limits:
    """What filter 6 asks for. The papers leave all of it open: chosen on labelled data (docs/sites.md)."""

    siblings: int = 6  # R: directories for each parent, at least
    fetched: int = 2  # of them, so many hold a page that was had
    few: int = 2  # directories, fetched or not, where entry pages name their owners
    personal: float = 0.5  # share of the entry pages that do, at least
    backlinks: float = 3.0  # B: median of the pages elsewhere that link into one, at most
    kinship: float = 0.1  # share of the possible links between siblings, at most
    topical: float = 0.3  # share of the names that speak of topics, at most
    at_root: int = 3  # at a server's top, which is the administrator's own place, so many times the siblings


@dataclass(frozen=True, slots=True)
class Backlinks:
    """The filter, with its table of names and its limits."""

    names: Names = Names()
    limits: Limits = Limits()

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One rule for each outermost directory that users stand below."""
        evidence = evidence_of(view)
        alone = self._fits(evidence)
        above = _parents_that_fit(evidence, alone)
        found = evidence.outermost(np.flatnonzero(alone | above).tolist())
        if not found:
            return None
        rules = tuple(_rule(evidence, place, 1 if alone[place] else 2) for place in found)
        reason = f"below {len(found)} of its directories stand many that few pages link to"
        return Verdict(rules, NAME, reason, {"prefixes": len(found)})

    def _fits(self, evidence: Evidence) -> Flags:
        """Of every directory: whether its children are users' directories by themselves."""
        limits = self.limits
        named = evidence.personal(self.names) >= limits.personal
        wanted = np.where(named, limits.few, limits.siblings)
        wanted[0] *= limits.at_root
        fits: Flags = (
            (evidence.children >= wanted)
            & (evidence.fetched >= np.where(named, 1, limits.fetched))
            & (evidence.backlinks <= limits.backlinks)
            & (evidence.kinship <= limits.kinship)
            & (evidence.topical(self.names) <= limits.topical)
        )
        return fits


def _parents_that_fit(evidence: Evidence, alone: Flags) -> Flags:
    """Of every directory: whether users stand two levels below it, as in /district/1722/ and /users/a/alice/."""
    tree, size = evidence.tree, len(evidence.tree)
    holders = np.flatnonzero(evidence.children > 0)
    holders = holders[holders > 0]
    parents = np.bincount(tree.parent[holders], minlength=size)
    fitting = np.bincount(tree.parent[holders], weights=alone[holders], minlength=size)
    found: Flags = (parents >= _PARENTS) & (fitting >= _MOST * parents)
    return found


def _rule(evidence: Evidence, place: int, down: int) -> Rule:
    tree = evidence.tree
    prefix, level = tree.names[place], int(tree.depth[place]) + down
    if down == 1:
        reason = (
            f"{evidence.children[place]} directories stand below {prefix}, a median of"
            f" {evidence.backlinks[place]:g} pages elsewhere link into one, and they seldom link to each other"
        )
    else:
        reason = f"below {evidence.children[place]} directories of {prefix} stand many that few pages link to"
    return Rule(prefix, level, NAME, reason)
