"""What the commands share: options, and how a result is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    JSON = "json"


class ListFormat(StrEnum):
    """How a list is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class Ecfc(StrEnum):
    """How cliques correct filters 5 and 6."""

    RULES = "rules"
    PAPER = "paper"
    OFF = "off"


Urls = Annotated[list[str], typer.Argument(metavar="URL", help="Where to start; http:// may be left out.")]
StoreFile = Annotated[Path | None, typer.Option("--store", help="The store; else NCF_STORE, else in your data folder.")]
RulesFile = Annotated[
    Path | None, typer.Option("--rules", help="Your own site rules; else NCF_RULES, else in your configuration folder.")
]
Replay = Annotated[list[Path] | None, typer.Option(help="A WARC or a folder of them, in place of the Web; repeatable.")]
RecordFile = Annotated[Path | None, typer.Option(help="Record everything into this WARC (.warc or .warc.gz).")]
FormatChoice = Annotated[Format, typer.Option("--format", help="How the result is written.")]
ListChoice = Annotated[ListFormat, typer.Option("--format", help="How the answer is written.")]
EcfcChoice = Annotated[
    Ecfc, typer.Option("--ecfc", help="How cliques correct filters 5 and 6: by rule, in the paper's words, or not.")
]
OutputFile = Annotated[Path | None, typer.Option("--output", help="Write the result to this file.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Only the result and errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="A line for every page.")]
Delay = Annotated[
    float | None, typer.Option(min=0, help="Seconds between requests to one server. [default: 1; in replay 0]")
]
Contact = Annotated[str, typer.Option(help="Your page or e-mail address, told to every server.")]
AllowPrivate = Annotated[bool, typer.Option("--allow-private", help="Also crawl loopback and private addresses.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with status 3 when a budget cut something off.")]
Top = Annotated[int | None, typer.Option(min=1, help="Communities that the table lists. [default: 20]")]
Minutes = Annotated[float | None, typer.Option(min=0.01, help="Stop after so many minutes.")]


@dataclass(frozen=True, slots=True)
class Printing:
    """How the result is shown."""

    format: Format | ListFormat
    output: Path | None
    quiet: bool
    verbose: bool = False
