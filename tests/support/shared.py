"""Where the shared data lies: beside the project, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the project")
