"""Colours code: pieces of a text with the name of the theme's colour for each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# A longer line is not coloured: lexers may take quadratic time over it.
LONGEST_LINE = 2_048

# The first fitting entry of a token's ancestors counts.
_COLORS = {
    "Token.Keyword.Constant": "constant",
    "Token.Keyword.Type": "type",
    "Token.Keyword": "keyword",
    "Token.Operator.Word": "keyword",
    "Token.Operator": "operator",
    "Token.Literal.Number": "number",
    "Token.Literal.String": "string",
    "Token.Comment": "comment",
    "Token.Name.Function": "function",
    "Token.Name.Decorator": "function",
    "Token.Name.Class": "type",
    "Token.Name.Builtin.Pseudo": "constant",
    "Token.Name.Builtin": "function",
    "Token.Name.Exception": "type",
    "Token.Name.Tag": "keyword",
    "Token.Name.Attribute": "function",
    "Token.Name.Constant": "constant",
    "Token.Generic.Deleted": "constant",
    "Token.Generic.Inserted": "string",
    "Token.Generic.Heading": "function",
    "Token.Generic.Subheading": "function",
}
_TYPES = frozenset(("list", "dict", "set", "tuple", "int", "float", "str", "bool", "bytes"))


def highlight(code: str, language: str) -> Iterator[tuple[int, int, str]]:
    """(start, length, colour name) of each coloured piece, in order; nothing for a language
    that is not known or a line that is too long."""
    lexer = _lexer(language.lower())
    if lexer is None or _has_long_line(code):
        return
    name: tuple[int, int] | None = None
    # Some lexers know a line by its end, also the last one, which may have none here.
    for start, kind, text in lexer.get_tokens_unprocessed(code + "\n"):
        text = text[: len(code) - start]
        if not text:
            break
        color = _color(kind)
        if name is not None and text.startswith("("):
            # Lexers seldom tell a call from another name.
            yield *name, "function"
        name = None
        if color == "" and len(text) > 1:
            color = _by_look(str(kind), text)
        elif color == "function" and text in _TYPES:
            color = "type"
        if color and not text.isspace():
            yield start, len(text), color
        elif str(kind).startswith("Token.Name") and not color:
            name = start, len(text)


def language_title(language: str) -> str:
    """The language as a person writes it: "Python" for py."""
    known = {
        "sh": "Shell",
        "bash": "Shell",
        "text": "Text",
        "plaintext": "Text",
        "console": "Shell",
    }
    key = language.lower()
    if key in known:
        return known[key]
    lexer = _lexer(key)
    return str(lexer.name) if lexer is not None else language


def language_of_file(name: str) -> str:
    """The language of a file by its name, "" if unknown."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        aliases = get_lexer_for_filename(name).aliases
    except ClassNotFound:
        return ""
    return str(aliases[0]) if aliases else ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    # Late: the first lexer costs some 30 ms, and a window without code needs none.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    if not language:
        return None
    try:
        found: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return found


@lru_cache(maxsize=512)
def _color(kind: Any) -> str:
    while kind is not None:
        name = str(kind)
        if name in _COLORS:
            return _COLORS[name]
        kind = kind.parent
    return ""


def _by_look(kind: str, text: str) -> str:
    """Constants and types that lexers leave plain, told by how they are written."""
    if not kind.startswith("Token.Name") or not text[0].isupper():
        return ""
    if text.isupper():
        return "constant"
    return "type" if text.isidentifier() else ""


def _has_long_line(code: str) -> bool:
    return any(len(line) > LONGEST_LINE for line in code.split("\n"))
