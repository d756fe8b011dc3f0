"""Checks the words of one command against what its program may be given unasked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinet.policy.git_reading import git_objection
from kinet.policy.operand_paths import Place, path_objection
from kinet.policy.programs import FIND_TESTS, PROGRAMS, Program
from kinet.policy.searches import search_of

# One address or two, each a line, the end, a plain expression, or so many lines more; then p.
_SED_PRINT = re.compile(
    r"\A(?:\d{1,9}|\$|/[^/\\\n]{1,200}/)(?:,(?:\+?\d{1,9}|\$|/[^/\\\n]{1,200}/))?p\Z"
)
_SED_OPTIONS = frozenset({"-n", "-E", "-r", "-nE", "-nr", "-En", "-rn"})
# What `test` looks at with them is one file each.
_FILE_TESTS = frozenset({"-f", "-d", "-e", "-s", "-r", "-w", "-x", "-L", "-h"})
_PRINTF = re.compile(r"%(?:[-+ #0]*\d*(?:\.\d+)?[sdiuxXcfeEgGobq%])|[^%]")
_DATE_VALUE = re.compile(r"\A-[A-Za-z]*I.")
_NUMBER = re.compile(r"\A-\d{1,9}\Z")
_AMOUNT = re.compile(r"\A[+-]?\d{1,18}[bkKmMGTB]{0,3}\Z")


@dataclass(frozen=True, slots=True)
class _Words:
    """The options, the operands, and what stands behind an operand and looks like an option.

    Those last are options to GNU's programs and names of files to those of BSD and macOS. `given`
    are the options that have a value, each without its dashes.
    """

    options: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    given: list[tuple[str, str]] = field(default_factory=list)


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
    if name == "strings" and (file := next((one for one in words if one.startswith("@")), "")):
        return f"strings takes its options from the file {file[1:]}"
    if name in _SPECIAL:
        spread = next(filter(_may_spread, words[1:]), "")
        return f"{spread} may become several words" if spread else _SPECIAL[name](words[1:], place)
    split = _split(words[1:], program)
    if isinstance(split, str):
        return f"{name}: {split}"
    if name == "date":
        # What stands behind an I is its value, so that the next word would be a time to set.
        shows = all(word.startswith("+") for word in split.operands)
        shows = shows and not any(map(_DATE_VALUE.match, words[1:]))
        return "" if shows else "it may set the clock"
    return _operands(name, program, split, place)


def objection_to_start(place: Place) -> str:
    """Why no command may begin unasked in `place.start`, "" if it may."""
    if place.start == place.root:
        return ""
    trouble = path_objection(".", place)
    return f"it would begin in {place.start}, and {trouble}" if trouble else ""


def _split(words: Sequence[str], program: Program) -> _Words | str:
    """The words by what they are, or what is wrong with one."""
    found = _Words()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            found.late.extend([word] if found.operands else [])
            found.operands.extend(words[at:])
            break
        if word == "-" or not word.startswith("-"):
            found.operands.append(word)
            continue
        first = at - 1
        if not (program.takes_number and _NUMBER.match(word)):
            taken = _long(word, program) if word.startswith("--") else _short(word, program)
            if taken is None:
                return f"{word} is not on the list of its options"
            found.options.extend(taken[0])
            at += taken[1]
        if at > len(words):
            return f"{word} lacks its value"
        if _may_spread(words[at - 1]) and at - 1 > first:
            return f"{words[at - 1]} may become several words"
        _note_value(found, word, words[at - 1] if at - 1 > first else "", program)
        if found.operands:
            found.late.extend(words[first:at])
    spread = next(filter(_may_spread, found.operands), "")
    return f"{spread} may become several words" if spread else found


def _note_value(found: _Words, word: str, following: str, program: Program) -> None:
    """Notes the value that the option has in its own word or in the one behind it."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        if equals or name in program.long_values:
            found.given.append((name, value if equals else following))
        return
    for at, letter in enumerate(word[1:], 1):
        if letter in program.values:
            found.given.append((letter, word[at + 1 :] or following))
            return


def _may_spread(word: str) -> bool:
    """True for the only plain word that a shell may replace by several: fine for an option, which
    each of them is then, but not for a value, where the second one would be another option."""
    return word.startswith("--") and ("*" in word or "?" in word)


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
            rest = word[index + 1 :]
            if program.values_apart and len(word) > 2:
                return None
            if rest and program.takes_number and not _AMOUNT.match(rest):
                return None
            return [*found, letter], not rest
        else:
            return None
    return found, False


def _operands(name: str, program: Program, words: _Words, place: Place) -> str:
    options, operands = words.options, words.operands
    if len(operands) > program.most_operands or (words.late and program.most_operands == 1):
        return f"{name} with more than {program.most_operands} operands may write"
    if program.operands == "text":
        return ""
    if program.operands == "none":
        return f"{name} takes no operand here" if operands else ""
    searched = program.recursive == "*" or any(letter in program.recursive for letter in options)
    # Given folders, diff compares the files in them. A list of names opens none of them.
    searched = (searched or "--recursive" in options or name == "diff") and "--files" not in options
    if program.operands == "pattern":
        given = {"e", "--regexp", "--files"}.intersection(options)
        if not given and not operands:
            return f"{name} lacks a pattern"
        paths = operands if given else operands[1:]
        if searched and not paths:
            paths = ["."]
    else:
        paths = operands
    for path in [*paths, *words.late]:
        if program.takes_number and path.startswith("+"):
            return f"{name} may take {path} for an option of old"
        trouble = path_objection(path, place, search_of(name, words.given) if searched else None)
        if trouble:
            return trouble
    return ""


def _find(words: Sequence[str], place: Place) -> str:
    at = 0
    while at < len(words) and not words[at].startswith(("-", "(", ")", "!", ",")):
        trouble = path_objection(words[at], place)
        if trouble:
            return trouble
        at += 1
    while at < len(words):
        follow = FIND_TESTS.get(words[at])
        if follow is None:
            return f"find: {words[at]} is not on the list of its tests"
        if words[at].endswith("newer") and at + 1 < len(words):
            trouble = path_objection(words[at + 1], place)
            if trouble:
                return trouble
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
        trouble = path_objection(word, place)
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
    return path_objection(words[1], place)


def _bracket(words: Sequence[str], place: Place) -> str:
    return _test(words[:-1], place) if words and words[-1] == "]" else "[ lacks its end"


def _command(words: Sequence[str], place: Place) -> str:
    plain = len(words) > 1 and words[0] in ("-v", "-V")
    return (
        ""
        if plain and not any(word.startswith("-") for word in words[1:])
        else ("command runs what follows")
    )


def _git(words: Sequence[str], place: Place) -> str:
    return git_objection(("git", *words), place)


def _cd(words: Sequence[str], place: Place) -> str:
    """Only into a folder of the project, and by no link: the shell reads `..` behind one by name,
    the system by what is there."""
    if len(words) != 1 or words[0].startswith("-"):
        return "cd goes to one folder of the project unasked"
    trouble = path_objection(words[0], place)
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
    "find": _find, "sed": _sed, "printf": _printf, "test": _test, "[": _bracket,
    "command": _command, "cd": _cd, "git": _git,
}  # fmt: skip
