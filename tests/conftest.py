"""What every test gets: a store of its own, and no user's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's data folder."""
    monkeypatch.setenv("NCF_STORE", str(tmp_path / "own.sqlite"))
