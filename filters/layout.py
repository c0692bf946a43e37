"""How a server is divided: the rules that hold for it, and which site a path lies in."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from filters.base import DIGIT, ROOT, is_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from filters.base import Rule


class Layout:
    """A server's rules and its known directories. What no rule speaks of is the administrator's site.

    The rules lie by prefix, so that a path asks once for each directory above it, however many rules there are.
    """

    __slots__ = ("_bare", "_by_prefix", "_depths", "_reach", "directories", "rules")

    def __init__(self, rules: Iterable[Rule] = (), directories: frozenset[str] = frozenset()) -> None:
        self.rules = tuple(rules)
        self.directories = directories
        found: dict[str, list[Rule]] = defaultdict(list)
        # A rule on some names goes before the rule on all names of the same place.
        for rule in sorted(self.rules, key=lambda rule: -len(rule.only)):
            found[rule.prefix].append(rule)
        self._by_prefix = dict(found)
        self._depths = tuple(sorted({prefix.count("/") for prefix in found}, reverse=True))
        self._reach = max((max(rule.level, rule.prefix.count("/")) for rule in self.rules), default=0)
        self._bare = any(rule.bare for rule in self.rules)

    def site(self, path: str) -> tuple[str, Rule | None]:
        """The top directory of the site that a path lies in, and the rule that decided; None: the administrator's.

        >>> from filters.base import Rule
        >>> Layout((Rule("/", 2, "tilde", "", only="~"),)).site("/~alice")[0]
        '/~alice/'
        """
        rule, top = self._find(path if path[-1:] == "/" else self._directory(path))
        return (top, rule) if top else (ROOT, None)

    def settles(self, rule: Rule) -> bool:
        """Whether a later rule's prefix is decided already: by a rule of its own, or because it lies inside a site.

        A rule on some names only (`~`) leaves the other names of its place to others.
        """
        same = self._by_prefix.get(rule.prefix, ())
        if any(one.only in ("", rule.only) and not (one.yields and rule.only) for one in same):
            return True
        above, top = self._find(rule.prefix)
        return bool(top) and not (above is not None and above.yields and rule.only)

    def _find(self, path: str) -> tuple[Rule | None, str]:
        """The longest rule that speaks of a path, and where it cuts; empty when the path stands above its level.

        The longest rule decides alone, also when it cuts nothing.
        """
        parts = path.split("/", self._reach)
        slashes = len(parts) - 1
        for depth in self._depths:
            if depth <= slashes:
                for rule in self._by_prefix.get("/".join(parts[:depth]) + "/" if depth > 1 else ROOT, ()):
                    top = "/".join(parts[: rule.level]) + "/" if rule.level <= slashes else ""
                    if not rule.only or _named(rule, top):
                        return rule, top
        return None, ""

    def _directory(self, path: str) -> str:
        """The path with its last slash, when it is known to be a directory."""
        closed = f"{path}/"
        if path[path.rfind("/") + 1 :][:1] == "~" or closed in self.directories:
            return closed
        if self._bare and not is_file(path):
            rule, top = self._find(closed)
            if rule is not None and rule.bare and top == closed:
                return closed
        return path


def _named(rule: Rule, top: str) -> bool:
    """Whether a site's top directory has a name that the rule speaks of."""
    name = top[top.rfind("/", 0, -1) + 1 : -1]
    return name[:1].isdigit() if rule.only == DIGIT else name.startswith(rule.only)


def cut(rule: Rule, path: str) -> str:
    """The path up to its `level`-th slash; empty when it has fewer: the page stands above the users' level."""
    segments = path.split("/", rule.level)
    return "/".join(segments[: rule.level]) + "/" if len(segments) > rule.level else ""
