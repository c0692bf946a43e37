"""Where results go: standard output, or a file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ncf.errors import OutputError

if TYPE_CHECKING:
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
    data = text.encode("utf-8", "replace")
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(data)
    except (OSError, ValueError) as error:
        raise OutputError(f"--output {path} cannot be written: {getattr(error, 'strerror', error)}") from error
