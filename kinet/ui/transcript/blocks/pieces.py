"""One block on screen: its source, its document while it is needed, and its height."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from PySide6.QtGui import QTextDocument

from kinet.markup.fences import FENCE
from kinet.markup.look import Look
from kinet.markup.render import Code, code_of, to_html, user_html
from kinet.markup.slices import Block, opening_line
from kinet.ui.transcript.blocks import documents
from kinet.ui.transcript.blocks.ornaments import NONE
from kinet.ui.transcript.blocks.style import Style

CODE_HEAD = 32
CODE_PAD = 10
SIDE = 12
FOOT = 32
DOCUMENTS = 400
# A card of code is 480 high at most; one that is hardly longer is shown whole.
FOLDED_LINES = 23
FOLDS_ABOVE = 30


@dataclass
class Run:
    """What the parts of one code block or table share: where it is scrolled to, how it wraps.

    `columns` are a table's column widths in percent; `lines` counts the lines of code; `can_fold`
    says that it has a line that folds and unfolds it.
    """

    columns: tuple[float, ...] = ()
    lines: int = 0
    can_fold: bool = False
    folded: bool = False
    language: str = ""
    name: str = ""
    wrap: bool = False
    scroll: int = 0
    content_width: int = 0
    width: int = 0

    def lay_out_at(self, width: int) -> None:
        """Another width is another measure of what does not fit."""
        if width != self.width:
            self.width = width
            self.scroll = self.content_width = 0
            self.columns = ()


class Piece:
    """A block as it is shown. `height` is an estimate until `document` has been made once."""

    __slots__ = (
        "block", "code", "document", "exact", "first", "height", "last", "ornaments", "plain",
        "rows", "run", "shown", "width",
    )  # fmt: skip

    def __init__(self, block: Block, run: Run | None = None, *, plain: bool = False) -> None:
        self.block = block
        self.plain = plain
        self.run = run
        self.first = not block.continues
        self.last = True
        self.document: QTextDocument | None = None
        self.height = 0
        self.width = 0
        self.exact = False
        self.code: Code | None = None
        self.ornaments = NONE
        self.rows: list[float] = []
        # How many characters of growing code are in the document; -1 for a closed block.
        self.shown = -1

    @property
    def kind(self) -> str:
        """prose, code or table."""
        return self.block.kind

    @property
    def may_hold_formula(self) -> bool:
        """True where a sign in the source may begin a formula."""
        source = self.block.source
        return self.kind != "code" and ("$" in source or "\\(" in source or "\\[" in source)

    def text(self) -> Code:
        """The code of a code block."""
        if self.code is None:
            self.code = code_of(self.block)
        return self.code

    def estimate(self, style: Style, width: int) -> None:
        """A likely height, without any layout."""
        source = self.block.source
        lines = source.count("\n")
        if self.kind == "code":
            self.height = self._around(style) + max(1, lines) * style.theme.line_height("code")
            self._fold(style)
        elif self.kind == "table":
            self.height = max(1, lines) * style.px(32)
        else:
            letters = max(20, int(width / (0.5 * style.theme.pixels("answer"))))
            rows = max(1, len(source) // letters + min(lines, 60))
            self.height = rows * style.theme.line_height("answer")
        self.exact = False

    def lay_out(
        self, style: Style, width: int, references: dict[str, object], look: Look
    ) -> QTextDocument:
        """Makes the document if there is none for this width; sets the exact height."""
        if self.document is not None and self.width == width:
            return self.document
        self.width = width
        if self.run is not None:
            self.run.lay_out_at(width)
        if self.kind == "code":
            self._lay_out_code(style, width)
        elif self.kind == "table":
            self._lay_out_table(style, width, references, look)
        else:
            self._lay_out_prose(style, width, references, look)
        self.exact = True
        assert self.document is not None
        return self.document

    def grow(self, block: Block, style: Style) -> bool:
        """Takes a longer state of the open block; True if the document could simply grow."""
        self.block = block
        if self.kind == "code" and self.document is not None and self.shown >= 0:
            text = open_code(block)
            documents.grow(self.document, text[self.shown :])
            self.shown = len(text)
            self._measure_code(style)
            return True
        self.drop()
        return False

    def take_over(self, other: Piece) -> None:
        """Uses what was laid out for a block that looks the same."""
        self.document, self.height, self.width = other.document, other.height, other.width
        self.ornaments, self.rows, self.exact = other.ornaments, other.rows, other.exact

    def drop(self) -> None:
        """Forgets the document; the height stays as the best estimate."""
        self.document = None
        self.ornaments = NONE
        self.code = None if self.shown >= 0 else self.code

    def text_origin(self, style: Style) -> tuple[int, int]:
        """Where the document begins within the piece."""
        if self.kind == "code":
            scroll = self.run.scroll if self.run else 0
            top = style.room(CODE_HEAD) + style.px(CODE_PAD) if self.first else 0
            return SIDE - scroll, top
        if self.kind == "table":
            hidden = 0 if self.first or len(self.rows) < 2 else round(self.rows[1])
            return -(self.run.scroll if self.run else 0), -hidden
        return 0, 0

    @property
    def is_folded(self) -> bool:
        """True where only the first lines of the code are shown."""
        return self.run is not None and self.run.folded and self.shown < 0

    @property
    def is_certain(self) -> bool:
        """True if its height will not change by being laid out."""
        return self.document is not None or (self.is_folded and not self.first)

    @property
    def is_end(self) -> bool:
        """True if the card ends with this part as it is shown."""
        return self.first if self.is_folded else self.last

    @property
    def has_foot(self) -> bool:
        """True if the line that folds and unfolds stands below it."""
        return self.run is not None and self.run.can_fold and self.is_end

    def _fold(self, style: Style) -> None:
        """A folded card is a few lines of its first part; the other parts have no height."""
        if self.is_folded and self.first:
            lines = FOLDED_LINES * style.theme.line_height("code")
            around = style.room(CODE_HEAD) + 2 * style.px(CODE_PAD) + style.room(FOOT)
            self.height = around + lines
        elif self.is_folded:
            self.height = 0

    def _around(self, style: Style) -> int:
        head = style.room(CODE_HEAD) + style.px(CODE_PAD) if self.first else 0
        foot = style.room(FOOT) if self.has_foot else 0
        return head + foot + (style.px(CODE_PAD) if self.last else 0)

    def _lay_out_code(self, style: Style, width: int) -> None:
        run = self.run or Run()
        if self.shown >= 0:
            text = open_code(self.block)
            self.shown = len(text)
            self.document = documents.code(text, "", style, width - 2 * SIDE, wrap=run.wrap)
        else:
            content = self.text()
            shown = content.text.removesuffix("\n")
            self.document = documents.code(
                shown, run.language, style, width - 2 * SIDE, wrap=run.wrap
            )
        self._measure_code(style)

    def _measure_code(self, style: Style) -> None:
        assert self.document is not None
        run = self.run or Run()
        if not run.wrap:
            wide = int(self.document.idealWidth()) + 2 * SIDE
            run.content_width = max(run.content_width, wide)
        # The last line of a part that was cut ends in a line feed of the next part.
        self.height = self._around(style) + documents.height_of(self.document)
        self._fold(style)

    def _lay_out_table(
        self, style: Style, width: int, references: dict[str, object], look: Look
    ) -> None:
        run = self.run or Run()
        html = to_html(self.block, look, references)
        # The parts of one table stand in the columns of the part that was seen first.
        known = run.content_width if run.columns else width
        document = documents.table(html, style, known, run.columns)
        table = documents.table_of(document)
        if table is not None:
            if not run.columns:
                wanted = min(document.idealWidth(), table.columns() * 160.0)
                if wanted > width:
                    document.setTextWidth(wanted)
            run.content_width = max(run.content_width, int(document.size().width()))
            if not run.columns and not (self.first and self.last):
                run.columns = documents.columns_of(document, table, look.cell)
                documents.set_columns(table, run.columns)
            self.rows = documents.row_tops(document, table, look.cell // 3, look.cell // 2)
        self.document = document
        self.ornaments = documents.marks_of(document, html, look, style)
        hidden = 0 if self.first or len(self.rows) < 2 else round(self.rows[1])
        self.height = documents.height_of(document) - hidden

    def _lay_out_prose(
        self, style: Style, width: int, references: dict[str, object], look: Look
    ) -> None:
        if self.plain:
            html = user_html(self.block.source.removesuffix("\n"), look)
        else:
            html = to_html(self.block, look, references)
        self.document, self.ornaments = documents.prose(html, look, style, width)
        self.height = documents.height_of(self.document) if html else 0


def open_code(block: Block) -> str:
    """The code of a block that is still open, without what may become its closing line."""
    text = block.source
    if not block.lead:
        begin, _ = opening_line(text)
        if not begin:
            # The opening line is still coming, or code is told by its indentation.
            is_fence = FENCE.match(text.lstrip("\n"))
            return "" if is_fence else code_of(block).text.removesuffix("\n")
        text = text[begin:]
    start = text.rfind("\n") + 1
    if not text[start:].strip(" `~"):
        text = text[: max(start - 1, 0)]
    return text


class DocumentCache:
    """Keeps the documents that were used last; others are made again when they are seen."""

    def __init__(self, limit: int = DOCUMENTS) -> None:
        self.limit = limit
        self._pieces: OrderedDict[int, Piece] = OrderedDict()

    def touch(self, piece: Piece) -> None:
        """Says that the piece's document is in use."""
        key = id(piece)
        self._pieces[key] = piece
        self._pieces.move_to_end(key)
        self.trim(self.limit)

    def trim(self, limit: int) -> None:
        """Drops the oldest documents until `limit` are left."""
        while len(self._pieces) > limit:
            _, oldest = self._pieces.popitem(last=False)
            oldest.drop()

    def clear(self) -> None:
        """Drops every document."""
        for piece in self._pieces.values():
            piece.drop()
        self._pieces.clear()
