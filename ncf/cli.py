"""The command line: a command parses, calls one function, prints. Heavy imports wait until a command runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from crawler.errors import CrawlerError
from crawler.settings import VERSION
from ncf import (
    cli_communities,
    cli_crawl,
    cli_eval,
    cli_find,
    cli_holdings,
    cli_import,
    cli_rules,
    cli_sites,
)
from ncf.cli_run import FAILED, INTERRUPTED, WRONG_USAGE, say
from ncf.errors import NcfError, UsageError

# typer carries its own copy of click or imports it, by version; the base of its errors is found through one of them.
_ParserError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
app.command(epilog=cli_find.EPILOG)(cli_find.find)
app.command(epilog=cli_communities.EPILOG)(cli_communities.communities)
app.command(epilog=cli_sites.EPILOG)(cli_sites.sites)
app.add_typer(cli_rules.app, name="rules")
app.command(epilog=cli_crawl.EPILOG)(cli_crawl.crawl)
app.command("import", epilog=cli_import.EPILOG)(cli_import.import_)
app.command(epilog=cli_holdings.STATS_EPILOG)(cli_holdings.stats)
app.command(epilog=cli_holdings.RUNS_EPILOG)(cli_holdings.runs)
app.command(epilog=cli_holdings.FORGET_EPILOG)(cli_holdings.forget)
app.add_typer(cli_eval.app, name="eval")
app.command(epilog=cli_find.DEMO_EPILOG)(cli_find.demo)


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Neighbor Community Finder: finds the communities of web sites around the ones you like."""
    if version:
        sys.stdout.write(f"ncf {VERSION}\n")
        raise typer.Exit


def main() -> int:
    """Run a command; whatever goes wrong is one clear sentence and an exit status, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a question mark
    try:
        return _status(app(standalone_mode=False))
    except KeyboardInterrupt:
        _complain("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough. Python would complain once more when it closes the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _explain(error)


def _status(returned: object) -> int:
    return returned if isinstance(returned, int) else 0


def _explain(error: Exception) -> int:
    if isinstance(error, typer.Abort):
        _complain("stopped")
        return INTERRUPTED
    if isinstance(error, _ParserError):
        _complain(_parser_sentence(error))
        return WRONG_USAGE
    if isinstance(error, NcfError | CrawlerError):
        _complain(str(error))
        return WRONG_USAGE if isinstance(error, UsageError) else FAILED
    if isinstance(error, OSError):
        _complain(f"{error.filename or 'the system'}: {error.strerror or error}")
        return FAILED
    if os.environ.get("NCF_DEBUG"):
        raise error
    _complain(f"a mistake in ncf itself: {type(error).__name__}: {error}; NCF_DEBUG=1 shows where")
    return FAILED


def _parser_sentence(error: Exception) -> str:
    told = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    text = str(told).rstrip(".")
    sentence = text if text.endswith("?") else f"{text}."
    return f"{sentence} Try '{context.command_path} --help'." if context else sentence


def _complain(text: str) -> None:
    from ncf.export.text import clean

    for line in text.splitlines():
        say(f"ncf: {clean(line)}")
