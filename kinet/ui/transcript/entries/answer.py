"""The model's answer: blocks without a bubble, and the caret while it arrives."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QTextDocument

from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.ornaments import first_of
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries import piece_paint
from kinet.ui.transcript.entries.entry import Canvas, Hit
from kinet.ui.transcript.entries.link_places import link_at, links
from kinet.ui.transcript.entries.text_entry import TextEntry


class AnswerEntry(TextEntry):
    """One answer. The caret block at its end is the mark of what is not stored yet."""

    kind = "answer"
    __slots__ = ()

    def paint(self, canvas: Canvas) -> None:
        """Draws the blocks that are seen."""
        for number in self.seen(canvas.top, canvas.bottom):
            piece = self.piece(number)
            rect = QRect(0, self.piece_top(number), canvas.width, piece.height)
            piece_paint.paint(canvas, piece, number, rect)
        if canvas.focus is not None and canvas.focus.action == "link":
            draw.ring(canvas.painter, canvas.style, canvas.focus.rect.adjusted(-3, -1, 3, 2), 4)
        tail = self.blocks.tail if self.blocks is not None else None
        if self.is_streaming and tail is not None and tail.document is not None:
            self._caret(canvas, tail, tail.document)

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """A button of a code card, or a link."""
        number = self.piece_at(y)
        if number < 0:
            return None
        piece = self.piece(number)
        rect = QRect(0, self.piece_top(number), width, piece.height)
        for hit in piece_paint.hits(piece, number, rect, style):
            if hit.rect.contains(x, y):
                return hit
        thumb = piece_paint.thumb(piece, rect)
        if thumb is not None and thumb.adjusted(-4, -6, 4, 4).contains(x, y):
            return Hit("thumb", "", thumb, "", number)
        return link_at(piece, number, rect, QPoint(x, y), style)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """Links, and buttons of code cards, of what has been laid out."""
        found: list[Hit] = []
        for number, piece in enumerate(self.blocks.pieces if self.blocks is not None else []):
            if piece.kind == "code" and (piece.first or piece.has_foot):
                rect = QRect(0, self.piece_top(number), width, piece.height)
                found += piece_paint.hits(piece, number, rect, style)
            elif piece.document is not None:
                rect = QRect(0, self.piece_top(number), width, piece.height)
                found += links(piece, number, rect, style)
        return found

    def _caret(self, canvas: Canvas, piece: Piece, document: QTextDocument) -> None:
        style = canvas.style
        number = self.piece_count - 1
        left, top = piece.text_origin(style)
        box = end_of(document)
        line = style.theme.line_height("code" if piece.kind == "code" else "answer")
        up = piece_paint.lift(piece, style)
        height = min(style.px(18), line)
        x = min(left + box.x() + 1, canvas.width - style.px(8))
        y = self.piece_top(number) + top - up + box.center().y() - height / 2
        canvas.painter.fillRect(
            QRectF(round(x), round(y), style.px(8), height), style.color("accent")
        )


def end_of(document: QTextDocument) -> QRectF:
    """Where the next character would stand."""
    block = document.lastBlock()
    layout = block.layout()
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    if layout.lineCount() == 0:
        return QRectF(origin.x(), origin.y(), 0, 0)
    line = layout.lineAt(layout.lineCount() - 1)
    left = first_of(line.cursorToX(block.length() - 1))
    return QRectF(origin.x() + left, origin.y() + line.y(), 0, line.height())
