"""Writes data/demo: the recorded demo web, and what is true of it. Run it after a change to the plan or the words."""

from __future__ import annotations

from pathlib import Path

from tests.support.demoweb.record import recording
from tests.support.demoweb.truth import community_table, site_table

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo"


def main() -> None:
    """Write the three files."""
    DEMO.mkdir(parents=True, exist_ok=True)
    (DEMO / "demo.warc.gz").write_bytes(recording())
    (DEMO / "sites.tsv").write_text(site_table(), "utf-8")
    (DEMO / "communities.tsv").write_text(community_table(), "utf-8")


if __name__ == "__main__":
    main()
