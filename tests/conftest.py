"""What every test gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the store or the rules of the person who runs it."""
    monkeypatch.setenv("NCF_STORE", str(tmp_path / "default.sqlite"))
    monkeypatch.setenv("NCF_RULES", str(tmp_path / "rules.tsv"))
