"""Makes the text documents of blocks: rich text for prose and tables, plain coloured code."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextFrameFormat,
    QTextLayout,
    QTextLength,
    QTextOption,
    QTextTable,
)

from kinet.markup.highlight import highlight
from kinet.markup.look import BARS, Look
from kinet.markup.visible import shown_code
from kinet.ui.transcript.blocks import formula_objects, ornaments
from kinet.ui.transcript.blocks.ornaments import Ornaments
from kinet.ui.transcript.blocks.style import Style

# What in rich text means that there is something to draw around the words.
_ORNATE = ("<code", "<ul", "<hr", "<blockquote", "background", "font-size:1px")


class SafeDocument(QTextDocument):
    """A document that loads nothing, whatever its text asks for."""

    def __init__(self) -> None:
        super().__init__()
        # Where lines of code begin whose ground is drawn around them: see `ornaments.prepare`.
        self.panels: set[int] = set()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        """No picture, no style sheet: neither from the network nor from this computer."""
        return None


def prose(html: str, look: Look, style: Style, width: int) -> tuple[QTextDocument, Ornaments]:
    """A document of rich text, laid out at `width`, and what is drawn around its words."""
    document = SafeDocument()
    document.setDefaultFont(style.font(look.base, digits=True))
    document.setIndentWidth(style.px(24))
    _set_html(document, html, style, width)
    prepare(document, html, style)
    option = QTextOption()
    option.setTabStopDistance(4 * style.advance("0", "code", mono=True))
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setTextWidth(width)
    return document, around(document, html, look, style)


def prepare(document: SafeDocument, html: str, style: Style) -> None:
    """Takes from a document what is drawn around its words instead, and turns its quotes and
    tables to what they are to be."""
    if "<hr" in html or "background" in html:
        document.panels = ornaments.prepare(document)
    if BARS in html:
        ornaments.turn(document)
    if "<table" in html:
        for one in _tables(document.rootFrame()):
            form = one.format()
            form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            form.setBorderBrush(style.color("border"))
            one.setFormat(form)


def around(document: SafeDocument, html: str, look: Look, style: Style) -> Ornaments:
    """What is drawn around the words of a document that is laid out."""
    if BARS not in html and not any(mark in html for mark in _ORNATE):
        return ornaments.NONE
    return ornaments.find(document, document.panels, look.indent, style.families(True)[0])


def table(html: str, style: Style, width: int, columns: tuple[float, ...] = ()) -> QTextDocument:
    """A document of one table: digits stand below each other; `columns` are widths in percent."""
    document = SafeDocument()
    document.setDefaultFont(style.font("ui", digits=True))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    _set_html(document, html, style, width)
    made = table_of(document) if columns else None
    if made is not None:
        set_columns(made, columns)
    document.setTextWidth(width)
    return document


def marks_of(document: QTextDocument, html: str, look: Look, style: Style) -> Ornaments:
    """What is drawn around the words of a table that is laid out."""
    if "<code" not in html:
        return ornaments.NONE
    return ornaments.find(document, set(), look.indent, style.families(True)[0])


def code(text: str, language: str, style: Style, width: int, *, wrap: bool) -> QTextDocument:
    """A document of code in lines of one height; `width` counts only where lines wrap."""
    document = SafeDocument()
    document.setDefaultFont(style.font("code", mono=True))
    option = QTextOption()
    option.setTabStopDistance(4 * style.advance("0", "code", mono=True))
    option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    option.setWrapMode(
        QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere if wrap else QTextOption.WrapMode.NoWrap
    )
    document.setDefaultTextOption(option)
    shown = shown_code(text)
    document.setPlainText(shown)
    _set_lines(document, style)
    if language:
        _color(document, shown, language, style)
    document.setTextWidth(width if wrap else -1)
    return document


def grow(document: QTextDocument, text: str) -> None:
    """Appends code to an open block: earlier lines are not laid out again."""
    cursor = QTextCursor(document)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.insertText(shown_code(text))


def height_of(document: QTextDocument) -> int:
    """The document's height in whole pixels."""
    return math.ceil(document.size().height() - 0.01)


