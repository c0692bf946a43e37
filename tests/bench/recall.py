"""How many of the listed communities `find` finds on the recorded Web of 1997: `python -m tests.bench.recall`.

For 20 seeds, growth 2, by links out of the graph alone and with the in-links of the recording: of the communities of
three or more sites that lie within two links of the seed, the share that is found whole.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.ncf.test_webkb import FOLDER, found, gold, listed, start

SEEDS, FIRST = 20, 1


def sample() -> list[str]:
    """Sites of people that lie in a listed community of three or more, and of which a page is recorded."""
    rows = [line.split("\t") for line in (FOLDER / "communities.tsv").read_text().splitlines()]
    recorded = set(gold().values())
    sites = {site for row in rows if len(row) >= 3 for site in row if "/" in site and site in recorded}
    return random.Random(FIRST).sample(sorted(sites), SEEDS)  # a fixed choice


def main() -> None:
    for inlinks in (False, True):
        total = held = 0
        started = time.perf_counter()
        for seed in sample():
            with tempfile.TemporaryDirectory() as folder:
                store = Path(folder) / "s.sqlite"
                communities = asyncio.run(found(f"http://{start(seed)}", store, inlinks=inlinks))
            expected = listed(seed)
            here = sum(any(row <= community for community in communities) for row in expected)
            total, held = total + len(expected), held + here
            print(f"    {seed}: {here} of {len(expected)}")
        way = "with in-links" if inlinks else "by out-links alone"
        print(f"communities found {way}: {held} of {total}, {held / total:.3f}; {time.perf_counter() - started:.0f} s")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
