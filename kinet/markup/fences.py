"""The lines that open and close a block of code."""

from __future__ import annotations

import re

FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})([^\n]*)$")


def closes_fence(line: str, mark: str, length: int) -> bool:
    """True if a line closes a fence that was opened by `length` marks."""
    bare = line.strip(" \t")
    wide = line.expandtabs(4)
    indent = len(wide) - len(wide.lstrip(" "))
    return indent < 4 and len(bare) >= length and bare == mark * len(bare)
