"""What of a message may be copied: its code exactly, the rest without what acts unseen."""

from __future__ import annotations

from kinet.markup.blocks import split
from kinet.markup.parser import parse_blocks
from kinet.markup.slices import Block
from kinet.markup.visible import clean_for_clipboard, line_feeds

_CODE = ("fence", "code_block")


def copied(source: str) -> str:
    """A whole message as it is copied, in Markdown."""
    source = line_feeds(source)
    if clean_for_clipboard(source) == source:
        return source
    return "".join(copied_block(block) for block in split(source))


def copied_block(block: Block) -> str:
    """One block of a message as it is copied; code inside a list or a quote is code too."""
    if block.kind == "code":
        return block.source
    clean = clean_for_clipboard(block.source)
    if clean == block.source:
        return clean
    code: set[int] = set()
    skipped = block.lead.count("\n")
    for token in parse_blocks(block.markdown):
        if token.type in _CODE and token.map:
            code.update(range(token.map[0] - skipped, token.map[1] - skipped))
    lines = block.source.split("\n")
    return "\n".join(
        line if number in code else clean_for_clipboard(line) for number, line in enumerate(lines)
    )
