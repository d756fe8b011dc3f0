"""Parser rules for formulas: $x$ by Pandoc's rule, $$ and \\[ as blocks, \\( within a line.

Every rule looks at whole lines from the front, so that a text that streams splits as a whole one.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from kinet.markup.formula_words import is_money, is_words
from kinet.markup.visible import is_spaceless

_LONGEST = 1_000
_CLOSERS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
# "the $n$th of them"
_ENDING = re.compile(r"(?:st|nd|rd|th|s)(?!\w)")
# "$(pwd)/$(ls)" and "${a}-${b}" belong to a shell.
_SHELL = re.compile(r"[({].*|.*[-/:=.,@]", re.DOTALL)


def add_formulas(markdown: MarkdownIt) -> None:
    """Teaches a parser the tokens formula_inline and formula_block."""
    markdown.inline.ruler.before("escape", "formula_inline", _inline)
    markdown.block.ruler.before(
        "fence",
        "formula_block",
        _block,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _inline(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    opener = source[start : start + 2]
    if opener not in _CLOSERS:
        opener = "$" if source[start] == "$" else ""
    if not opener or opener == "\\[":
        return False
    begin = start + len(opener)
    closer = _CLOSERS.get(opener, "$")
    end = _unescaped(source, closer, begin, min(begin + _LONGEST, state.posMax))
    if end <= begin:
        return False
    content = source[begin:end]
    if "`" in content or not _is_formula(source, start, end, opener, content):
        return False
    if not silent:
        token = state.push("formula_inline", "math", 0)
        token.content = content.strip()
        token.markup = opener
        token.meta = {"source": source[start : end + len(closer)]}
    state.pos = end + len(closer)
    return True


def _unescaped(source: str, closer: str, begin: int, limit: int) -> int:
    """Where a closer stands that no backslash takes its meaning from; -1 for nowhere."""
    place = source.find(closer, begin, limit)
    while place > 0 and closer[0] == "$" and source[place - 1] == "\\":
        place = source.find(closer, place + 1, limit)
    return place


def _is_formula(source: str, start: int, end: int, opener: str, content: str) -> bool:
    before, after = source[start - 1 : start], source[end + len(opener) :][:1]
    if not content.strip() or _joins(before) or is_words(content):
        return False
    if opener == "\\(":
        return True
    if before == "$" or after == "$" or is_money(content):
        return False
    if opener == "$$":
        return not _joins(after)
    tight = not content[0].isspace() and not content[-1].isspace()
    if not tight or (after in ("(", "{") and _SHELL.fullmatch(content)):
        return False
    return not _joins(after) or (after.isalpha() and _ENDING.match(source, end + 1) is not None)


def _joins(beside: str) -> bool:
    """True for what makes one word of itself and a sign: not where words have no spaces."""
    return beside.isalnum() and not is_spaceless(beside)


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    line = _line(state, first)
    opener = line[:2]
    if opener not in ("$$", "\\[") or line[2:3] == "$":
        return False
    closer = _CLOSERS[opener]
    place = line.find(closer, 2)
    if place >= 0 and (line[place + 2 :].strip() or not line[2:place].strip()):
        return False
    begun = (line[2:place] if place >= 0 else line[2:]).strip()
    if begun and (is_words(begun) or (opener == "$$" and is_money(begun))):
        return False
    if silent:
        return True
    rows, number, closed = [line[2:]], first, place >= 0
    while not closed and number + 1 < last:
        following = _line(state, number + 1)
        if state.isEmpty(number + 1) or state.sCount[number + 1] < state.blkIndent:
            break
        number += 1
        rows.append(following)
        closed = following.rstrip().endswith(closer)
    text = "\n".join(rows).rstrip()
    token = state.push("formula_block", "math", 0)
    token.content = text.removesuffix(closer).strip() if closed else ""
    token.markup = opener
    token.meta = {"source": opener + "\n".join(rows)}
    token.map = [first, number + 1]
    token.block = True
    state.line = number + 1
    return True


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
