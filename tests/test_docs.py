"""Docs that cannot lag behind: every command, option, filter and setting that a person meets is in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
import typer.core

from ncf import data
from ncf.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]


def commands_below(group: typer.core.TyperGroup, words: str = "ncf") -> Iterator[tuple[str, typer.core.TyperCommand]]:
    """Every command with its whole name, those of groups included."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands_below(command, f"{words} {name}")  # type: ignore[arg-type]  # it is a group
        else:
            yield f"{words} {name}", command  # type: ignore[misc]  # typer's commands are all of its own kind


def test_every_command_and_option_is_documented() -> None:
    text = (ROOT / "docs/commands.md").read_text("utf-8")
    found = dict(commands_below(typer.main.get_command(app)))  # type: ignore[arg-type]  # the top is a group
    options = {name for command in found.values() for param in command.params for name in param.opts if "--" in name}
    assert {name for name in found if name not in text} == set()
    assert {name for name in options if name not in text} == set()


def test_every_filter_is_documented() -> None:
    text = (ROOT / "docs/sites.md").read_text("utf-8")
    assert [item.name for item in data.filters().filters if f"`{item.name}`" not in text] == []


def test_every_data_file_says_where_it_is_from() -> None:
    text = (ROOT / "data/README.md").read_text("utf-8")
    top = {path.name for path in (ROOT / "data").iterdir() if path.suffix != ".md"}
    assert [name for name in top if name not in text] == []


def test_nothing_speaks_of_a_machine() -> None:
    """No machine paths in what people read."""
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "data/README.md"]:
        text = path.read_text("utf-8")
        assert "/work/" not in text
        assert "/root/" not in text
