"""Reads a unified diff into rows with line numbers and marks of the words that changed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kinet.ui.kit.rows import Row, Run
from kinet.ui.kit.visible_text import spell_out

HEAD_HEIGHT = 28

_HUNK = re.compile(r"@@+ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
# Word marks help where a line was changed, not where it was replaced by another.
_LEAST_ALIKE = 0.3
_LONGEST_MARKED = 1_000
# Changed lines whose words are compared; nobody reads more of them word by word.
_MOST_MARKED = 300
# Words of a line that tell whether it is like another.
_MOST_COMPARED = 60


@dataclass(frozen=True, slots=True)
class DiffText:
    """The rows of a diff, its counts of added and removed lines, and the first file's name."""

    rows: tuple[Row, ...]
    added: int = 0
    removed: int = 0
    hunks: int = 0
    file_name: str = ""


def read_diff(diff: str) -> DiffText:
    """The rows of a unified diff; each hunk gets a head row, each of several files too."""
    rows: list[Row] = []
    lines = diff.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    several = sum(line.startswith("+++ ") for line in lines) > 1
    old = new = hunks = 0
    file_name = ""
    inside = False
    for number, line in enumerate(lines):
        if match := _HUNK.match(line):
            old, new = int(match.group(1)), int(match.group(2))
            hunks += 1
            inside = True
            rows.append(Row("", kind="head", label=f"Line {max(1, new)}", height=HEAD_HEIGHT))
        elif inside and line[:1] in ("+", "-", " ", "") and not _is_file_head(lines, number):
            row, old, new = _line_row(line, old, new)
            rows.append(row)
        elif line.startswith("+++ "):
            inside = False
            name = line[4:].split("\t")[0]
            file_name = file_name or name
            if several:
                rows.append(Row("", kind="file", label=name, height=HEAD_HEIGHT))
        elif line.startswith("\\"):
            rows.append(Row("", kind="note", label="No line feed at the end", height=20))
        elif not line.startswith(("--- ", "diff ", "index ")):
            inside = False
            rows.append(Row(line))
        else:
            inside = False
    added = sum(row.kind == "add" for row in rows)
    removed = sum(row.kind == "del" for row in rows)
    return DiffText(tuple(_with_word_marks(rows)), added, removed, hunks, file_name)


def count_changes(diff: str) -> tuple[int, int]:
    """Added and removed lines, without reading the rest."""
    lines = diff.split("\n")
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    heads = sum(_is_file_head(lines, place) for place in range(len(lines)))
    return added - heads, removed - heads


def _is_file_head(lines: Sequence[str], number: int) -> bool:
    """True for the "--- name" of a next file, which looks like a removed line."""
    return (
        lines[number].startswith("--- ")
        and number + 2 < len(lines)
        and lines[number + 1].startswith("+++ ")
        and _HUNK.match(lines[number + 2]) is not None
    )


def _line_row(line: str, old: int, new: int) -> tuple[Row, int, int]:
    spelt = spell_out(line[1:].removesuffix("\r"))
    marks = tuple(Run(start, length, "warning") for start, length in spelt.marks)
    if line.startswith("+"):
        return Row(spelt.text, marks, kind="add", new=new), old, new + 1
    if line.startswith("-"):
        return Row(spelt.text, marks, kind="del", old=old), old + 1, new
    return Row(spelt.text, marks, kind="same", old=old, new=new), old + 1, new + 1


def _with_word_marks(rows: list[Row]) -> Iterator[Row]:
    """Pairs removed with added lines of the same place and marks what differs in them."""
    place = compared = 0
    while place < len(rows):
        if rows[place].kind != "del":
            yield rows[place]
            place += 1
            continue
        middle = place
        while middle < len(rows) and rows[middle].kind == "del":
            middle += 1
        end = middle
        while end < len(rows) and rows[end].kind == "add":
            end += 1
        removed, added = rows[place:middle], rows[middle:end]
        for number, old in enumerate(removed):
            compared += 1
            partner = _nearest(old, added) if number < 40 and compared <= _MOST_MARKED else None
            if partner is not None:
                removed[number], added[partner] = _marked(old, added[partner])
        yield from removed
        yield from added
        place = end


def _nearest(old: Row, added: Sequence[Row]) -> int | None:
    """The added line most like `old` that has no partner yet."""
    best, found = _LEAST_ALIKE, None
    old_words = _WORD.findall(old.text)[:_MOST_COMPARED]
    for number, row in enumerate(added[:20]):
        if (
            any(run.ground for run in row.runs)
            or max(len(old.text), len(row.text)) > _LONGEST_MARKED
        ):
            continue
        words = _WORD.findall(row.text)[:_MOST_COMPARED]
        matcher = difflib.SequenceMatcher(None, old_words, words, autojunk=False)
        # The quick figure is never below the true one, which takes the order of words in.
        if matcher.quick_ratio() > best and (alike := matcher.ratio()) > best:
            best, found = alike, number
    return found


def _marked(old: Row, new: Row) -> tuple[Row, Row]:
    old_words, new_words = _WORD.findall(old.text), _WORD.findall(new.text)
    matcher = difflib.SequenceMatcher(None, old_words, new_words, autojunk=False)
    old_runs, new_runs = list(old.runs), list(new.runs)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        for runs, words, low, high, ground in (
            (old_runs, old_words, first, last, "diff_del_word"),
            (new_runs, new_words, start, end, "diff_add_word"),
        ):
            before = sum(map(len, words[:low]))
            length = sum(map(len, words[low:high]))
            if length:
                runs.append(Run(before, length, "text", ground))
    return old._replace(runs=tuple(old_runs)), new._replace(runs=tuple(new_runs))