def table_of(document: QTextDocument) -> QTextTable | None:
    """The table of a document that is one."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            return frame
    return None


def _tables(frame: QTextFrame) -> Iterator[QTextTable]:
    for one in frame.childFrames():
        if isinstance(one, QTextTable):
            yield one
        yield from _tables(one)


def row_begin(document: QTextDocument, row: int) -> int:
    """The first place of a row of a document that is a table; its end where there is none."""
    table = table_of(document)
    if table is None or row >= table.rows():
        return document.characterCount() - 1
    return table.cellAt(row, 0).firstPosition()


def is_mirrored(table: QTextTable) -> bool:
    """True if it is read from the right: its last column is the first of the document."""
    return table.format().layoutDirection() == Qt.LayoutDirection.RightToLeft


def columns_in_order(table: QTextTable) -> Sequence[int]:
    """The numbers of its columns as they are read."""
    columns = range(table.columns())
    return columns[::-1] if is_mirrored(table) else columns


def has_mirrored(document: QTextDocument) -> bool:
    """True if a table in it is read from the right."""
    frames = document.rootFrame().childFrames()
    return any(isinstance(frame, QTextTable) and is_mirrored(frame) for frame in frames)


def reading_order(
    document: QTextDocument, begin: int = 0, end: int = 10**9
) -> Iterator[QTextBlock]:
    """The paragraphs between two places as they are read: rows of a table that is read from the
    right turn round."""
    turned = has_mirrored(document)
    row: list[QTextBlock] = []
    row_of = (-1, -1)
    block = document.findBlock(begin)
    while block.isValid() and block.position() <= end:
        table = QTextCursor(block).currentTable() if turned else None
        here = (-1, -1)
        if table is not None and is_mirrored(table):
            here = (table.firstPosition(), table.cellAt(block.position()).row())
        if here != row_of:
            yield from reversed(row)
            row, row_of = [], here
        if here[0] < 0:
            yield block
        else:
            # A cell is one paragraph.
            row.append(block)
        block = block.next()
    yield from reversed(row)


def columns_of(document: QTextDocument, table: QTextTable, padding: int) -> tuple[float, ...]:
    """The widths of the columns as they are laid out, in percent."""
    edges = []
    for number in range(table.columns()):
        block = table.cellAt(0, number).firstCursorPosition().block()
        edges.append(document.documentLayout().blockBoundingRect(block).x() - padding)
    whole = max(1.0, document.size().width())
    ends = [*edges[1:], whole]
    return tuple(
        max(1.0, 100 * (end - start) / whole) for start, end in zip(edges, ends, strict=True)
    )


def set_columns(table: QTextTable, widths: tuple[float, ...]) -> None:
    """Gives the columns these widths, in percent; more columns than widths share what is left."""
    form = table.format()
    kind = QTextLength.Type.PercentageLength
    form.setColumnWidthConstraints([QTextLength(kind, width) for width in widths])
    table.setFormat(form)


def row_tops(document: QTextDocument, table: QTextTable, head: int, row: int) -> list[float]:
    """The upper edge of each row; `head` and `row` are the paddings above their text."""
    tops = []
    for number in range(table.rows()):
        block = table.cellAt(number, 0).firstCursorPosition().block()
        top = document.documentLayout().blockBoundingRect(block).y()
        tops.append(top - (row if number else head))
    return tops


def _set_html(document: QTextDocument, html: str, style: Style, width: int) -> None:
    """The text, with the formulas that are drawn."""
    if style.formulas is None or 'src="formula:' not in html:
        document.setHtml(html)
        return
    lines = dict(style.look.sizes.values())
    rooms = style.formulas.rooms(html, document.defaultFont(), lines, width, style.ratio)
    formula_objects.set_html(document, html, rooms)


def _set_lines(document: QTextDocument, style: Style) -> None:
    form = QTextBlockFormat()
    form.setLineHeight(
        style.theme.line_height("code"), QTextBlockFormat.LineHeightTypes.FixedHeight.value
    )
    form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.setBlockFormat(form)


def _color(document: QTextDocument, text: str, language: str, style: Style) -> None:
    """Gives each line its colours before the first layout, so that nothing is laid out twice."""
    rows: dict[int, list[QTextLayout.FormatRange]] = {}
    if not text.isascii():
        places = _units(text)
    block, number = document.begin(), 0
    for start, length, name in highlight(text, language):
        end = start + length
        if not text.isascii():
            start, end = places[start], places[end]
        while start < end:
            while start >= block.position() + block.length() and block.next().isValid():
                block, number = block.next(), number + 1
            stop = min(end, block.position() + block.length())
            piece = QTextLayout.FormatRange()
            piece.start = start - block.position()
            piece.length = stop - start
            piece.format = style.syntax(name)
            rows.setdefault(number, []).append(piece)
            start = max(stop, start + 1)
    for number, pieces in rows.items():
        document.findBlockByNumber(number).layout().setFormats(pieces)


def _units(text: str) -> list[int]:
    """The UTF-16 place of each character and of the end."""
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if character > "\uffff" else 1))
    return places
