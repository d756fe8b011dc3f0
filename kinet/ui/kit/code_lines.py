"""Lines in the code font that are read whole: what has no room goes on in the next line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from kinet.ui.look.theme import current_theme


class CodeLines(QPlainTextEdit):
    """Like a label, but no word makes it wider than its place; what is copied is the very text."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.setAccessibleName(text)
        self.setStyleSheet(
            "QPlainTextEdit, QPlainTextEdit:hover"
            " { background: transparent; border: 0; padding: 0; }"
        )
        self.setPlainText(text)
        self._dress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters want more lines."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._dress()

    def _dress(self) -> None:
        font = current_theme().font("code", mono=True)
        if self.document().defaultFont() != font:
            self.document().setDefaultFont(font)
        self._fit()

    def _fit(self) -> None:
        """As high as its lines are; the document of such a field counts in lines."""
        lines = max(1, round(self.document().size().height()))
        high = lines * self._line()
        if high != self.height():
            self.setFixedHeight(high)

    def _line(self) -> int:
        block = self.document().firstBlock()
        rect = self.blockBoundingRect(block)
        return round(rect.height() / max(1, block.layout().lineCount()))
