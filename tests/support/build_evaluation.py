"""Writes docs/evaluation.md from what the commands print: `make evaluation`. Needs the data beside the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.shared import SHARED

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evaluation.md"
WEBKB = SHARED / "data/webkb"
CALIFORNIA = SHARED / "data/california/gr0.California"

HEAD = """# How right the filters are

Made by `make evaluation` from what the commands print; nothing here is written by hand but these lines.

*Right* are pages that are given exactly their gold site; *split off* are administrators' pages that are given to a
user; B³ is B-cubed precision, recall and F1 over pages (Bagga and Baldwin 1998); *servers wrong* is the paper's own
figure, the share of servers wrongly called single or multi, of those the gold is sure of (the paper estimates 6.8 % and
4.5 %); *prefixes* are the directories that users without a ~ stand in, and how many are right with all their pages.
Filter 0, what a store has learned and a person's own rules are switched off. *By evidence alone* also leaves out the
names of parent directories and the known organisations: what is left are the tilde and filters 3 to 6.

The kinds of evidence were found while looking at these pages, all three universities included; only the four thresholds
named below are chosen with one university held back. Expect less on servers of other kinds.

## Three universities, 1997
2,870 pages of Cornell, Texas and Washington (CMU WebKB, Craven et al. 1998), with
`ncf eval sites --replay WARC --gold pages.tsv --choose --ablation --format markdown`:

"""
SECOND = """
## A list of addresses, 2002
9,664 pages that matched "California" (Kleinberg), with `ncf eval sites --urls FILE --format markdown`:

"""


def printed(*arguments: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "ncf", "eval", "sites", *arguments, "--format", "markdown", "--quiet"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def labelled(*more: str) -> str:
    """The tables on labelled pages."""
    recordings = [text for path in sorted(WEBKB.glob("*.warc.gz")) for text in ("--replay", str(path))]
    return printed(*recordings, "--gold", str(WEBKB / "pages.tsv"), *more)


def build() -> str:
    """The whole page."""
    return HEAD + labelled("--choose", "--ablation") + SECOND + printed("--urls", str(CALIFORNIA))


if __name__ == "__main__":
    PAGE.write_text(build(), encoding="utf-8")
