"""Settings for all tests: no screen is needed, and nobody's own data is touched."""

from __future__ import annotations

import gc
import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")

# Things that were made since the last look, and since the last full one.
_NEWEST, _MANY = 20_000, 400_000
_made = 0


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
