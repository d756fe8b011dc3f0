"""Sections of a KINET.md that a form fills in; all else of the file stays byte for byte."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the form and the heading of the section it writes."""

    key: str
    heading: str
    help: str
    # Other headings that people give such a section.
    also: tuple[str, ...] = ()


FIELDS: tuple[FormField, ...] = (
    FormField(
        "language", "Language", "Of answers, comments and texts: “Answer in German, code in "
        "English.”", ("Sprache", "Languages", "语言", "言語"),
    ),
    FormField(
        "naming", "Naming", "How files, functions and branches are called.",
        ("Names", "Naming conventions"),
    ),
    FormField(
        "style", "Style", "How code and texts are written: line length, quotes, tone.",
        ("Code style", "Coding style"),
    ),
    FormField(
        "forbidden", "Forbidden", "What must never be done or touched, one a line.",
        ("Never", "Do not"),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Section:
    """Lines `start` (the heading) to `end` (not included); the text begins at `body`."""

    start: int
    body: int
    end: int


def section_text(text: str, field: FormField) -> str:
    """What the field's section says, without blank lines around it; "" if there is none."""
    lines = text.split("\n")
    found = _find(lines, field)
    return "" if found is None else "\n".join(lines[found.body : found.end]).strip("\n")


def with_section(text: str, field: FormField, said: str) -> str:
    """The text with this in the field's section; a new section comes at the end.

    An empty text takes the section away, heading and all. What stands elsewhere is not touched.
    """
    said = said.strip("\n")
    if section_text(text, field) == said:
        return text
    lines = text.split("\n")
    found = _find(lines, field)
    if found is None:
        before = text.rstrip("\n")
        return f"{before}\n\n## {field.heading}\n\n{said}\n" if before else _alone(field, said)
    if not said:
        rest = lines[: found.start] + lines[found.end :]
        if found.end == len(lines):
            # The last line keeps its end; the blank lines before the section go with it.
            return "\n".join(rest).rstrip("\n") + "\n" if any(rest) else ""
        return "\n".join(rest)
    tail = [""] if found.end == len(lines) else _blank_before(lines, found.end)
    written = [lines[found.start], "", *said.split("\n"), *tail]
    return "\n".join([*lines[: found.start], *written, *lines[found.end :]])


def _alone(field: FormField, said: str) -> str:
    return f"## {field.heading}\n\n{said}\n"


def _blank_before(lines: list[str], end: int) -> list[str]:
    """The blank lines that part a section from the next one, one at least."""
    count = 0
    while end - count - 1 >= 0 and not lines[end - count - 1].strip():
        count += 1
    return lines[end - count : end] or [""]


def _find(lines: list[str], field: FormField) -> _Section | None:
    """The first section of this heading; a heading inside a code block is none."""
    wanted = {name.casefold() for name in (field.heading, *field.also)}
    fence = ""
    start, depth = -1, 0
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1][0] == fence[0] and len(mark[1]) >= len(fence))):
            fence = "" if fence else mark[1]
            continue
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            continue
        if start >= 0 and len(heading[1]) <= depth:
            return _Section(start, start + 1, number)
        if start < 0 and heading[2].casefold() in wanted:
            start, depth = number, len(heading[1])
    return None if start < 0 else _Section(start, start + 1, len(lines))
