"""Lays rows of plain text out on a grid: fixed height, a margin left, taller rows where told."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextBlock, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout, QPlainTextEdit

# A block whose state is this or more is that many pixels high and shows no text of its own.
SPECIAL = 10


class RowLayout(QPlainTextDocumentLayout):
    """Qt's fast layout of plain text knows no line height and no indent; this one adds both.

    Only what comes near the screen is ever laid out, so a document may have any number of rows.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.row_height = 20
        self.indent = 16.0

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """The place of a block, after its lines were moved onto the grid."""
        rect = super().blockBoundingRect(block)
        state = block.userState()
        if state >= SPECIAL:
            return QRectF(rect.x(), rect.y(), rect.width(), state)
        # Qt asks for the block at the top, also while there is none: before the first layout.
        layout = block.layout() if block.isValid() else None
        lines = layout.lineCount() if layout is not None else 0
        if layout is None or not lines:
            return rect
        first = layout.lineAt(0)
        above = max(0.0, (self.row_height - first.height()) // 2)
        wanted = QPointF(self.indent, above)
        if first.position() != wanted:
            for number in range(lines):
                line = layout.lineAt(number)
                line.setPosition(QPointF(self.indent, above + number * self.row_height))
        return QRectF(rect.x(), rect.y(), rect.width() + self.indent, lines * self.row_height)


def give_rows(view: QPlainTextEdit) -> RowLayout:
    """Gives `view` a document that is laid out in rows."""
    document = QTextDocument(view)
    # What programs print is written for the left, whatever a row begins with.
    option = document.defaultTextOption()
    option.setTextDirection(Qt.LayoutDirection.LeftToRight)
    document.setDefaultTextOption(option)
    layout = RowLayout(document)
    document.setDocumentLayout(layout)
    view.setDocument(document)
    return layout
