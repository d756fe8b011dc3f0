"""Writes the lines of a block of code as rich text: in a list, in a quote, and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from kinet.markup.highlight import highlight, language_of_file, language_title
from kinet.markup.inline import ASIDE, text_html
from kinet.markup.look import Look
from kinet.markup.visible import PAD, breakable, shown_code


def code_info(info: str) -> tuple[str, str]:
    """("python", "totals.py") of a fence's "python totals.py", "python:totals.py", "totals.py"."""
    words = info.strip().split()
    if not words:
        return "", ""
    language, _, name = words[0].strip("{}.,").partition(":")
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key in ("title", "filename", "file", "name") and value:
            name = value.strip("\"'")
        elif not name and "=" not in word and re.fullmatch(r"[\w./-]+\.\w+", word):
            name = word
    if not name and re.fullmatch(r"[\w./-]+\.\w+", language):
        return "", language
    return language, name


def code_titles(info: str) -> tuple[str, str]:
    """(the file's name, the language in words) of a fence; "" for what it does not tell."""
    language, name = code_info(info)
    language = language or language_of_file(name)
    return name, language_title(language) if language else ""


def code_rows(code: str, info: str, look: Look) -> list[str]:
    """Each line as rich text, in its colours where the look has some; an empty one has height."""
    code = shown_code(code.rstrip("\n"))
    if not look.syntax:
        return [escape(breakable(row)) or "&#8203;" for row in code.split("\n")]
    language, name = code_info(info)
    out: list[str] = []
    for text, colour in _pieces(code, language or language_of_file(name)):
        said = escape(breakable(text))
        colour = look.syntax.get(colour, "")
        if colour:
            # A colour ends with its line.
            said = "\n".join(
                row and f'<span style="color:{colour}">{row}</span>' for row in said.split("\n")
            )
        out.append(said)
    return [row or "&#8203;" for row in "".join(out).split("\n")]


def code_head(info: str, look: Look, *, whole: bool) -> str:
    """What stands above code: its file, and its language where the `whole` of it is told. Never
    copied: it is no part of the code. "" for nothing."""
    name, language = code_titles(info)
    words = [f"<b>{text_html(name)}</b>"] if name else []
    words += [text_html(language)] if language and whole else []
    return f'{PAD}<span title="{ASIDE}">{" &nbsp;".join(words)}</span>' if words else ""


def _pieces(code: str, language: str) -> Iterator[tuple[str, str]]:
    done = 0
    for start, length, colour in highlight(code, language):
        if start > done:
            yield code[done:start], ""
        yield code[max(done, start) : start + length], colour
        done = max(done, start + length)
    yield code[done:], ""
