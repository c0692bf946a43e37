"""Filter 1: a path segment that begins with `~` is a user's top directory, at whatever depth it stands (NCF 2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from filters.base import Rule, ServerView, Verdict

NAME = "tilde"
DEEPEST = 32  # slashes; what stands deeper is a trap for crawlers, and nobody's home


@dataclass(frozen=True, slots=True)
class Tilde:
    """The filter; it has no settings."""

    @property
    def name(self) -> str:
        """See Filter."""
        return NAME

    def judge(self, view: ServerView) -> Verdict | None:
        """One rule for each directory that users stand in; a tilde inside a user's directory is the user's own."""
        homes = {home for home in map(_home, view.paths) if home}
        if not homes:
            return None
        rules = tuple(_rule(home, len(home.split("/"))) for home in sorted(homes))
        users = {_top(path, len(home)) for path in view.paths if (home := _home(path))}
        reason = f"{len(homes)} director{'y' if len(homes) == 1 else 'ies'} with ~users below"
        return Verdict(rules, NAME, reason, {"prefixes": len(homes), "sites": len(users)})


def _home(path: str) -> str:
    """The directory that holds the path's first `~` segment; empty when there is none."""
    end = path.find("/~")
    return path[: end + 1] if path.count("/", 0, end + 1) <= DEEPEST else ""


def _top(path: str, start: int) -> str:
    end = path.find("/", start)
    return path if end < 0 else path[:end]


def _rule(home: str, level: int) -> Rule:
    return Rule(home, level, NAME, f"names that begin with ~ below {home} are users", only="~", bare=True)
