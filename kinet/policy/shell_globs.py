"""Replaces the patterns of a plain command (`src/*.py`) by the names that the shell would give it.

The shell is bash as it is started here, or any other of POSIX: no option set, so that a name with a
dot in front needs one in the pattern, `**` means `*`, and a pattern that matches nothing stays as
it is. Patterns hold `*` and `?` alone. The words that come out are judged like any that were typed,
one by one: guarded names, links that lead out, numbers.

What remains: the shell looks again, a moment after this look, and what runs beside may have made a
file meanwhile. Its name is then one that nobody judged. It cannot lie outside the folders that were
looked at, and to read a file somebody had to be able to make it there. But it could be taken for
an option. So a pattern that could match a name with a dash in front is let through only for
programs that have no option which writes, runs or waits for something.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from kinet.policy.operand_paths import Place, path_objection
from kinet.policy.programs import ONLY_READ, PROGRAMS

_MOST_ENTRIES = 4_000
_MOST_NAMES = 400
_PATTERN = re.compile(r"[*?]")


def spread(words: Sequence[str], patterns: frozenset[int], place: Place) -> tuple[str, ...] | str:
    """The words as the program would get them, or why that is not known well enough.

    `patterns` are the places of those that the shell replaces.
    """
    if not patterns:
        return tuple(words)
    program = PROGRAMS.get(words[0])
    if program is None:
        return f"{words[0]} is not on the list of programs that only read"
    if program.operands not in ("paths", "pattern") or program.most_operands < 1_000:
        return f"{words[0]} with a pattern of names may get other words than these"
    found: list[str] = []
    # Which of several words is no name of a file there is the program's affair.
    all_are_paths = program.operands == "paths"
    try:
        for at, word in enumerate(words):
            given = _names(word, place) if at in patterns else [word]
            if isinstance(given, str):
                return given
            if at in patterns and words[0] not in ONLY_READ and word[0] in "*?":
                return f"{word} may become an option of {words[0]} (./{word} cannot)"
            if at in patterns and not all_are_paths:
                troubles = (path_objection(name, place) for name in given)
                if trouble := next(filter(None, troubles), ""):
                    return trouble
            found += given
            if len(found) > _MOST_NAMES:
                return f"{word} matches more than {_MOST_NAMES:,} names"
    except OSError as exc:
        return f"a pattern cannot be looked at: {exc.strerror or exc}"
    return tuple(found)


def _names(pattern: str, place: Place) -> list[str] | str:
    """The names that match; the pattern itself if none does. A text says why it asks."""
    beginning, _, rest = ("/", "", pattern.lstrip("/")) if pattern[0] == "/" else ("", "", pattern)
    found = [beginning]
    count = 0
    parts = rest.split("/")
    for place_of, part in enumerate(parts):
        if not _PATTERN.search(part):
            # What is not there drops out below, where it is looked into or at the end.
            found = [_joined(name, part) for name in found]
            continue
        if part[0] == ".":
            return f"{pattern} may match names with a dot in front"
        matching = _expression(part)
        below: list[str] = []
        for folder in found:
            if trouble := path_objection(folder or ".", place):
                return trouble
            names = _listed(place.start / folder)
            count += len(names)
            if count > _MOST_ENTRIES:
                return f"{pattern} leads through too many names"
            below += [_joined(folder, name) for name in names if _matches(matching, name)]
        last = place_of == len(parts) - 1
        found = [name for name in below if last or os.path.isdir(place.start / name)]
    there = [name for name in found if os.path.lexists(place.start / name)]
    if any(name.startswith("-") for name in there):
        return f"{pattern} matches a name with a dash in front, which is taken for an option"
    return sorted(there) or [pattern]


def _joined(folder: str, name: str) -> str:
    return f"{folder}{'' if folder in ('', '/') else '/'}{name}"


def _listed(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _expression(part: str) -> re.Pattern[str]:
    letters = {"*": ".*", "?": "."}
    runs = re.sub(r"\*+", "*", part)
    return re.compile("".join(letters.get(one, re.escape(one)) for one in runs) + r"\Z", re.S)


def _matches(expression: re.Pattern[str], name: str) -> bool:
    """A question mark stands for a letter or for a byte, as the shell's language has it."""
    return bool(expression.match(name) or expression.match(os.fsencode(name).decode("latin-1")))
