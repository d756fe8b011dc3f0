"""What the tests of the engine share."""

from __future__ import annotations

from tests.support.wires import wire

__all__ = ["wire"]
