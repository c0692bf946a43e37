"""Draws docs/demo.svg, the README's picture, from the demo's own output: `python -m tests.support.build_picture`."""

from __future__ import annotations

import asyncio
import io
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.terminal_theme import MONOKAI

from ncf import data, find, knowledge, webs
from ncf.export import table
from ncf.growth import Access
from ncf.store.store import Store

if TYPE_CHECKING:
    from ncf.result import Result

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "demo.svg"
WIDTH = 92
_FONT_FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)


async def demo(folder: Path) -> Result:
    """The result that `ncf demo` prints."""
    manner = webs.Manner(replay=(data.demo_recording(),))
    with Store.open(folder / "demo.sqlite") as store:
        async with webs.opened(manner) as opened:
            means = find.Means(store, knowledge.filters(store), Access(manner.settings, *opened))
            return await find.find(find.Question((data.DEMO_SEED,), data.DEMO_GROWTH), means)


def draw() -> str:
    """The picture, with the reader's own fonts: nothing is fetched from elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(demo(Path(folder)))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    table.show(result, console)
    return _FONT_FACE.sub("", console.export_svg(title="ncf demo", theme=MONOKAI, unique_id="demo"))


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
