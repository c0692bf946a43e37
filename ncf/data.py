"""The files that travel with ncf: found in a wheel and in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from filters import chain, suffixes
from ncf.errors import NcfError

if TYPE_CHECKING:
    from filters.chain import Chain

DEMO_SEED = "http://kepler-college.example/~anna/"
DEMO_GROWTH = 2


def folder() -> Path:
    """The data folder: `ncf/_data` of an installed wheel, `data` of a checkout."""
    here = Path(__file__).resolve().parent
    for place in (here / "_data", here.parent / "data"):
        if (place / "suffixes.tsv").is_file():
            return place
    raise NcfError("ncf's own data files are missing: install ncf again")


def demo_recording() -> Path:
    """The recorded demo web."""
    return folder() / "demo" / "demo.warc.gz"


def filters() -> Chain:
    """The filters, with the database that travels with ncf."""
    return chain.chain(suffixes.parse((folder() / "suffixes.tsv").read_text("utf-8")))
