"""Splits a plain shell text into commands, and refuses every text that is not plain."""

from __future__ import annotations

import re
from dataclasses import dataclass

# What a plain word may be made of. No expansion, glob, tilde, brace, escape or comment begins here.
# A tilde behind a letter is one of git's commits (HEAD~2), and an old copy of a file.
_WORD = re.compile(r"[A-Za-z0-9_./:,+@%-](?:[A-Za-z0-9_./:,+@%=-]|(?<=[A-Za-z0-9^~])[\^~])*")
# A long option's value may hold a glob: whatever it becomes, it is that option with some value.
_LONG_OPTION = re.compile(r"--[a-z][a-z-]*=[A-Za-z0-9_./:,+@%=*?-]*")
# The same with its value in quotes: the shell passes both as one word.
_LONG_NAME = re.compile(r"--[a-z][a-z-]*=(?:t?format:)?(?=[\"'])")
# Marks that mean something to the shell elsewhere, and nothing where they stand alone.
_MARKS = re.compile(r"\\?!|\\[()]|[\[\]]")
# Names by a pattern. One that begins with a dash, or is a command's first word, is no such.
_PATTERN = re.compile(r"[A-Za-z0-9_./*?][A-Za-z0-9_./:,+@%*?-]*")
_BLANKS = re.compile(r" +")
_SEPARATOR = re.compile(r"&&|\|\||;|\||\n")
# The only redirections that write nothing.
_HARMLESS = re.compile(r"(?:[12]?>>?[ ]?/dev/null|&>[ ]?/dev/null|2>&1|1>&2|>&2)(?=[ ;|&\n]|\Z)")
_RAW = re.compile(r"'([^']*)'")
_QUOTED = re.compile(r'"((?:[^"\\$`]|\\["\\$`]|\\(?=[^"\\$`\n]))*)"')
_ESCAPED = re.compile(r'\\(["\\$`])')
_END = re.compile(r"[ ;|&\n]|\Z")


@dataclass(frozen=True, slots=True)
class PlainCommand:
    """One command: its words as the shell would pass them, and its text.

    `patterns` are the places of words that it replaces by names first.
    """

    words: tuple[str, ...]
    text: str
    patterns: frozenset[int] = frozenset()


def split_plain(text: str, *, patterns: bool = False) -> tuple[PlainCommand, ...] | None:
    """The commands of a plain text in order, None if it is not plain.

    Plain is: literal words and quoted strings without expansion, joined by && || ; | and line
    ends, with at most redirections to /dev/null or between the two outputs. With `patterns` words
    that the shell replaces by names are plain too.
    """
    commands: list[PlainCommand] = []
    words: list[str] = []
    places: set[int] = set()
    at = begin = 0
    separated = ""
    while at < len(text):
        if blank := _BLANKS.match(text, at):
            at = blank.end()
            begin = begin if words else at
            continue
        if separator := _SEPARATOR.match(text, at):
            found = separator.group()
            if not words and found != "\n":
                return None
            if words:
                commands.append(_command(words, text[begin:at], places))
                separated = found
            words, places, at = [], set(), separator.end()
            begin = at
            continue
        if words and (harmless := _HARMLESS.match(text, at)):
            at = harmless.end()
            continue
        word = _word(text, at)
        if word is None and patterns and words:
            word = _matched(_PATTERN, text, at)
            places.add(len(words))
        if word is None or (not words and word[0] == "!"):
            return None
        value, at = word
        if not words and "=" in value:
            # It sets a variable for what follows, and what follows could be anything.
            return None
        words.append(value)
    if words:
        commands.append(_command(words, text[begin:], places))
    elif separated in ("&&", "||", "|"):
        return None
    return tuple(commands) or None


def _command(words: list[str], text: str, places: set[int]) -> PlainCommand:
    return PlainCommand(tuple(words), text.strip(), frozenset(places))


def _matched(kind: re.Pattern[str], text: str, at: int) -> tuple[str, int] | None:
    """(value, end) of a word of this kind, which stands there whole."""
    found = kind.match(text, at)
    return (found.group(), found.end()) if found and _END.match(text, found.end()) else None


def _word(text: str, at: int) -> tuple[str, int] | None:
    """(value, end) of one whole word, which has to be followed by a blank or a separator."""
    if name := _LONG_NAME.match(text, at):
        quoted_value = _quoted(text, name.end())
        if quoted_value is None:
            return None
        value, end = name.group() + quoted_value[0], quoted_value[1]
    elif plain := _LONG_OPTION.match(text, at) or _WORD.match(text, at):
        value, end = plain.group(), plain.end()
    elif mark := _MARKS.match(text, at):
        value, end = mark.group().removeprefix("\\"), mark.end()
    elif found := _quoted(text, at):
        value, end = found
    else:
        return None
    return (value, end) if _END.match(text, end) else None


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """(value, end) of a string in quotes in which nothing is expanded."""
    if raw := _RAW.match(text, at):
        return raw.group(1), raw.end()
    if quoted := _QUOTED.match(text, at):
        return _ESCAPED.sub(r"\1", quoted.group(1)), quoted.end()
    return None
