"""The middle of the chat: the transcript or the welcome page, with the jump button above both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QWidget

from kinet.ui.controls import IconButton, draw_icon
from kinet.ui.theme import current_theme

if TYPE_CHECKING:
    from kinet.ui.transcript.view import Transcript


# Pixels from the end that still count as being there.
_NEAR_END = 40


class ChatBody(QWidget):
    """Holds what is read. Cards that come before there is a transcript wait for it."""

    jumped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript: Transcript | None = None
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._empty = QWidget(self)
        self._stack.addWidget(self._empty)
        self._page: QScrollArea | None = None
        self.jump = JumpButton(self)
        self.jump.clicked.connect(self._jump)

    def set_transcript(self, transcript: Transcript) -> None:
        """Shows the transcript in place of the empty body."""
        self.transcript = transcript
        self._stack.addWidget(transcript)
        if self._page is None or self._stack.currentWidget() is not self._page:
            self._stack.setCurrentWidget(transcript)
        transcript.following_changed.connect(self._show_jump)
        bar = transcript.verticalScrollBar()
        bar.rangeChanged.connect(self._show_jump)
        bar.valueChanged.connect(self._show_jump)
        self.jump.raise_()

    def show_page(self, page: QWidget | None) -> None:
        """Shows `page` (the welcome page) in place of the transcript; None goes back."""
        if page is None:
            self._stack.setCurrentWidget(self.transcript or self._empty)
            return
        if self._page is None:
            self._page = QScrollArea(self)
            self._page.setWidgetResizable(True)
            self._page.setFrameShape(QScrollArea.Shape.NoFrame)
            self._page.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._stack.addWidget(self._page)
        if self._page.widget() is not page:
            self._page.setWidget(page)
        self._stack.setCurrentWidget(self._page)
        self.jump.hide()

    def add_card(self, card: QWidget) -> None:
        """Puts a card at the end of the transcript."""
        if self.transcript is not None:
            self.transcript.add_card(card)

    def remove_card(self, card: QWidget) -> None:
        """Takes a card out again."""
        if self.transcript is not None:
            self.transcript.remove_card(card)

    def find_text(self, text: str, backwards: bool) -> tuple[int, int]:
        """Goes to the next hit in the transcript."""
        return self.transcript.find_next(text, backwards) if self.transcript else (0, 0)

    def clear_find(self) -> None:
        """Takes the marks of a search away."""
        if self.transcript is not None:
            self.transcript.clear_find()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.jump.move((self.width() - self.jump.width()) // 2, self.height() - 44)

    def _show_jump(self) -> None:
        """Offers the way down while the end is neither followed nor in sight."""
        transcript = self.transcript
        if transcript is None or self._stack.currentWidget() is not transcript:
            self.jump.hide()
            return
        bar = transcript.verticalScrollBar()
        below = bar.maximum() - bar.value() > _NEAR_END
        self.jump.setVisible(below and not transcript.following)
        self.jump.raise_()

    def _jump(self) -> None:
        if self.transcript is not None:
            self.transcript.jump_to_bottom()
        self.jump.hide()
        self.jumped.emit()


class JumpButton(IconButton):
    """A round button over the text's lower edge: to the newest text, and follow it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("arrow-down", "Jump to the newest text", "End", parent, size=32)
        self.setObjectName("jumpToBottomButton")
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.qcolor("control_border"))
        painter.setBrush(theme.qcolor("hover" if self.underMouse() else "raised"))
        painter.drawEllipse(self.rect().adjusted(1, 1, -1, -1))
        draw_icon(painter, "arrow-down", "text_2", QPoint(16, 16))
