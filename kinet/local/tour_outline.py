"""The outline of a file, told from its lines: headings, classes and functions, or columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

MOST_ROWS = 40

_DEFINITION = re.compile(
    r"^(?P<indent>\s*)(?:export\s+|public\s+|async\s+|pub\s+)*"
    r"(?P<kind>class|def|function|fn|struct|interface|enum)\s+(?P<name>[\w.]+)"
)
_HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<name>.+)$")

Lines = Sequence[tuple[int, str]]


def outline(file: str, lines: Lines) -> str:
    """What the file is made of, in Markdown."""
    kind = PurePosixPath(file).suffix.lower()
    if kind in (".csv", ".tsv"):
        return _table(file, lines, "\t" if kind == ".tsv" else ",")
    pattern = _HEADING if kind in (".md", ".markdown", ".rst", ".txt") else _DEFINITION
    rows = [row for number, text in lines if (row := _row(pattern, number, text))]
    head = f"`{file}` has {len(lines):,} lines"
    if not rows:
        return f"{head}, and no headings or definitions in them."
    noun = "headings" if pattern is _HEADING else "definitions"
    more = f"\n\n…and {len(rows) - MOST_ROWS} more." if len(rows) > MOST_ROWS else ""
    return f"{head} and {len(rows)} {noun}:\n\n" + "\n".join(rows[:MOST_ROWS]) + more


def _row(pattern: re.Pattern[str], number: int, text: str) -> str:
    found = pattern.match(text)
    if found is None:
        return ""
    if pattern is _HEADING:
        return f"{'  ' * (len(found['level']) - 1)}- {found['name'].strip()} (line {number})"
    depth = 1 if found["indent"] else 0
    return f"{'  ' * depth}- {found['kind']} `{found['name']}` (line {number})"


def _table(file: str, lines: Lines, separator: str) -> str:
    rows = list(csv.reader((text for _, text in lines), delimiter=separator))
    if not rows:
        return f"`{file}` is empty."
    example = rows[1] if len(rows) > 1 else []
    table = "\n".join(
        f"| {name} | {value} |" for name, value in zip(rows[0], example, strict=False)
    )
    head = f"`{file}` is a table of {len(rows) - 1:,} rows with {len(rows[0])} columns:"
    return f"{head}\n\n| Column | First value |\n|---|---|\n{table}"
