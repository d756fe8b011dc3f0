"""The one Markdown parser: CommonMark with tables and strikethrough, and no HTML."""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """The parser, made on first use. HTML in a message is text like any other."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # Which addresses may be opened, the renderer decides; here every link is told.
    made.validateLink = lambda url: True  # type: ignore[method-assign]
    return made


def parse_blocks(source: str, references: dict[str, object] | None = None) -> list[Token]:
    """Block tokens alone: enough to find where blocks begin, at a part of the cost.

    Link definitions that are met are put into `references`.
    """
    markdown = parser()
    tokens: list[Token] = []
    environment: dict[str, object] = {} if references is None else {"references": references}
    markdown.block.parse(source, markdown, environment, tokens)
    return tokens
