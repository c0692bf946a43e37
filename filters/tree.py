"""The directory tree of a server, as arrays: what filters 5, 6 and ECFC count on.

Names that begin with `~` are users' by filter 1, whatever the others say: they and what stands below them are left out,
as if their pages stood where the `~` does.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from filters.base import ROOT, may_be_page, without_arguments

if TYPE_CHECKING:
    from filters.base import Numbers, ServerView

MAX_DEPTH = 8  # slashes; what stands deeper counts as if it stood here, so that cost is linear whatever paths there are


class Tree:
    """Directories by number. The root is 0, and a parent's number is smaller than its children's."""

    def __init__(self, view: ServerView) -> None:
        self.view = view
        self.names: list[str] = [ROOT]
        places = self._places = {ROOT: 0}
        parents, depths = [0], [1]
        homes = np.zeros(len(view.paths), dtype=np.int64)
        fetched = view.fetched.tolist()
        for page, path in enumerate(view.paths):
            if not (fetched[page] or may_be_page(path)):
                continue
            directory = _directory(path)
            if directory not in places:
                self._add(directory, places, parents, depths)
            homes[page] = places[directory]
        self.home = homes  # of every page: the directory that it stands in
        self.parent: Numbers = np.array(parents, dtype=np.int64)
        self.depth: Numbers = np.array(depths, dtype=np.int64)

    def _add(self, directory: str, places: dict[str, int], parents: list[int], depths: list[int]) -> None:
        missing = []
        while directory not in places:
            missing.append(directory)
            directory = directory[: directory.rindex("/", 0, -1) + 1]
        for name in reversed(missing):
            parents.append(places[directory])
            depths.append(depths[places[directory]] + 1)
            places[name] = len(self.names)
            self.names.append(name)
            directory = name

    def __len__(self) -> int:
        return len(self.names)

    def place(self, directory: str) -> int | None:
        """The number of a directory; None when it is not in the tree."""
        return self._places.get(directory)

    @cached_property
    def deepest(self) -> int:
        """The depth of the deepest directory."""
        return int(self.depth.max())

    def at(self, depth: int) -> Numbers:
        """Of every page: its directory at a depth; -1 when the page stands higher."""
        return self._ancestors[depth][self.home]

    @cached_property
    def _ancestors(self) -> dict[int, Numbers]:
        """By depth, of every directory: its ancestor there, itself included; -1 when it stands higher."""
        found: dict[int, Numbers] = {}
        reached: Numbers = np.arange(len(self), dtype=np.int64)
        for depth in range(self.deepest, 0, -1):
            reached = np.where(self.depth[reached] > depth, self.parent[reached], reached)
            found[depth] = np.where(self.depth[reached] == depth, reached, -1)
        return found

    @cached_property
    def pages_below(self) -> Numbers:
        """Of every directory: how many fetched pages it holds, its subdirectories included."""
        held: Numbers = np.bincount(self.home[self.view.fetched], minlength=len(self)).astype(np.int64)
        for depth in range(self.deepest, 1, -1):
            level = np.flatnonzero(self.depth == depth)
            np.add.at(held, self.parent[level], held[level])
        return held

    def name(self, directory: int) -> str:
        """The last segment of a directory."""
        return self.names[directory].rsplit("/", 2)[-2]


def _directory(path: str) -> str:
    """The directory that a page stands in, no deeper than MAX_DEPTH and above every `~`."""
    path = without_arguments(path)
    tilde = path.find("/~")
    if tilde >= 0:
        path = path[: tilde + 1]
    segments = path.split("/", MAX_DEPTH)
    return "/".join(segments[:-1]) + "/"
