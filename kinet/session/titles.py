"""Names a session after its first message, until a person names it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST = 60

_FENCE = re.compile(r"^\s*(```|~~~)")
_LEADING = re.compile(r"^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|\|)+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ADDRESS = re.compile(r"(?:https?|ftp|file)://\S+|www\.\S+", re.IGNORECASE)
_MARKS = re.compile(r"(?<!\w)(\*\*|__|\*|_|~~|`+)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_QUOTES = "\"'“”„‘’«»"

_GREETINGS = frozenset({
    "hi", "hello", "hey", "hiya", "howdy", "yo", "hallo", "moin", "servus", "hola", "bonjour",
    "salut", "ciao", "olá", "oi", "ping", "test", "hi there", "hello there", "good morning",
    "good evening", "good afternoon", "are you there", "guten morgen", "guten tag", "thanks",
    "thank you", "ok", "okay", "你好", "您好", "嗨", "こんにちは", "もしもし", "안녕하세요",
    "안녕", "привет", "здравствуйте", "مرحبا", "שלום",
})  # fmt: skip


def title_from(text: str) -> str:
    """The first line of `text` that says something, without Markdown, at most 60 graphemes.

    "" if there is none: a greeting or a bare link is no name.
    """
    for line in text.splitlines():
        if _FENCE.match(line):
            continue
        name = _plain(line)
        if not name or _is_empty_talk(name):
            continue
        if _ADDRESS.sub("", name).strip(" \t.,:;<>()-") == "":
            continue
        return shorten(name)
    return ""


def shorten(text: str, longest: int = LONGEST) -> str:
    """At most `longest` graphemes; a cut one ends in an ellipsis."""
    pieces = list(graphemes(text))
    if len(pieces) <= longest:
        return text
    return "".join(pieces[: longest - 1]).rstrip() + "…"


def graphemes(text: str) -> Iterator[str]:
    """What a person counts as one character each: letters with their marks, whole emoji, flags."""
    piece = ""
    for char in text:
        if piece and not _joins(piece, char):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def _plain(line: str) -> str:
    line = _LEADING.sub("", line)
    line = _LINK.sub(lambda link: link[1], line)
    for _ in range(3):
        line = _MARKS.sub(lambda marked: marked[2], line)
    line = "".join(char for char in line if unicodedata.category(char) not in ("Cc", "Cs"))
    line = " ".join(line.split()).strip(_QUOTES + " #|")
    return "" if not any(char.isalnum() or ord(char) > 0x2000 for char in line) else line


def _is_empty_talk(name: str) -> bool:
    return name.casefold().strip(" !.,?~…！。，？、👋🙂😊") in _GREETINGS


def _joins(piece: str, char: str) -> bool:
    last = piece[-1]
    if last == "\u200d" or char in "\u200d\ufe0e\ufe0f\u20e3":
        return True
    if unicodedata.category(char) in ("Mn", "Me", "Mc") or "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    if "\U000e0020" <= char <= "\U000e007f":
        return True
    if _is_flag_letter(char) and _is_flag_letter(last):
        return len(piece) % 2 == 1
    # Hangul letters that make one syllable.
    return "\u1100" <= last <= "\u11ff" and "\u1160" <= char <= "\u11ff"


def _is_flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
