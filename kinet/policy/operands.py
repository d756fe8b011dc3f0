"""Checks the words of one command against what its program may be given unasked."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kinet.policy import protected
from kinet.policy.paths import is_inside
from kinet.policy.programs import FIND_TESTS, PROGRAMS, Program

# A search through folders passes only if no secret lies below them; above this many entries that
# is not looked for, and the command asks.
_MOST_ENTRIES = 4_000
# One address or two, each a line, the end, a plain expression, or so many lines more; then p.
_SED_PRINT = re.compile(
    r"\A(?:\d{1,9}|\$|/[^/\\\n]{1,200}/)(?:,(?:\+?\d{1,9}|\$|/[^/\\\n]{1,200}/))?p\Z"
)
_SED_OPTIONS = frozenset({"-n", "-E", "-r", "-nE", "-nr", "-En", "-rn"})
# What `test` looks at with them is one file each.
_FILE_TESTS = frozenset({"-f", "-d", "-e", "-s", "-r", "-w", "-x", "-L", "-h"})
_PRINTF = re.compile(r"%(?:[-+ #0]*\d*(?:\.\d+)?[sdiuxXcfeEgGobq%])|[^%]")
_NUMBER = re.compile(r"\A-\d{1,9}\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """Real paths of the project, the home folder, and the folder in which a command begins."""

    root: Path
    home: Path
    start: Path


def objection(words: Sequence[str], place: Place) -> str:
    """Why the command may not run unasked, "" if it may. It may have no other effect than output.

    Raises nothing; looks at paths, and for searches at the names below them.
    """
    name = words[0]
    program = PROGRAMS.get(name)
    if program is None:
        return f"{name} is not on the list of programs that only read"
    if len(words) == 2 and words[1] in ("--help", "--version"):
        return ""
    if name in _SPECIAL:
        return _SPECIAL[name](words[1:], place)
    split = _split(words[1:], program)
    if isinstance(split, str):
        return f"{name}: {split}"
    options, operands = split
    if name == "date":
        return "" if all(word.startswith("+") for word in operands) else "it may set the clock"
    return _operands(name, program, options, operands, place)


def objection_to_start(place: Place) -> str:
    """Why no command may begin unasked in `place.start`, "" if it may."""
    if place.start == place.root:
        return ""
    trouble = _path(".", place)
    return f"it would begin in {place.start}, and {trouble}" if trouble else ""


def _split(words: Sequence[str], program: Program) -> tuple[list[str], list[str]] | str:
    """(options, operands), or what is wrong with an option."""
    options: list[str] = []
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        if program.takes_number and _NUMBER.match(word):
            continue
        taken = _long(word, program) if word.startswith("--") else _short(word, program)
        if taken is None:
            return f"{word} is not on the list of its options"
        found, needs_value = taken
        options += found
        if needs_value:
            if at == len(words):
                return f"{word} lacks its value"
            at += 1
    return options, operands


def _long(word: str, program: Program) -> tuple[list[str], bool] | None:
    name, equals, _ = word[2:].partition("=")
    if equals:
        return ([f"--{name}"], False) if name in program.long_values else None
    if name in program.long_flags:
        return [f"--{name}"], False
    return ([f"--{name}"], True) if name in program.long_values else None


def _short(word: str, program: Program) -> tuple[list[str], bool] | None:
    found: list[str] = []
    for index, letter in enumerate(word[1:], 1):
        if letter in program.flags:
            found.append(letter)
        elif letter in program.values:
            # The rest of the word is its value, else the next word.
            return [*found, letter], index == len(word) - 1
        else:
            return None
    return found, False


def _operands(
    name: str, program: Program, options: Sequence[str], operands: list[str], place: Place
) -> str:
    if len(operands) > program.most_operands:
        return f"{name} with more than {program.most_operands} operands may write"
    if program.operands == "text":
        return ""
    if program.operands == "none":
        return f"{name} takes no operand here" if operands else ""
    recursive = program.recursive == "*" or any(letter in program.recursive for letter in options)
    recursive = recursive or "--recursive" in options
    if program.operands == "pattern":
        given = {"e", "--regexp", "--files"}.intersection(options)
        if not given and not operands:
            return f"{name} lacks a pattern"
        paths = operands if given else operands[1:]
        if recursive and not paths:
            paths = ["."]
    else:
        paths = operands
        # Given folders, diff compares the files in them.
        recursive = name == "diff"
    for path in paths:
        if name == "strings" and path.startswith("@"):
            return f"strings takes its options from the file {path[1:]}"
        trouble = _path(path, place, searched=recursive)
        if trouble:
            return trouble
    return ""


def _find(words: Sequence[str], place: Place) -> str:
    at = 0
    while at < len(words) and not words[at].startswith(("-", "(", ")", "!", ",")):
        trouble = _path(words[at], place)
        if trouble:
            return trouble
        at += 1
    while at < len(words):
        follow = 0 if words[at] == "!" else FIND_TESTS.get(words[at])
        if follow is None:
            return f"find: {words[at]} is not on the list of its tests"
        at += 1 + follow
    return "" if at == len(words) else "find: a test lacks its value"


def _sed(words: Sequence[str], place: Place) -> str:
    at = 0
    options: set[str] = set()
    while at < len(words) and words[at] in _SED_OPTIONS:
        options.update(words[at][1:])
        at += 1
    at += at < len(words) and words[at] == "-e"
    if "n" not in options or at >= len(words) or not _SED_PRINT.match(words[at]):
        return "sed only prints lines unasked (sed -n 1,20p FILE)"
    for word in words[at + 1 :]:
        if word.startswith("-"):
            return f"sed: {word} is not on the list of its options"
        trouble = _path(word, place)
        if trouble:
            return trouble
    return ""


def _printf(words: Sequence[str], place: Place) -> str:
    if not words or words[0].startswith("-"):
        return "printf with an option may set a variable"
    whole = "".join(_PRINTF.findall(words[0])) == words[0]
    return "" if whole else "printf with this format may set a variable"


def _test(words: Sequence[str], place: Place) -> str:
    # Other tests calculate, and what the shell calculates may run a command.
    if len(words) != 2 or words[0] not in _FILE_TESTS:
        return "test looks at one file unasked (test -f FILE)"
    return _path(words[1], place)


def _command(words: Sequence[str], place: Place) -> str:
    plain = len(words) > 1 and words[0] in ("-v", "-V")
    return (
        ""
        if plain and not any(word.startswith("-") for word in words[1:])
        else ("command runs what follows")
    )


def _cd(words: Sequence[str], place: Place) -> str:
    """Only into a folder of the project, and by no link: the shell reads `..` behind one by name,
    the system by what is there."""
    if len(words) != 1 or words[0].startswith("-"):
        return "cd goes to one folder of the project unasked"
    trouble = _path(words[0], place)
    if trouble:
        return trouble
    plain = os.path.normpath(place.start / words[0])
    if plain != os.path.realpath(place.start / words[0]) or not os.path.isdir(plain):
        return f"{words[0]} is a link or no folder"
    return ""


def after_cd(words: Sequence[str], place: Place) -> Place:
    """Where the next command begins if this one, an allowed `cd`, succeeds."""
    return replace(place, start=Path(os.path.normpath(place.start / words[1])))


_SPECIAL: dict[str, Callable[[Sequence[str], Place], str]] = {
    "find": _find, "sed": _sed, "printf": _printf, "test": _test, "command": _command, "cd": _cd,
}  # fmt: skip


def _path(word: str, place: Place, *, searched: bool = False) -> str:
    """Why this operand may not be read unasked, "" if it may. A name that is missing may."""
    if word == "-":
        return ""
    if not word:
        return "an operand is empty"
    if len(word) > 1_000:
        return "an operand is very long"
    try:
        real = Path(os.path.realpath(place.start / word))
        if not is_inside(real, place.root):
            return f"{word} is outside the project folder"
        below = real.relative_to(place.root).parts
        if protected.is_secret(below) or protected.is_secret(Path(word).parts):
            return f"{word} may hold keys or passwords"
        if protected.is_repository(below):
            return f"{word} is inside a repository's own files (.git)"
        try:
            mode = os.lstat(real).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return ""
        if stat.S_ISDIR(mode):
            return _secret_below(real, word) if searched else ""
        return "" if stat.S_ISREG(mode) else f"{word} is not a regular file"
    except (OSError, ValueError) as exc:
        return f"{word} cannot be looked at: {exc}"


def _secret_below(top: Path, word: str) -> str:
    count = 0
    todo = [str(top)]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                count += 1
                if count > _MOST_ENTRIES:
                    return f"{word} is too large to make sure that no secret lies in it"
                if protected.is_secret((entry.name,)):
                    return f"a file below {word} may hold keys or passwords ({entry.name})"
                if entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                    todo.append(entry.path)
                elif _is_special(entry):
                    return f"a pipe or device lies below {word}"
    return ""


def _is_special(entry: os.DirEntry[str]) -> bool:
    return not (
        entry.is_dir(follow_symlinks=False)
        or entry.is_file(follow_symlinks=False)
        or entry.is_symlink()
    )
