"""`ncf find --plan`: what would be asked of whom, and how long it takes."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ncf.cli_task import Task
    from ncf.plan import Plan
    from ncf.store.store import Store


def print_plan(task: Task, path: Path | None) -> None:
    """Plan from what the store has, which stays as it is; nothing is asked for."""
    from ncf.export import plan as export

    with ExitStack() as stack:
        store = stack.enter_context(_store(path, stack))
        export.write(_planned(task, store), task.question, task.printing)


def _store(path: Path | None, stack: ExitStack) -> Store:
    """The store, or an empty one where there is none yet: planning leaves no file behind."""
    from ncf.store import connection
    from ncf.store.store import Store

    place = path or connection.default_path()
    if not place.exists():
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ncf-"))) / "empty.sqlite"
    return Store.open(place)


def _planned(task: Task, store: Store) -> Plan:
    import asyncio

    from ncf import cli_run, cli_task, find

    with cli_run.recording(task.manner, quiet=task.printing.quiet) as archive:
        sources = cli_task.opened_sources(task, store, archive)
        offline = replace(task.manner, offline=True)
        means = cli_task.means(task, store, cli_run.access(offline, (None, None), None), sources)
        delay = task.manner.settings.delay
        settings = replace(means.access.settings, delay=delay)
        return asyncio.run(find.plan(task.question, replace(means, access=replace(means.access, settings=settings))))
