"""Puts what was said after a skill's name into its text, as the conventions of the format have it.

`$ARGUMENTS` is all of it as it was typed; `$ARGUMENTS[0]`, `$0`, `$1` are its words, split as a
shell does, counted from 0; `$name` is a word that the head names under `arguments`. What is
missing stays as it is written, so that a `$1` of a script in the text is left alone. A text that
takes no arguments gets them at its end. `\\$0` stays `$0`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

_MARK = re.compile(
    r"(?P<escaped>\\\$(?=ARGUMENTS|\d))"
    r"|\$ARGUMENTS\[(?P<index>\d{1,2})\]"
    r"|(?P<all>\$ARGUMENTS\b)"
    r"|\$(?P<number>\d{1,2})(?!\d)"
    r"|\$(?P<name>[A-Za-z_]\w*)"
    r"|\$\{(?P<variable>CLAUDE_SKILL_DIR|CLAUDE_PROJECT_DIR|CLAUDE_SESSION_ID)\}"
)


def filled(
    body: str,
    arguments: str,
    names: Sequence[str] = (),
    *,
    folder: Path,
    project: Path | None = None,
    session_id: str = "",
) -> str:
    """The body with the arguments in their places. Never raises."""
    arguments = arguments.strip()
    words = _words(arguments)
    variables = {
        "CLAUDE_SKILL_DIR": str(folder),
        "CLAUDE_PROJECT_DIR": str(project or ""),
        "CLAUDE_SESSION_ID": session_id,
    }
    taken = False

    def put(found: re.Match[str]) -> str:
        nonlocal taken
        if found["escaped"]:
            return "$"
        if found["variable"]:
            return variables[found["variable"]] or found[0]
        if found["all"]:
            taken = True
            return arguments
        place = _place(found, names)
        if not 0 <= place < len(words):
            return found[0]
        taken = True
        return words[place]

    text = _MARK.sub(put, body)
    return text if taken or not arguments else f"{text}\n\nARGUMENTS: {arguments}"


def _place(found: re.Match[str], names: Sequence[str]) -> int:
    if found["name"]:
        return names.index(found["name"]) if found["name"] in names else -1
    return int(found["index"] or found["number"])


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:
        # A quote that is not closed is a letter like any other.
        return arguments.split()
