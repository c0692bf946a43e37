"""A hundred kills at random moments of a find: `python -m tests.bench.kills [KILLS [SEED [GROWTH]]]`.

Under each budget, on servers that work and on servers in trouble.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.durability.kills import TASKS, killed
from tests.durability.sittings import Tally
from tests.support.served import Served


async def main(kills: int = 100, seed: int = 0, growth: int = 2) -> None:
    """Kill, and print what it cost."""
    print(f"seed {seed}")
    share = -(-kills // (2 * len(TASKS)))
    total = Tally()
    for troubled in (False, True):
        async with Served() as served:
            if troubled:
                served.be_troubled(seed)
            for name, task in TASKS.items():
                with tempfile.TemporaryDirectory(prefix="ncf-kills-") as folder:
                    tally = await killed(
                        served,
                        replace(task, growth=growth),
                        Path(folder),
                        share,
                        random.Random(f"{seed} {name} {troubled}"),
                    )
                print(f"{name}{', servers in trouble' if troubled else ''}: {tally}", flush=True)
                total.add(tally)
    print(f"in all: {total}")


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
