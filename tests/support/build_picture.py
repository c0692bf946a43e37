"""Draws docs/demo.svg, the README's picture, from the demo's own output: `python -m tests.support.build_picture`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.terminal_theme import MONOKAI

from ncf.export import table
from ncf.export.holdings import from_document

if TYPE_CHECKING:
    from ncf.result import Result

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "demo.svg"
WIDTH, COMMUNITIES = 112, 3
_FONT_FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def demo() -> Result:
    """What `ncf demo` finds, told by the command itself."""
    command = [sys.executable, "-m", "ncf", "demo", "--format", "json", "--quiet"]
    ran = subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
    return from_document(json.loads(ran.stdout))


def draw() -> str:
    """The picture, with the reader's own fonts: nothing is fetched from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    table.show(demo(), console, COMMUNITIES)
    title = f"ncf demo --top {COMMUNITIES}"
    return _FONT_FACE.sub("", console.export_svg(title=title, theme=MONOKAI, unique_id="demo"))


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
