"""`ncf rules`: a person's own site rules, listed, changed and checked, with a preview of what moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ncf.cli_options import ListChoice, ListFormat, OutputFile, Quiet, RulesFile, StoreFile
from ncf.errors import RulesError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ncf.export.rules import Checked, Edit, Listing
    from ncf.rules import Statement
    from ncf.rules_file import Draft
    from ncf.rules_file import RulesFile as File

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Your own site rules: where users live on a server. They apply at once to everything stored.",
)
Pattern = Annotated[
    str, typer.Argument(metavar="PATTERN", help="A host, .host for the hosts below it, or host/directory.")
]
Level = Annotated[
    str,
    typer.Argument(metavar="LEVEL", help="How many slashes name a site (1: the whole server); or `apart`, or `=host`."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")]


@app.command("list", epilog="Examples: ncf rules list · ncf rules list --all --format csv")
def list_(
    all_: Annotated[bool, typer.Option("--all", help="Also what the store has learned by itself.")] = False,
    rules: RulesFile = None,
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """List your rules."""
    from ncf.cli_store import looked_at, rules_of
    from ncf.export.rules import Listing
    from ncf.store.lessons import lessons

    file = rules_of(rules, quiet=quiet)
    if not all_:
        _print(Listing(file.path, file.book), format_, output)
        return
    book = file.book
    with looked_at(store, quiet=quiet) as kept:
        _print(Listing(file.path, book, lessons(kept)), format_, output)


@app.command(
    epilog="Examples: ncf rules add cs.example.edu/people 3 --note 'one directory a person'"
    " · ncf rules add example.org 1 --dry-run · ncf rules add old.example.org =new.example.org"
)
def add(
    pattern: Pattern,
    level: Level,
    note: Annotated[str, typer.Option(help="Why, in your words.")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="In place of a rule for the same pattern.")] = False,
    dry_run: DryRun = False,
    rules: RulesFile = None,
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Add a rule, and show which stored pages move."""
    from ncf import rules_file

    _check(output)
    file = rules_file.read(rules)
    draft = rules_file.added(file, _statement(pattern, level, note), replace=replace)
    _print(_edited(file, draft, store, write=not dry_run, quiet=quiet), format_, output)


@app.command(epilog="Examples: ncf rules remove cs.example.edu/people · ncf rules remove example.org --dry-run")
def remove(
    pattern: Pattern,
    dry_run: DryRun = False,
    rules: RulesFile = None,
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Remove the rules for a pattern, and show which stored pages move."""
    from ncf import rules_file

    _check(output)
    file = rules_file.read(rules)
    draft = rules_file.removed(file, pattern)
    _print(_edited(file, draft, store, write=not dry_run, quiet=quiet), format_, output)


@app.command(epilog="Examples: ncf rules check · ncf rules check cs.example.edu/people 3")
def check(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="A rule that is not in the file …")] = "",
    level: Annotated[str, typer.Argument(metavar="LEVEL", help="… and its level.")] = "",
    rules: RulesFile = None,
    store: StoreFile = None,
    format_: ListChoice = ListFormat.TABLE,
    output: OutputFile = None,
    quiet: Quiet = False,
) -> None:
    """Check your whole file and say what each line decides; or say what one rule more would change."""
    from ncf.cli_store import rules_of

    _check(output)
    file = rules_of(rules, quiet=quiet)
    if not pattern:
        _print(_checked(file, store, quiet=quiet), format_, output)
    elif not level:
        raise UsageError(
            "give a level too, such as `ncf rules check example.org/users 3`; or nothing for the whole file"
        )
    else:
        _print(_tried(file, _statement(pattern, level), store, quiet=quiet), format_, output)


def _check(output: Path | None) -> None:
    from ncf.export import output as out

    out.check(output)


def _statement(pattern: str, level: str, note: str = "") -> Statement:
    """A rule that a person typed; what makes no sense is wrong usage."""
    from ncf.export.text import clean
    from ncf.rules import statement

    try:
        return statement(pattern, level, clean(note))
    except RulesError as error:
        raise UsageError(f"the rule {pattern!r} {level!r} is refused: {error}") from None


def _edited(file: File, draft: Draft, store: Path | None, *, write: bool, quiet: bool) -> Edit:
    """See what a change does to the store, then write it."""
    from ncf import rules_file
    from ncf.cli_store import looked_at
    from ncf.export.rules import Edit
    from ncf.preview import preview

    with looked_at(store, quiet=quiet) as kept:
        seen = preview(kept, file.book, draft.book, draft.touched)
    if write:
        rules_file.write(file.path, draft.text)
    return Edit(file.path, draft.action, draft.told, seen, written=write)


def _tried(file: File, new: Statement, store: Path | None, *, quiet: bool) -> Edit:
    from dataclasses import replace

    from ncf import rules_file

    draft = rules_file.added(file, new, replace=True)
    return replace(_edited(file, draft, store, write=False, quiet=quiet), action="check")


def _checked(file: File, store: Path | None, *, quiet: bool) -> Checked:
    """What each line decides; raises RulesError with a sentence for every line that cannot be used."""
    from ncf.cli_store import looked_at
    from ncf.export.rules import Checked
    from ncf.preview import effects

    if troubles := file.troubles:
        told = (f"line {one.line} of {file.path} ({one.text!r}) cannot be used: {one.reason}" for one in troubles)
        raise RulesError("\n".join(told))
    with looked_at(store, quiet=quiet) as kept:
        return Checked(file.path, effects(kept, file.book))


def _print(answer: Listing | Edit | Checked, form: ListFormat, output: Path | None) -> None:
    from ncf.export import output as out
    from ncf.export import parts

    match form:
        case ListFormat.JSON:
            out.write(answer.json_text(), output)
        case ListFormat.CSV:
            out.write(answer.csv_text(), output)
        case ListFormat.TABLE:
            parts.show(answer.parts(), output)
