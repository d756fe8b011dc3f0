"""Judges a shell command: what may run without a question, what asks, what never runs."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kinet.policy import protected
from kinet.policy.hidden import without_hidden
from kinet.policy.never import Machine, never_by_redirection, never_by_text, never_by_words
from kinet.policy.operand_paths import Place
from kinet.policy.operands import after_cd, objection, objection_to_start
from kinet.policy.shell_globs import spread
from kinet.policy.shell_syntax import Syntax, read_syntax
from kinet.policy.shell_words import PlainCommand
from kinet.policy.verdicts import Judgement, Part, VerdictWord
from kinet.policy.visible import visible_line

LONGEST = 4_000
_PRINTABLE = re.compile(r"[\x20-\x7e\n]*\Z")
_SHOWN = 200
# What stands behind these can be another thing each time.
_EXPANSIONS = ("$", "`", "<(", ">(")
_MOST_PLACES = 8
_JOINTS = re.compile(r"[=@:<>,\"']")
_SEPARATORS = re.compile(r"&&|\|\||[;|&\n]")


def judge_command(
    command: str,
    folder: Path | None,
    home: Path | None = None,
    *,
    data_dir: Path | None = None,
    start: Path | None = None,
    windows: bool = os.name == "nt",
) -> Judgement:
    """Judges the whole text as it would be given to bash in `folder`. Never raises.

    `start` is the real folder in which it begins, if that is another one than the project's.

    allow: proved to only read inside the project. deny: never run, in no mode. ask: all else.
    """
    if folder is None:
        return _judged("deny", "no folder is open in this session", command, "no-folder")
    root = Path(os.path.realpath(folder))
    machine = Machine(root, Path(os.path.realpath(home or Path.home())), data_dir, start)
    if not command.strip():
        return _judged("ask", "the command is empty", command, "empty")
    reason = never_by_text(command)
    if reason:
        return _judged("deny", reason, command, "never")
    if len(command) > LONGEST:
        return _too_long(command, machine)
    # Letters that no plain command holds are not worth a parser's time, which can be long.
    printable = _PRINTABLE.match(command) is not None
    syntax = read_syntax(command) if printable else Syntax(None, (), ())
    reason = _never(syntax, command, machine)
    if reason:
        return _judged("deny", reason, command, "never")
    if windows:
        return _judged("ask", "commands are not judged on this system", command, "system")
    if not printable:
        return _judged("ask", _unprintable(command), command, "characters")
    if syntax.plain is None:
        trouble = syntax.trouble
        return _judged("ask", trouble, command, "syntax", memorable=_memorable(syntax, machine))
    return _judge_plain(syntax, machine)


def names_guarded(command: str) -> str:
    """Why a command is asked about in every mode, "" if nothing in its plain words is guarded.

    Words are looked at loosely: a name behind `=`, `@`, `:` or a redirection counts too. What a
    command makes up while it runs cannot be seen here.
    """
    for words in split_loosely(command):
        for word in words:
            for text in filter(None, _JOINTS.split(word)):
                parts = Path(text).parts
                if protected.is_secret(parts):
                    return f"{visible_line(text[:80])} may hold keys or passwords"
                if words[0] != "git" and protected.is_repository(parts):
                    return f"{visible_line(text[:80])} is inside a repository's own files (.git)"
                if protected.is_always_asked(parts) or protected.is_start_up(parts):
                    return f"{visible_line(text[:80])} gives orders to an agent or a program"
    return ""


def _unprintable(command: str) -> str:
    """Why the text is not looked at further; letters of another script are no alarm."""
    if without_hidden(command)[1]:
        return "it holds hidden characters"
    if command.isascii():
        return "it holds a tab or another control character"
    return "it holds letters beyond ASCII, and only ASCII is looked at closely"


def _judge_plain(syntax: Syntax, machine: Machine) -> Judgement:
    # Wherever a command could begin: a `cd` before it may have failed.
    places = [Place(machine.root, machine.home, machine.begins, machine.data_dir)]
    away = objection_to_start(places[0])
    parts: list[Part] = []
    for command in syntax.plain or ():
        why = away or next(filter(None, (_objection(command, at) for at in places)), "")
        if not why and command.words[0] == "cd" and len(command.words) == 2:
            moved = [after_cd(command.words, at) for at in places]
            places = list(dict.fromkeys([*places, *moved]))
            if len(places) > _MOST_PLACES:
                why = "it goes to too many folders"
        word: VerdictWord = "ask" if why else "allow"
        parts.append(Part(_short(command.text), word, why or "only reads inside the project"))
    reasons = [part.rule for part in parts if part.verdict == "ask"]
    if reasons:
        memorable = _memorable(syntax, machine)
        return Judgement("ask", reasons[0], tuple(parts), memorable=memorable)
    return Judgement("allow", "it only reads inside the project", tuple(parts))


def _objection(command: PlainCommand, place: Place) -> str:
    words = spread(command.words, command.patterns, place)
    return words if isinstance(words, str) else objection(words, place)


def _never(syntax: Syntax, command: str, machine: Machine) -> str:
    loose = syntax.loose or split_loosely(command)
    for words in loose:
        reason = never_by_words(words, machine)
        if reason:
            return reason
        machine = machine.after(words)
    for target in syntax.redirected:
        reason = never_by_redirection(target, machine)
        if reason:
            return reason
    return ""


def split_loosely(command: str) -> tuple[tuple[str, ...], ...]:
    """Words without a parser, good enough to recognise the worst in plain form."""
    return tuple(
        tuple(word.strip("'\"") for word in part.split()) for part in _SEPARATORS.split(command)
    )


def _too_long(command: str, machine: Machine) -> Judgement:
    # Only the ends are looked at: a verdict has to be quick for any text.
    for piece in (command[:LONGEST], command[-LONGEST:]):
        for words in split_loosely(piece):
            reason = never_by_words(words, machine)
            if reason:
                return _judged("deny", reason, command, "never")
    return _judged("ask", f"it is longer than {LONGEST:,} characters", command, "too-long")


def _memorable(syntax: Syntax, machine: Machine) -> bool:
    """False if a word names something outside the project, or a secret: asked every time."""
    if machine.is_away:
        return False
    words = {word for command in syntax.loose for word in command[1:]}
    for word in words.union(syntax.redirected):
        if any(mark in word for mark in _EXPANSIONS):
            return False
        for text in {word, word.rpartition("=")[2]}:
            if text.startswith("~") or protected.is_secret(Path(text).parts):
                return False
            if text.startswith("/") or ".." in text.split("/"):
                plain = Path(os.path.normpath(os.path.join(machine.begins, text)))
                inside = plain == machine.root or machine.root in plain.parents
                if not inside and text != "/dev/null":
                    return False
    return True


def _judged(
    word: VerdictWord, reason: str, command: str, rule: str, *, memorable: bool = False
) -> Judgement:
    return Judgement(word, reason, (Part(_short(command), word, rule),), memorable=memorable)


def _short(text: str) -> str:
    shown = visible_line(text[:_SHOWN])
    return shown if len(text) <= _SHOWN else f"{shown}… ({len(text):,} characters)"
