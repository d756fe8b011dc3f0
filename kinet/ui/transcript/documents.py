"""Makes the text documents of blocks: rich text for prose and tables, plain coloured code."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QRectF, Qt, QUrl
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextLayout,
    QTextOption,
    QTextTable,
)

from kinet.markup.highlight import highlight
from kinet.markup.look import Look
from kinet.markup.visible import shown_code
from kinet.ui.transcript.style import Style


class SafeDocument(QTextDocument):
    """A document that loads nothing, whatever its text asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        """No picture, no style sheet: neither from the network nor from this computer."""
        return None


def prose(html: str, look: Look, style: Style, width: int) -> QTextDocument:
    """A document of rich text, laid out at `width`."""
    document = SafeDocument()
    document.setDefaultFont(style.font(look.base))
    document.setIndentWidth(style.px(24))
    document.setHtml(html)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setTextWidth(width)
    return document


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


def inline_code_boxes(document: QTextDocument) -> list[QRectF]:
    """Where code stands within lines: its background is drawn rounded, not by the text itself."""
    boxes: list[QRectF] = []
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            if fragment.isValid() and fragment.charFormat().fontFixedPitch():
                boxes += _boxes(document, block, fragment.position(), fragment.length())
            iterator += 1
        block = block.next()
    return boxes


def quote_bars(document: QTextDocument, indent: int) -> list[QRectF]:
    """The bars at the left of quotes, one for each level."""
    bars: list[QRectF] = []
    block = document.begin()
    while block.isValid():
        margin = round(block.blockFormat().leftMargin())
        if margin >= indent:
            box = document.documentLayout().blockBoundingRect(block)
            for level in range(margin // indent):
                left = box.x() + level * indent
                if bars and bars[-1].x() == left and box.y() - bars[-1].bottom() < 2 * indent:
                    bars[-1].setBottom(box.bottom())
                else:
                    bars.append(QRectF(left, box.y(), 3, box.height()))
        block = block.next()
    return bars


def table_of(document: QTextDocument) -> QTextTable | None:
    """The table of a document that is one."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            return frame
    return None


def row_tops(document: QTextDocument, table: QTextTable, head: int, row: int) -> list[float]:
    """The upper edge of each row; `head` and `row` are the paddings above their text."""
    tops = []
    for number in range(table.rows()):
        block = table.cellAt(number, 0).firstCursorPosition().block()
        top = document.documentLayout().blockBoundingRect(block).y()
        tops.append(top - (row if number else head))
    return tops


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


def _boxes(document: QTextDocument, block: QTextBlock, start: int, length: int) -> list[QRectF]:
    layout = block.layout()
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    first = start - block.position()
    boxes = []
    while length > 0:
        line = layout.lineForTextPosition(first)
        if not line.isValid():
            break
        count = min(length, line.textStart() + line.textLength() - first)
        left, right = line.cursorToX(first), line.cursorToX(first + count)
        left, right = first_of(left), first_of(right)
        # The line's box stands where its fixed height has put it.
        box = QRectF(min(left, right), line.y(), abs(right - left), line.height())
        boxes.append(box.translated(origin.x(), origin.y()))
        if count <= 0:
            break
        first, length = first + count, length - count
    return boxes


def first_of(value: Any) -> float:
    """A number that Qt gives alone or with the place it was measured at."""
    return float(value[0] if isinstance(value, tuple) else value)
