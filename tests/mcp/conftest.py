"""Servers of all kinds, started as a session starts them, ended with the test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from mcp_kit import Kit


@pytest_asyncio.fixture
async def kit(tmp_path: Path) -> AsyncIterator[Kit]:
    folder = tmp_path / "project"
    folder.mkdir()
    made = Kit(folder)
    yield made
    await made.end()
