"""The one Markdown parser: CommonMark, tables, strikethrough, footnotes, formulas; no HTML."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from kinet.markup.formula_rules import add_formulas

# Where footnotes stand among the link definitions. A label is upper case: this can be none.
FOOTNOTES = "footnotes"
# How deep things stand in each other; a list counts twice. What is deeper is a paragraph.
DEEPEST = 40
# What holds other blocks: its rule, how many levels it adds, what it may interrupt.
_HOLDERS = (
    ("list", 2, ("paragraph", "reference", "blockquote")),
    ("blockquote", 1, ("paragraph", "reference", "blockquote", "list")),
    ("footnote_def", 1, ("paragraph", "reference")),
)
_Rule = Callable[[StateBlock, int, int, bool], bool]


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """The parser, made on first use. HTML in a message is text like any other."""
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    made.enable(["table", "strikethrough"])
    footnote_plugin(made, inline=False, move_to_end=False)
    add_formulas(made)
    rules = {rule.name: rule.fn for rule in made.block.ruler.__rules__}
    for name, levels, interrupted in _HOLDERS:
        held = _not_too_deep(rules[name], levels)
        made.block.ruler.at(name, held, {"alt": list(interrupted)})
    # Which addresses may be opened, the renderer decides; here every link is told.
    made.validateLink = lambda url: True  # type: ignore[method-assign]
    return made


def _not_too_deep(rule: _Rule, levels: int) -> _Rule:
    """The rule, but where the parser would give up: it would leave out all that follows."""

    def held(state: StateBlock, first: int, last: int, silent: bool) -> bool:
        too_deep = state.level + levels >= DEEPEST
        return rule(state, first, last, silent) if silent or not too_deep else False

    return held


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
