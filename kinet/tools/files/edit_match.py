"""Finds the text an edit names in a file and splices the new text in, byte for byte."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kinet.core.errors import ToolError
from kinet.tools.files.edit_near import near_miss
from kinet.tools.files.text_form import UNKNOWN, TextForm

_SHOWN_PLACES = 10


@dataclass(frozen=True, slots=True)
class Edit:
    """One wish: `old` becomes `new`, once or everywhere."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Edited:
    """The file after the edits. `notes` are sentences for the model, `count` the replacements."""

    form: TextForm
    count: int
    notes: tuple[str, ...] = ()


def apply_edits(form: TextForm, edits: Sequence[Edit], *, path: str) -> Edited:
    """All edits in order, each on the result of the one before; all of them or a ToolError.

    Kinds: empty-old, no-change, not-found, ambiguous, encoding. Nothing outside the replaced spans
    changes; new line ends follow the span, else the file.
    """
    notes: list[str] = []
    count = 0
    for number, edit in enumerate(edits, 1):
        which = f"Edit {number} of {len(edits)}: " if len(edits) > 1 else ""
        try:
            form, done, note = _apply(form, edit, path)
        except ToolError as exc:
            rest = " No edit of this call was applied." if which else ""
            raise ToolError(f"{which}{exc.message}{rest}", hint=exc.hint, kind=exc.kind) from exc
        count += done
        notes += [note] if note else []
    return Edited(form, count, tuple(notes))


def _apply(form: TextForm, edit: Edit, path: str) -> tuple[TextForm, int, str]:
    view = _View(form.text)
    old, new, note = _wish(form, edit, view.text)
    if not old:
        raise ToolError(
            "old_string is empty.",
            hint="Give the text to replace; write_file makes a file or replaces it whole.",
            kind="empty-old",
        )
    if old == new:
        raise ToolError("old_string and new_string are equal: nothing to change.", kind="no-change")
    starts = _starts(view.text, old)
    if not starts:
        raise ToolError(
            f"old_string does not occur in {path}. {near_miss(view.text, old)}".strip(),
            hint=_unreadable(form, old) or "Read the file again and copy the text exactly.",
            kind="not-found",
        )
    overlapping = view.text.find(old, starts[0] + 1)
    if len(starts) == 1 and overlapping != -1:
        # "aa" in "aaa" stands at two places, of which only one can be meant.
        starts = [*starts, overlapping]
    if len(starts) > 1 and not edit.everywhere:
        raise ToolError(
            f"old_string occurs {len(starts)} times in {path}, at {_lines(view.text, starts)}.",
            hint="Add lines around it until it is unique, or set replace_all.",
            kind="ambiguous",
        )
    # A character that cannot be written is told before anything is joined.
    form.encode(new, path=path)
    spans = [(start, start + len(old)) for start in starts]
    return form.with_text(_spliced(form, view, spans, new)), len(spans), note


def _unreadable(form: TextForm, old: str) -> str:
    if form.encoding != UNKNOWN or old.isascii():
        return ""
    return (
        "The file is in an encoding that is not known, so only its ASCII text can be named: choose "
        "such a piece, or convert the file first with a command."
    )


def _wish(form: TextForm, edit: Edit, text: str) -> tuple[str, str, str]:
    """Old and new text on the view: LF only, without the mark and without copied line numbers."""
    old = edit.old.replace("\r\n", "\n")
    new = edit.new.replace("\r\n", "\n")
    if form.mark and old.startswith("\ufeff"):
        old, new = old.removeprefix("\ufeff"), new.removeprefix("\ufeff")
    if old and old not in text:
        bare = _without_numbers(old)
        if bare and bare in text:
            return bare, _without_numbers(new) or new, "Line numbers were taken off old_string."
    return old, new, ""


_NUMBERED = re.compile(r"[ ]*(\d+)\t(.*)\Z", re.DOTALL)


def _without_numbers(text: str) -> str:
    """The text without the numbers that read_file prints, "" if not every line has the next one."""
    lines = text.split("\n")
    closing = lines.pop() if lines[-1] == "" else None
    found = [_NUMBERED.match(line) for line in lines]
    matches = [match for match in found if match is not None]
    if not lines or len(matches) != len(lines):
        return ""
    numbers = [int(match.group(1)) for match in matches]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return ""
    bare = [match.group(2) for match in matches]
    return "\n".join(bare if closing is None else [*bare, closing])


class _View:
    """A text with every CRLF as LF, and the way back from its positions to the text's own."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        # Where in the view the line ends lie that stand for two characters.
        self._pairs = [
            match.start() - number for number, match in enumerate(re.finditer("\r\n", text))
        ]

    def position(self, index: int) -> int:
        """The position in the text of position `index` of the view."""
        return index + bisect_left(self._pairs, index)


def _starts(text: str, old: str) -> list[int]:
    starts: list[int] = []
    at = text.find(old)
    while at != -1:
        starts.append(at)
        at = text.find(old, at + len(old))
    return starts


def _spliced(form: TextForm, view: _View, spans: Sequence[tuple[int, int]], new: str) -> str:
    pieces: list[str] = []
    end_of_last = 0
    for start, end in spans:
        old = view.text[start:end]
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        begin = view.position(start + head)
        finish = view.position(end - tail)
        whole = form.text[view.position(start) : view.position(end)]
        inserted = _ended(
            new[head : len(new) - tail], form.text[begin:finish], whole, form.line_end
        )
        pieces += [form.text[end_of_last:begin], inserted]
        end_of_last = finish
    return "".join([*pieces, form.text[end_of_last:]])


def _common(first: str, second: str) -> int:
    """How many characters both begin with."""
    shortest = min(len(first), len(second))
    if first[:shortest] == second[:shortest]:
        return shortest
    low, high = 0, shortest
    while high - low > 1:
        middle = (low + high) // 2
        if first[:middle] == second[:middle]:
            low = middle
        else:
            high = middle
    return low


_LINE_END = re.compile("\r\n|\n")


def _ended(new: str, replaced: str, span: str, of_file: str) -> str:
    """`new` with line ends: the n-th like the n-th replaced, else the span's, else the file's."""
    if "\n" not in new:
        return new
    known = _LINE_END.findall(replaced)
    others = known or _LINE_END.findall(span)
    further = others[-1] if others else of_file
    lines = new.split("\n")
    ends = [known[at] if at < len(known) else further for at in range(len(lines) - 1)]
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _lines(text: str, starts: Sequence[int]) -> str:
    numbers = [text.count("\n", 0, start) + 1 for start in starts[:_SHOWN_PLACES]]
    more = "" if len(starts) <= _SHOWN_PLACES else f" and {len(starts) - _SHOWN_PLACES} more"
    return f"line {', '.join(map(str, numbers))}{more}"


def replaced_whole(form: TextForm, content: str) -> TextForm:
    """The whole text exchanged; mark, encoding and the file's own line ends stay."""
    plain = content.replace("\r\n", "\n")
    return replace(form, text=plain.replace("\n", form.line_end))
