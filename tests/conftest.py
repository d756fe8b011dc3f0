"""Settings for all tests: no screen is needed, and nobody's own data is touched."""

from __future__ import annotations

import gc
import os

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

# Things that were made since the last look, and since the last full one.
_NEWEST, _MANY = 20_000, 400_000
_made = 0

# Rooms whose files take longest. They come first, so that no process has one left when the others
# have nothing any more: files are not divided.
_SLOWEST = ("real", "features", "cli", "serve", "mcp", "ui", "tools", "wire")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest rooms first, the rest as it was."""
    rooms = {name: place for place, name in enumerate(_SLOWEST)}
    items.sort(key=lambda item: rooms.get(item.path.parent.name, len(rooms)))


def pytest_runtest_logstart() -> None:
    """No test is interrupted by the collector of garbage.

    It may begin in any thread, and while Qt goes through a list of widgets: what it destroys then
    ends the process. The program itself looks only between two turns of its loop (ui/kit/garbage).
    """
    gc.disable()


def pytest_runtest_logfinish() -> None:
    """What tests left is looked for between two of them."""
    global _made
    newest = gc.get_count()[0]
    if newest < _NEWEST:
        return
    _made += newest
    if _made < _MANY:
        gc.collect(1)
    else:
        gc.collect()
        _made = 0
