"""The house: who imports whom, and what stays behind its door. Read from the imports themselves."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("crawler", "filters", "ncf")  # each imports only what stands to its left


@cache
def modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            found[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


def imported(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions, but not for type checking alone."""
    tree = ast.parse(path.read_text("utf-8"))
    hidden = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    """crawler ← filters ← ncf, and nothing the other way."""
    later = PACKAGES[PACKAGES.index(package) + 1 :]
    wrong = [
        f"{name} imports {target}"
        for name, path in modules().items()
        if name.split(".")[0] == package
        for target in imported(path)
        if target.split(".")[0] in (*later, "tests", "data")
    ]
    assert wrong == []


def test_no_module_imports_itself_in_the_end() -> None:
    """No import cycle; a sort of the graph would raise."""
    graph = {name: imported(path) & set(modules()) - {name} for name, path in modules().items()}
    assert list(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        ("aiohttp", ("crawler.fetch", "crawler.resolve", "crawler.recording.replay")),
        ("sqlite3", ("ncf.store",)),
        ("sqlite_utils", ("ncf.store",)),
        ("selectolax", ("crawler.extract",)),
        ("ada_url", ("crawler.urls",)),
        ("protego", ("crawler.robots",)),
        ("rich", ("ncf.cli", "ncf.export", "ncf.progress")),
        ("typer", ("ncf.cli",)),
    ],
)
def test_each_library_has_its_place(library: str, allowed: tuple[str, ...]) -> None:
    """One seam for the network, one for SQLite, one parser of URLs and of HTML; few modules speak to people."""
    users = {
        name for name, path in modules().items() if any(target.split(".")[0] == library for target in imported(path))
    }
    assert {name for name in users if not name.startswith(allowed)} == set()


def test_inits_reexport_nothing() -> None:
    wrong = [name for name, path in modules().items() if path.name == "__init__.py" and imported(path) & set(modules())]
    assert wrong == []
