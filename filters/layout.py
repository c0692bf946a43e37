"""How a server is divided: the rules that hold for it, and which site a path lies in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filters.base import Rule

ROOT = "/"


@dataclass(frozen=True)
class Layout:
    """A server's rules and its known directories. What no rule speaks of is the administrator's site."""

    rules: tuple[Rule, ...] = ()
    directories: frozenset[str] = frozenset()

    def site(self, path: str) -> tuple[str, Rule | None]:
        """The top directory of the site that a path lies in, and the rule that decided; None: the administrator's.

        >>> from filters.base import Rule
        >>> Layout((Rule("/", 2, "tilde", "", only="~"),)).site("/~alice")[0]
        '/~alice/'
        """
        path = self._directory(path)
        for rule in self._longest_first:
            if concerns(rule, path):
                top = cut(rule, path)
                return (top, rule) if top else (ROOT, None)
        return ROOT, None

    @cached_property
    def _longest_first(self) -> tuple[Rule, ...]:
        return tuple(sorted(self.rules, key=lambda rule: (-len(rule.prefix), -len(rule.only))))

    def _directory(self, path: str) -> str:
        """The path with its last slash, when it is known to be a directory."""
        last = path.rpartition("/")[2]
        closed = bool(last) and (last.startswith("~") or f"{path}/" in self.directories)
        return f"{path}/" if closed else path


def concerns(rule: Rule, path: str) -> bool:
    """Whether a rule speaks of a path: below its prefix, and with the name that it asks for."""
    if not path.startswith(rule.prefix):
        return False
    if not rule.only:
        return True
    top = cut(rule, path)
    return bool(top) and top[:-1].rpartition("/")[2].startswith(rule.only)


def cut(rule: Rule, path: str) -> str:
    """The path up to its `level`-th slash; empty when it has fewer: the page stands above the users' level."""
    segments = path.split("/", rule.level)
    return "/".join(segments[: rule.level]) + "/" if len(segments) > rule.level else ""
