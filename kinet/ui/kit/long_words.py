"""Words that may be wider than a line."""

from __future__ import annotations

import re

_LONG_WORD = re.compile(r"\S{40}")


def breakable(text: str) -> str:
    """The text with places to break in words that may be wider than a line: only there."""
    return _LONG_WORD.sub(lambda run: f"{run.group()}\u200b", text)
