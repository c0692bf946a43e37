"""A real browser for tests: Debian's chromium, which talks to loopback and to nobody else."""

from __future__ import annotations

import os
import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Page

CHROMIUM = shutil.which("chromium")
REQUIRED = os.environ.get("NCF_REQUIRE_BROWSER") == "1"  # CI: a missing browser is an error there, not a skip
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED, reason="chromium is not installed (Debian: apt-get install chromium)"
)
_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-features=OptimizationHints"
).split()
_LOOPBACK_ONLY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


@asynccontextmanager
async def browser_page() -> AsyncIterator[Page]:
    """An empty page in a new browser."""
    from playwright.async_api import async_playwright

    assert CHROMIUM is not None, "NCF_REQUIRE_BROWSER is set, and chromium is not installed"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*_FLAGS, _LOOPBACK_ONLY])
        try:
            yield await browser.new_page(java_script_enabled=True)
        finally:
            await browser.close()
