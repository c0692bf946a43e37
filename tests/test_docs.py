"""Docs that cannot lag behind: every command, option, filter and setting that a person meets is in them."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import typer
import typer.core

from ncf import data
from ncf.cli import app
from ncf.export import find_csv
from ncf.store import schema

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


def documents() -> list[Path]:
    """What people read."""
    return [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "data/README.md"]


def anchors(path: Path) -> set[str]:
    """What can stand behind # in a link: the headings, as they are shown on the Web."""
    heads = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_command_and_option_is_documented() -> None:
    """Each option in the section of its command."""
    first, *rest = (ROOT / "docs/commands.md").read_text("utf-8").split("\n## ")
    sections = {part.partition("\n")[0]: part for part in rest}
    for name, command in commands_below(typer.main.get_command(app)):  # type: ignore[arg-type]  # the top is a group
        about = [part for head, part in sections.items() if re.search(rf"{name}\b", head)]
        options = {opt for param in command.params for opt in param.opts if opt.startswith("--")}
        assert len(about) == 1, name
        assert {opt for opt in options if opt not in about[0] and opt not in first} == set(), name


def test_what_programs_read_is_documented() -> None:
    """The columns of CSV, and the tables of the store."""
    commands, store = ((ROOT / f"docs/{name}.md").read_text("utf-8") for name in ("commands", "store"))
    assert [column for column in find_csv.COLUMNS if f"`{column}`" not in commands] == []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        schema.upgrade(db)
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    assert [name for name in tables if not name.startswith(("sqlite_", "_")) and f"`{name}`" not in store] == []


def test_every_link_between_the_docs_leads_somewhere() -> None:
    for path in documents():
        for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            file = path.parent / name if name else path
            assert file.exists(), (path, target)
            assert not anchor or anchor in anchors(file), (path, target)


def test_every_filter_is_documented() -> None:
    text = (ROOT / "docs/sites.md").read_text("utf-8")
    assert [item.name for item in data.filters().filters if f"`{item.name}`" not in text] == []


def test_every_data_file_says_where_it_is_from() -> None:
    text = (ROOT / "data/README.md").read_text("utf-8")
    top = {path.name for path in (ROOT / "data").iterdir() if path.suffix != ".md"}
    assert [name for name in top if name not in text] == []


def test_nothing_speaks_of_a_machine() -> None:
    """No machine paths in what people read."""
    for path in documents():
        text = path.read_text("utf-8")
        assert "/work/" not in text
        assert "/root/" not in text
