"""Makes the unified diff that a person sees, and the text that some of its hunks make."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kinet.tools.files.text_form import for_reading

_CONTEXT = 3
# Above this many lines on a side the search for moved lines could take seconds.
_MOST_COMPARED = 4_000


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff and how many lines it adds and removes."""

    text: str
    added: int
    removed: int


def unified_diff(before: str | None, after: str, name: str) -> Diff:
    """The diff of two texts; `before` is None for a new file. Equal texts give an empty one."""
    source = "/dev/null" if before is None else f"a/{name}"
    found = _compared(before, after)
    body = _written(found)
    if not body:
        return Diff("", 0, 0)
    added = sum(line.startswith("+") for line in body)
    removed = sum(line.startswith("-") for line in body)
    return Diff("\n".join([f"--- {source}", f"+++ b/{name}", *body]) + "\n", added, removed)


def with_hunks(before: str, after: str, accepted: Collection[int]) -> str:
    """`before` with those hunks of the diff (numbers from 1) applied; all else stays as it was."""
    found = _compared(before, after)
    old, new = _raw_lines(before), _raw_lines(after)
    out: list[str] = []
    at = 0
    for number, hunk in enumerate(found.hunks, 1):
        for word, old_from, old_to, new_from, new_to in hunk:
            if word == "equal":
                continue
            begin, end = found.skipped + old_from, found.skipped + old_to
            out += old[at:begin]
            if number in accepted:
                out += new[found.skipped + new_from : found.skipped + new_to]
            else:
                out += old[begin:end]
            at = end
    return "".join([*out, *old[at:]])


_Step = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Compared:
    """The lines around the changes and the hunks as steps on them; `skipped` lines come before."""

    old: list[str]
    new: list[str]
    skipped: int
    hunks: list[list[_Step]]


def _compared(before: str | None, after: str) -> _Compared:
    # In a file that has CRLF throughout, the mark of each line end would only be noise.
    texts = [text for text in (before, after) if text]
    if all(text.count("\r\n") == text.count("\n") for text in texts):
        before = before and before.replace("\r\n", "\n")
        after = after.replace("\r\n", "\n")
    old = _lines(for_reading(before or ""))
    new = _lines(for_reading(after))
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    changed_old, changed_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not changed_old and not changed_new:
        return _Compared([], [], 0, [])
    lead = old[max(0, head - _CONTEXT) : head]
    follow = old[len(old) - tail : len(old) - tail + _CONTEXT]
    skipped = head - len(lead)
    old, new = [*lead, *changed_old, *follow], [*lead, *changed_new, *follow]
    return _Compared(old, new, skipped, _steps(old, new))


def _lines(text: str) -> list[str]:
    """Lines with their end as a mark where it is not a plain LF, so that it can be seen."""
    lines = text.split("\n")
    last = lines.pop()
    marked = [line[:-1] + "␍" if line.endswith("\r") else line for line in lines]
    if last:
        marked.append(last + "\n\\ No newline at end of file")
    return marked


def _equal(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for first, second in zip(old, new, strict=False):
        if first != second:
            break
        count += 1
    return count


def _raw_lines(text: str) -> list[str]:
    """The lines with their ends; they correspond one to one with those that are compared."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _steps(old: list[str], new: list[str]) -> list[list[_Step]]:
    if max(len(old), len(new)) > _MOST_COMPARED:
        return [[("replace", 0, len(old), 0, len(new))]]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [list(group) for group in matcher.get_grouped_opcodes(_CONTEXT)]


def _written(found: _Compared) -> list[str]:
    out: list[str] = []
    for hunk in found.hunks:
        first, last = hunk[0], hunk[-1]
        out.append(_range(found.skipped, first[1], last[2], first[3], last[4]))
        for word, old_from, old_to, new_from, new_to in hunk:
            if word == "equal":
                out += [f" {line}" for line in found.old[old_from:old_to]]
                continue
            out += [f"-{line}" for line in found.old[old_from:old_to]]
            out += [f"+{line}" for line in found.new[new_from:new_to]]
    return out


def _range(skipped: int, old_from: int, old_to: int, new_from: int, new_to: int) -> str:
    old = _side(skipped + old_from, old_to - old_from)
    new = _side(skipped + new_from, new_to - new_from)
    return f"@@ -{old} +{new} @@"


def _side(start: int, length: int) -> str:
    begin = start + 1 if length else start
    return str(begin) if length == 1 else f"{begin},{length}"
