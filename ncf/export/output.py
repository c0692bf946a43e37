"""Where results go: standard output, or a file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, BinaryIO

from ncf.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def check(path: Path | None, option: str = "--output") -> None:
    """Raise OutputError when a file cannot be written: better before an hour of crawling than after it."""
    if path is None:
        return
    try:
        trouble = _trouble(path)
    except (OSError, ValueError) as error:
        trouble = error.strerror if isinstance(error, OSError) else "the name is not valid"
    if trouble:
        raise OutputError(f"{option} {path} cannot be written: {trouble}")


def _trouble(path: Path) -> str | None:
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"the folder {path.parent} does not exist"
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        return "permission denied"
    return None


def write(text: str, path: Path | None) -> None:
    """Write a whole result as UTF-8."""
    stream([text], path)


def stream(texts: Iterable[str], path: Path | None) -> None:
    """Write a result piece by piece as UTF-8; a reader that has had enough ends it, and nothing is wrong."""
    if path is None:
        try:
            _pour(texts, sys.stdout.buffer)
        except BrokenPipeError:
            # Python would complain once more when it closes the pipe.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    try:
        with path.open("wb") as file:
            _pour(texts, file)
    except (OSError, ValueError) as error:
        raise OutputError(f"--output {path} cannot be written: {getattr(error, 'strerror', error)}") from error


def _pour(texts: Iterable[str], file: BinaryIO) -> None:
    file.writelines(text.encode("utf-8", "replace") for text in texts)
    file.flush()
