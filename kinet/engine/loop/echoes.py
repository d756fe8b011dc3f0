"""Takes our own notes out of an answer that repeats them; inside code they stay."""

from __future__ import annotations

import re

# Four spaces before it make a line code.
_NOTE = re.compile(r" {0,3}\[Kinet: [^\n]*\]\s*$")
# Also in quotes and lists. After a fence of backticks no further one stands on its line.
_FENCE = re.compile(r"(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*(?:(`{3,})([^`\n]*)|(~{3,})(.*))$")


def without_echoes(text: str) -> str:
    """`text` without lines that are a note of ours; itself if there is none."""
    if "[Kinet: " not in text:
        return text
    kept: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line.rstrip())
        if mark:
            run, behind = mark[1] or mark[3], mark[2] or mark[4]
            if not fence:
                fence = run
            elif run[0] == fence[0] and len(run) >= len(fence) and not behind:
                fence = ""
        if not fence and _NOTE.match(line):
            continue
        kept.append(line)
    return "".join(kept)
