"""The files that travel with ncf: found in a wheel and in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from filters import conventions, names, organisations, patterns
from filters.chain import Chain, Tables, chain
from ncf.errors import NcfError
from ncf.hubs import Hubs
from ncf.hubs import parse as parse_hubs

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


@cache
def tables() -> Tables:
    """What the filters know from the files that travel with ncf."""
    return Tables(
        suffixes=patterns.parse(_text("suffixes.tsv")),
        organisations=organisations.parse(_text("organisations.tsv")),
        parents=conventions.parse(_text("parents.tsv")),
        names=names.parse(_text("topics.tsv")),
    )


@cache
def hubs() -> Hubs:
    """What everybody links to."""
    return parse_hubs(_text("hubs.tsv"))


def _text(name: str) -> str:
    return (folder() / name).read_text("utf-8")


def filters() -> Chain:
    """The filters, with the tables that travel with ncf alone."""
    return chain(tables())
