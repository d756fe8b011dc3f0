"""The one Markdown parser: CommonMark, tables, strikethrough, footnotes, formulas; no HTML."""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from kinet.markup.formula_rules import add_formulas

# Where footnotes stand among the link definitions. A label is upper case: this can be none.
FOOTNOTES = "footnotes"


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """The parser, made on first use. HTML in a message is text like any other."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    footnote_plugin(made, inline=False, move_to_end=False)
    add_formulas(made)
    # Which addresses may be opened, the renderer decides; here every link is told.
    made.validateLink = lambda url: True  # type: ignore[method-assign]
    return made


def parse_blocks(source: str, references: dict[str, object] | None = None) -> list[Token]:
    """Block tokens alone: enough to find where blocks begin, at a part of the cost.

    Link definitions and footnotes that are met are put into `references`.
    """
    markdown = parser()
    tokens: list[Token] = []
    environment = environment_of(references) if references is not None else {}
    # As a whole parse reads it.
    markdown.block.parse(source.replace("\0", "\ufffd"), markdown, environment, tokens)
    return tokens


def environment_of(references: dict[str, object]) -> dict[str, object]:
    """What the parser has to know of other blocks; it adds what it finds to `references`."""
    footnotes = references.setdefault(FOOTNOTES, {"refs": {}, "list": {}})
    return {"references": references, "footnotes": footnotes}
