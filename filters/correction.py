"""ECFC: error correction of filters 5 and 6 by cliques (NCF 2.2).

The paper turns a server with a mutual-link clique inside it into a single-site server. On servers where neighbors do
link to each other that undoes nearly every right answer, so here a *rule* is withdrawn, when more than half of its
sites lie in cliques of four or more that hold no site of another rule: navigation bars do that, friends do not. The
paper's wording stays as a choice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from filters.base import Verdict
from filters.evidence import evidence_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from filters.base import Numbers, Rule, ServerView
    from filters.tree import Tree

NAME = "ecfc"
RULES, PAPER, OFF = "rules", "paper", "off"
MODES = (RULES, PAPER, OFF)
CLIQUE = 4  # sites; smaller ones are friends
SHARE = 0.5  # of a rule's sites; more of them in such cliques, and the rule goes
LIMIT = 100_000  # cliques that are looked at; a graph with more is one that a hostile server made


def correct(view: ServerView, rules: Sequence[Rule], mode: str = RULES) -> Verdict | None:
    """The rules to withdraw, as a verdict; None when there is none."""
    if mode not in MODES:
        raise ValueError(f"ECFC has no way {mode!r}: {', '.join(MODES)}")
    if mode == OFF or not rules:
        return None
    tree = evidence_of(view).tree
    site, owner = _sites(tree, rules)
    graph = _mutual(view, site)
    smallest = CLIQUE if mode == RULES else 2
    cliques = [clique for clique in islice(nx.find_cliques(graph), LIMIT) if len(clique) >= smallest]
    if mode == PAPER:
        return _verdict(tuple(rules), len(cliques), "a clique of mutual links inside the server") if cliques else None
    inside = {one for clique in cliques if len({owner[one] for one in clique}) == 1 for one in clique}
    entangled = Counter(owner[one] for one in inside)
    every = Counter(owner[one] for one in np.unique(site[view.fetched & (site >= 0)]).tolist())
    gone = tuple(rule for number, rule in enumerate(rules) if entangled[number] > SHARE * every[number])
    return _verdict(gone, len(cliques), "more than half of its sites all link to each other") if gone else None


def _verdict(gone: tuple[Rule, ...], cliques: int, why: str) -> Verdict:
    places = ", ".join(rule.prefix for rule in gone)
    return Verdict(gone, NAME, f"the rule for {places} is withdrawn: {why}", {"rules": len(gone), "cliques": cliques})


def _sites(tree: Tree, rules: Sequence[Rule]) -> tuple[Numbers, dict[int, int]]:
    """Of every page: the number of its site's top directory, -1 for the administrator's; and the rule of each site.

    One pass for each pair of depths that rules have, and not for each rule: the rules of a pair share no page.
    """
    site: Numbers = np.full(len(tree.home), -1, dtype=np.int64)
    owner: dict[int, int] = {}
    by_depths: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for number, rule in enumerate(rules):
        place = tree.place(rule.prefix)
        if place is not None and rule.level <= tree.deepest:
            by_depths[int(tree.depth[place]), rule.level][place] = number
    for (depth, level), numbers in by_depths.items():
        ruled = np.full(len(tree) + 1, -1, dtype=np.int64)  # the last is for pages that stand higher
        ruled[list(numbers)] = list(numbers.values())
        number_of_page = ruled[tree.at(depth)]
        tops = np.where(number_of_page >= 0, tree.at(level), -1)
        site = np.where(tops >= 0, tops, site)
        owner |= dict(zip(tops[tops >= 0].tolist(), number_of_page[tops >= 0].tolist(), strict=True))
    return site, owner


def _mutual(view: ServerView, site: Numbers) -> nx.Graph[int]:
    """The mutual-link graph of the sites."""
    ends = np.stack((site[view.sources], site[view.targets]), axis=1)
    ends = np.unique(ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])], axis=0)
    base = int(site.max(initial=0)) + 1
    forth, back = ends[:, 0] * base + ends[:, 1], ends[:, 1] * base + ends[:, 0]
    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from(ends[np.isin(forth, back) & (ends[:, 0] < ends[:, 1])].tolist())
    return graph
