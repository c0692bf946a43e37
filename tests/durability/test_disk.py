"""A disk that is full half-way: three ways to fill it, each of which SQLite hears of differently."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.durability.sittings import Witness, noted, same, sit, undisturbed
from tests.support.finder import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.served import Served

FULL = re.compile(
    r"ncf: the store \S+ (cannot grow: the disk is full"
    r"|cannot be read or written: the disk reports an error, or is full)\n"
)


async def _outlives(served: Served, folder: Path, *sittings: Task) -> None:
    """Each sitting but the last ends in one sentence; then all is as if there had been space from the beginning."""
    *starved, last = sittings
    expected = await undisturbed(served, last, folder)
    witness = Witness(served, Path(last.store), last.connections)
    for task in starved:
        sitting = await sit(served, task, folder)
        assert sitting.status == 1, sitting
        assert FULL.fullmatch(sitting.said), sitting
        witness.look(sitting)
    held = len(witness.held.pages)
    sitting = await sit(served, last, folder)
    assert (sitting.status, sitting.said) == (0, "")
    assert witness.look(sitting).runs <= 1
    assert same(noted(Path(last.store)), expected)
    assert held, "something was kept before the disk was full"


@pytest.mark.parametrize("pages", [60, 90])
async def test_a_store_that_may_not_grow_loses_nothing(pages: int, served: Served, tmp_path: Path) -> None:
    """SQLite's own limit, of pages in the file."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    await _outlives(served, tmp_path, replace(task, most_pages=pages), task)


@pytest.mark.parametrize("kilobytes", [300, 700])
async def test_a_file_that_may_not_grow_loses_nothing(kilobytes: int, served: Served, tmp_path: Path) -> None:
    """The system's limit on the size of a file, the log of what is not yet in the store included."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    await _outlives(served, tmp_path, replace(task, most_bytes=kilobytes * 1024), task)


async def test_a_disk_that_is_full_again_and_again_is_outlived(served: Served, tmp_path: Path) -> None:
    """Each time that there is a little more space, the same command goes on where it stood."""
    task = Task({}, str(tmp_path / "store.sqlite"))
    await _outlives(served, tmp_path, *(replace(task, most_pages=pages) for pages in (45, 65, 85)), task)


@contextlib.contextmanager
def _small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run([mount, "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True)
    if not made or made.returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def _enlarge(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)


async def test_a_full_disk_loses_nothing(served: Served, tmp_path: Path) -> None:
    """A real one, where even the log and the shared memory beside the store find no space; then it is made larger."""
    with _small_disk(tmp_path / "disk", "700k") as disk:
        task = Task({}, str(disk / "store.sqlite"))
        witness = Witness(served, Path(task.store), task.connections)
        expected = await undisturbed(served, task, tmp_path)
        for _ in range(2):
            sitting = await sit(served, task, tmp_path)
            assert sitting.status == 1, sitting
            assert FULL.fullmatch(sitting.said), sitting
            witness.look(sitting)
        assert witness.held.pages
        _enlarge(disk)
        sitting = await sit(served, task, tmp_path)
        assert (sitting.status, sitting.said) == (0, "")
        assert witness.look(sitting).runs == 1
        assert same(noted(Path(task.store)), expected)
