"""Takes our own notes out of an answer that repeats them; inside code they stay."""

from __future__ import annotations

import re

_NOTE = re.compile(r"^[ \t]*\[Kinet: [^\n]*\][ \t]*(?:\n|$)", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)


def without_echoes(text: str) -> str:
    """`text` without lines that are a note of ours; itself if there is none."""
    if "[Kinet: " not in text:
        return text
    kept: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark:
            run = mark.group(1)
            if not fence:
                fence = run
            elif run[0] == fence[0] and len(run) >= len(fence):
                fence = ""
        if not fence and _NOTE.match(line):
            continue
        kept.append(line)
    return "".join(kept)
