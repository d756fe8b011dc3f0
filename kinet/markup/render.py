"""Turns one block into rich text that Qt draws: no HTML of the message, no image, no style."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace

from markdown_it.token import Token

from kinet.markup.code_lines import code_head, code_info, code_rows
from kinet.markup.inline import InlineWriter, code_html, linked_html, text_html
from kinet.markup.look import Look
from kinet.markup.nesting import Nesting
from kinet.markup.parser import FOOTNOTES, environment_of, parser
from kinet.markup.slices import Block
from kinet.markup.tables import TABLE_TOKENS, TableWriter
from kinet.markup.visible import PAD, is_right_to_left

_HEADINGS = {"h1": "h1", "h2": "h2", "h3": "h3"}


@dataclass(frozen=True, slots=True)
class Code:
    """The code of a fence: its language, the file it belongs to, and the very text."""

    text: str
    language: str = ""
    name: str = ""


def to_html(block: Block, look: Look, references: Mapping[str, object] | None = None) -> str:
    """The block as rich text. Never raises for any text; hostile blocks come as plain text."""
    source = block.markdown
    if is_hostile(source):
        return _plain(source, look)
    tokens = parsed(source, references)
    repeated = block.lead.count("\n") if block.kind == "prose" else 0
    heads = bool(look.syntax) and not block.continues
    return _Writer(look, block.first_number, repeated, heads=heads).write(tokens)


def parsed(source: str, references: Mapping[str, object] | None = None) -> list[Token]:
    """The tokens of a block that knows the definitions of the others; it changes none of them."""
    known = dict(references or {})
    known[FOOTNOTES] = deepcopy(known.get(FOOTNOTES) or {"refs": {}, "list": {}})
    return parser().parse(source, environment_of(known))


def user_html(text: str, look: Look) -> str:
    """What a person typed: its lines as they are, `code` in a code font, addresses as links."""
    out = []
    for row in text.split("\n"):
        parts = re.split(r"(?<!`)`([^`\n]+)`(?!`)", row)
        isolated = is_right_to_left(row)
        for place, part in enumerate(parts):
            made = code_html(part, look, padded=False, isolated=isolated) if place % 2 else None
            parts[place] = linked_html(part, look) if made is None else made
        out.append("".join(parts))
    line = look.size(look.base)[1]
    style = f"margin:0;line-height:{line}px;white-space:pre-wrap"
    return "".join(f'<p style="{style}">{row or "&#8203;"}</p>' for row in out)


def code_of(block: Block) -> Code:
    """The code that a block of kind "code" shows.

    Where it is not one block of code, all of its text: a part of a line that was cut, for instance.
    """
    tokens = parser().parse(block.markdown, {})
    if len(tokens) == 1 and tokens[0].type == "fence":
        language, name = code_info(tokens[0].info)
        return Code(tokens[0].content, language, name)
    if len(tokens) == 1 and tokens[0].type == "code_block":
        return Code(tokens[0].content)
    return Code(block.source)


def is_hostile(source: str) -> bool:
    """True where inline parsing would cost more than the block is worth."""
    return len(source) > 400 and (
        source.count("[") > 400
        or source.count("*") + source.count("_") > 2000
        or source.count("`") > 2000
        or source.count("<") > 2000
    )


def _plain(source: str, look: Look) -> str:
    line = look.size(look.base)[1]
    body = "<br>".join(text_html(row) for row in source.strip("\n").split("\n"))
    return f'<p style="margin:0;line-height:{line}px">{body}</p>'


@dataclass(slots=True)
class _List:
    """A list that is open: its tag, the number of its next item, and whether it is written."""

    tag: str
    suffix: str
    number: int
    written: bool = False

    def begin(self, out: list[str], nest: Nesting) -> None:
        """Written with its first item here. Bullets are drawn around the words, not by Qt."""
        if self.written:
            return
        self.written = True
        nest.tags.append(self.tag)
        # Qt counts with 32 bits.
        counted = f' start="{min(self.number, 2**31 - 1)}"' if self.number not in (-1, 1) else ""
        out.append(f'<{self.tag} style="margin:0{self.suffix}"{counted}>')


class _Writer:
    """Walks the tokens of one block and writes rich text.

    `repeated` lines were shown in the part before: an item that begins there has no mark. `heads`:
    file and language stand above code.
    """

    def __init__(
        self, look: Look, first_number: int, repeated: int = 0, *, heads: bool = False
    ) -> None:
        self.look = look
        self.heads = heads
        self.first_number = first_number
        self.repeated = repeated
        self.lists: list[_List] = []
        # For each item that is open, whether it is written here.
        self.marked: list[bool] = []
        self.out: list[str] = []
        self.started = False
        self.nest = Nesting(look)
        self.in_item = False
        # True for an item that nothing stands above.
        self.is_top = False
        self.table = TableWriter(look, self.out)
        self.size = look.base
        self.bold = False
        # The label of a footnote, until its first line is written.
        self.note = ""

    def write(self, tokens: list[Token]) -> str:
        """All tokens, in order."""
        for place, token in enumerate(tokens):
            if self.note and token.type != "paragraph_open":
                self._label()
            if token.type == "list_item_open":
                self._item(tokens, place)
                continue
            method = getattr(self, "_" + token.type, None)
            if token.type == "table_open":
                self.started = True
            if method is not None:
                method(token)
            elif token.type in TABLE_TOKENS:
                nested = bool(self.nest.tags or self.nest.quotes)
                left, depth = self.nest.table_left, self.nest.written
                bars = self.nest.bars()
                self.table.write(tokens, place, nested=nested, left=left, depth=depth, bars=bars)
            elif token.content:
                self.out.append(text_html(token.content))
        return "".join(self.out)

    def _style(self, gap: int | None = None) -> str:
        size, line = self.look.size(self.size)
        top = (self.look.gap if gap is None else gap) if self.started else 0
        self.started = True
        style = f"margin-top:{top}px;margin-bottom:0;margin-right:0;line-height:{line}px"
        style += f";margin-left:{self.nest.left}px"
        if self.size != self.look.base:
            style += f";font-size:{size}px"
        return style + (";font-weight:600" if self.bold else "")

    def _paragraph_open(self, token: Token) -> None:
        if token.hidden and self.in_item:
            self.in_item = False
            return
        if self.in_item:
            # The item's own line already makes a paragraph.
            self.in_item = False
            self.out.append("<span>")
            self.nest.tags.append("span")
            return
        self.out.append(f'<p{self.nest.bars()} style="{self._style()}{self.nest.color()}">')
        self.nest.tags.append("p")
        if self.note:
            self.out.append(f"<b>{text_html(self.note)}.</b> ")
            self.note = ""

    def _paragraph_close(self, token: Token) -> None:
        if not token.hidden and self.nest.tags and self.nest.tags[-1] in ("p", "span"):
            self.out.append(f"</{self.nest.tags.pop()}>")

    def _heading_open(self, token: Token) -> None:
        self.size, self.bold = _HEADINGS.get(token.tag, self.look.base), True
        self.out.append(f'<p{self.nest.bars()} style="{self._style(2 * self.look.gap)}">')

    def _heading_close(self, token: Token) -> None:
        self.size, self.bold = self.look.base, False
        self.out.append("</p>")

    def _bullet_list_open(self, token: Token) -> None:
        self.lists.append(_List("ul", ";list-style-type:none", -1))

    def _ordered_list_open(self, token: Token) -> None:
        number = int(token.attrGet("start") or 1)
        if not self.nest.depth and self.first_number >= 0:
            number = self.first_number
        suffix = ";-qt-list-number-suffix:')'" if token.markup == ")" else ""
        self.lists.append(_List("ol", suffix, number))

    def _bullet_list_close(self, token: Token) -> None:
        if self.lists.pop().written:
            self.nest.tags.pop()
            self.out.append(f"</{token.tag}>")

    _ordered_list_close = _bullet_list_close

    def _item(self, tokens: list[Token], place: int) -> None:
        """An item's line. A quote that an item begins with has this line for its first."""
        opening, one = tokens[place], self.lists[-1]
        self.marked.append(not opening.map or opening.map[0] >= self.repeated)
        if not self.marked[-1]:
            self.nest.unmarked += 1
        else:
            one.begin(self.out, self.nest)
        one.number += one.number >= 0
        if not self.marked[-1]:
            return
        self.is_top = not self.started
        quotes = list(self.nest.quotes)
        for token in tokens[place + 1 :]:
            if token.type != "blockquote_open":
                break
            self.nest.quotes.append(self.nest.depth)
        self.out.append(f'<li{self.nest.bars()} style="{self._style(0)}{self.nest.color()}">')
        self.nest.items.append(len(self.nest.quotes))
        self.nest.quotes = quotes
        self.in_item = True

    def _list_item_close(self, token: Token) -> None:
        self.in_item = False
        if not self.marked.pop():
            self.nest.unmarked -= 1
            return
        self.nest.items.pop()
        if self.out[-1].startswith("<li"):
            # An item without words has its mark all the same.
            self.out.append(PAD)
        self.out.append("</li>")

    def _blockquote_open(self, token: Token) -> None:
        if token.nesting > 0:
            self.nest.quotes.append(self.nest.depth)
        else:
            self.nest.quotes.pop()

    _blockquote_close = _blockquote_open

    def _hr(self, token: Token) -> None:
        self.started = True
        self.out.append("<hr>")

    def _fence(self, token: Token) -> None:
        """Code inside a list or a quote; code that stands alone is a card of its own."""
        size, line = self.look.size("code")
        # The first line of an item that begins with code is the item's own.
        is_top, self.in_item = self.in_item and self.is_top, False
        style = (
            f"font-family:{self.look.code_family};font-size:{size}px;line-height:{line}px;"
            f"white-space:pre-wrap;background-color:{self.look.colors['code']};"
            f"color:{self.look.colors[self.look.color]};"
            f"margin-left:{self.nest.left}px;margin-right:0;"
        )
        rows = [(row, "") for row in code_rows(token.content, token.info, self.look)]
        if head := code_head(token.info, self.look, whole=self.heads):
            quiet = f"color:{self.look.colors['text_2']};"
            quiet += f"font-family:{self.look.family};" if self.heads else ""
            rows.insert(0, (head, quiet))
        for place, (row, more) in enumerate(rows):
            # The ground reaches a little over the first and the last line.
            top = self.look.gap if place == 0 and self.started and not is_top else 0
            bottom = 3 * self.look.gap // 2 if place == len(rows) - 1 else 0
            margins = f"margin-top:{top}px;margin-bottom:{bottom}px"
            tag = f'<p dir="ltr"{self.nest.bars()} style="{style}{more}{margins}">'
            self.out.append(f"{tag}{row}</p>")
        self.started = True

    _code_block = _fence

    def _formula_block(self, token: Token) -> None:
        source = str(token.meta["source"])
        self.in_item = False
        drawn = ""
        if token.content:
            drawn = self.look.formula(token.content, True, self.look.size(self.look.base)[0])
        if drawn:
            form = f'align="center"{self.nest.bars()} style="{self._style()}"'
            self.out.append(f"<p {form}>{drawn}</p>")
            return
        if not token.content and "\n" not in source:
            # It may be a price yet: words do not change their face while they come.
            said = text_html(source.rstrip())
            self.out.append(f'<p{self.nest.bars()} style="{self._style()}">{said}</p>')
            return
        rows = (code_html(row, self.look, padded=False) for row in source.split("\n"))
        self.out.append(f'<p{self.nest.bars()} style="{self._style()}">{"<br>".join(rows)}</p>')

    def _footnote_reference_open(self, token: Token) -> None:
        """A footnote stands where it was written, quiet, with its label before it."""
        self.size = "ui"
        self.note = str(token.meta["label"])

    def _label(self) -> None:
        """The label of a note that begins with something else than words, in a line of its own."""
        label, self.note = self.note, ""
        self.out.append(f'<p style="{self._style()}"><b>{text_html(label)}.</b></p>')

    def _footnote_reference_close(self, token: Token) -> None:
        self.size, self.note = self.look.base, ""

    def _inline(self, token: Token) -> None:
        is_item = bool(self.nest.tags) and self.nest.tags[-1] != "p"
        look = self.table.cell_look if self.table.in_cell else self.look
        if self.size != self.look.base:
            # Formulas are as large as the words of a heading or a note.
            look = replace(look, base=self.size)
        numbered = is_item and bool(self.lists) and self.lists[-1].tag == "ol"
        writer = InlineWriter(look, self.out, is_item=is_item, numbered=numbered)
        writer.write(token.children or [])
