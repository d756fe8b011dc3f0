"""Says what a Markdown text would show: its blocks, links, formulas, and what is not loaded."""

from __future__ import annotations

from dataclasses import dataclass, field

from markdown_it.token import Token

from kinet.markup.blocks import BlockStream, split_in_steps
from kinet.markup.links import bare_links, openable, target
from kinet.markup.render import is_hostile, parsed
from kinet.markup.slices import Block
from kinet.markup.visible import direction

_KINDS = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "hr": "rule",
    "formula_block": "formula",
    "footnote_reference_open": "footnote",
}


@dataclass(frozen=True)
class Link:
    """A link: its words, its address, the host or mail address behind it, if it may be opened."""

    text: str
    target: str
    host: str
    allowed: bool


@dataclass
class Survey:
    """What a text shows. `blocked` are the addresses that are neither loaded nor opened."""

    blocks: list[tuple[str, str]] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    formulas: int = 0


def survey(source: str) -> Survey:
    """Looks at a whole text; kind and direction ("ltr", "rtl") of each block, in order."""
    stream = BlockStream()
    blocks = [block for step in split_in_steps(stream, source) for block in step]
    made = Survey()
    for block in blocks:
        _add(made, block, stream.references)
    return made


def _add(made: Survey, block: Block, references: dict[str, object]) -> None:
    if is_hostile(block.markdown):
        made.blocks.append(("text", direction(block.source)))
        return
    tokens = parsed(block.markdown, references)
    for token in tokens:
        if token.level == 0 and token.type in _KINDS:
            kind = _KINDS[token.type]
            made.blocks.append((kind, "ltr" if kind == "code" else direction(_words(block))))
        made.formulas += token.type == "formula_block" and bool(token.content)
        if token.children:
            _add_inline(made, token.children)


def _words(block: Block) -> str:
    return block.source[:2_000]


def _add_inline(made: Survey, tokens: list[Token]) -> None:
    open_links: list[tuple[str, list[str]]] = []
    for token in tokens:
        made.formulas += token.type == "formula_inline"
        if token.type == "link_open":
            open_links.append((str(token.attrGet("href") or ""), []))
        elif token.type == "link_close" and open_links:
            url, words = open_links.pop()
            allowed = openable(url)
            made.links.append(Link("".join(words), url, target(url), allowed))
            if not allowed:
                made.blocked.append(url)
        elif token.type == "image":
            made.blocked.append(str(token.attrGet("src") or ""))
        if open_links:
            open_links[-1][1].append(token.content)
        elif token.type == "text":
            for _, url in bare_links(token.content):
                made.links.append(Link(url, url, target(url), True))
