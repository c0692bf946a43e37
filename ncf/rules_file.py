"""The file that a person's rules stand in: where it is, read, changed line by line, written all or nothing."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from ncf import rules
from ncf.errors import RulesError

if TYPE_CHECKING:
    from ncf.rules import RuleBook, Statement, Trouble

HEAD = """\
# Your own site rules: pattern, level and note, separated by tabs. They come before every filter of ncf.
# `ncf rules check` says what each line decides; docs/sites.md explains the form.
"""


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The file as it was read; a missing one is empty."""

    path: Path
    text: str = ""
    exists: bool = False

    @property
    def book(self) -> RuleBook:
        """What it says; raises RulesError at the first line that cannot be used."""
        return rules.parse(self.text, str(self.path))

    @property
    def troubles(self) -> list[Trouble]:
        """The lines that cannot be used."""
        return rules.examine(self.text)[1]


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that is not written yet."""

    action: str  # add, replace or remove
    text: str  # of the whole file
    told: tuple[Statement, ...]  # the lines that it is about
    touched: tuple[Statement, ...]  # the same, and lines whose place they take

    @property
    def book(self) -> RuleBook:
        """What the file would say."""
        return rules.parse(self.text)


def default_path() -> Path:
    """The file that is used when none is named: NCF_RULES, or one in the user's configuration folder."""
    named = os.environ.get("NCF_RULES")
    return Path(named) if named else Path(platformdirs.user_config_dir("ncf", appauthor=False)) / "rules.tsv"


def read(path: Path | None = None) -> RulesFile:
    """Read the file; raises RulesError when it is there and cannot be read."""
    path = path or default_path()
    try:
        return RulesFile(path, path.read_bytes().decode("utf-8-sig"), exists=True)
    except FileNotFoundError:
        return RulesFile(path)
    except UnicodeDecodeError as error:
        raise RulesError(
            f"the rules file {path} is not UTF-8 text (byte {error.start + 1}); save it as UTF-8"
        ) from None
    except (OSError, ValueError) as error:
        raise RulesError(f"the rules file {path} cannot be read: {_why(error)}") from error


def added(file: RulesFile, new: Statement, *, replace: bool = False) -> Draft:
    """One line more, or that line in place of the one that says the same; raises RulesError when it does not fit."""
    there = file.book.statements
    old = next((one for one in there if one.key == new.key), None)
    if old and not replace:
        raise RulesError(
            f"{new.pattern} stands on line {old.line} of {file.path} already, with {rules.told(old)};"
            f" --replace puts {rules.told(new)} in its place"
        )
    rules.check_fits(new, {one.key: one for one in there if one is not old})
    if old:
        return Draft("replace", _with_line(file.text, old.line, new.text), (new,), (old, new))
    text = file.text or HEAD
    end = "\r\n" if "\r\n" in text else "\n"
    return Draft("add", text + ("" if text.endswith("\n") else end) + new.text + end, (new,), (new,))


def removed(file: RulesFile, pattern: str) -> Draft:
    """All lines of a pattern less; raises RulesError when there is none."""
    wanted = _normal(pattern)
    gone = tuple(one for one in file.book.statements if one.pattern == wanted)
    if not gone:
        raise RulesError(f"no rule of {file.path} is about {wanted}; `ncf rules list` shows those that are there")
    text = file.text
    for one in reversed(gone):
        text = _with_line(text, one.line, None)
    return Draft("remove", text, gone, gone)


def write(path: Path, text: str) -> None:
    """Put a text in the file's place: after a crash, the old one or the new one is there, whole."""
    try:
        place = path.resolve()  # a link to a file elsewhere stays one
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, text.encode("utf-8"))
    except (OSError, ValueError) as error:
        raise RulesError(
            f"the rules file {path} cannot be written: {_why(error)}; --rules or NCF_RULES names another place"
        ) from error


def _replace(place: Path, data: bytes) -> None:
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o644
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(None, "it is read-only")
    handle, name = tempfile.mkstemp(prefix=".rules-", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _normal(pattern: str) -> str:
    """A pattern as it is compared; one that makes no sense as it was typed."""
    try:
        return rules.normal(pattern)
    except RulesError:
        return pattern.strip()


def _with_line(text: str, number: int, new: str | None) -> str:
    """The text with another line in place of one, or without it; the others stay as they are."""
    kept = text.split("\n")
    end = "\r" if kept[number - 1].endswith("\r") else ""
    kept[number - 1 : number] = [] if new is None else [new + end]
    return "\n".join(kept)


def _why(error: OSError | ValueError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "the name is not valid"
