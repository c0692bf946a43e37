"""What every test of durability gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.served import Served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """The demo web on loopback, for other processes."""
    async with Served() as web:
        yield web
