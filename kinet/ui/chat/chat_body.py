"""The middle of the chat: the transcript, first tasks, or the welcome page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QStackedLayout, QWidget

from kinet.ui.kit.tab_order import stops_in

if TYPE_CHECKING:
    from kinet.ui.compare.compare_page import ComparePage
    from kinet.ui.transcript.view import Transcript


class ChatBody(QWidget):
    """Holds what is read. Cards that come before there is a transcript wait for it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.transcript: Transcript | None = None
        self._waiting: list[QWidget] = []
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._empty = QWidget(self)
        self._stack.addWidget(self._empty)
        self._page: QScrollArea | None = None
        self._trust: QWidget | None = None
        self._compared: ComparePage | None = None
        self._starters: QWidget | None = None

    def set_transcript(self, transcript: Transcript) -> None:
        """Shows the transcript in place of the empty body."""
        self.transcript = transcript
        self._stack.addWidget(transcript)
        waiting, self._waiting = self._waiting, []
        for card in waiting:
            self.add_card(card)
        if self._page is None or self._stack.currentWidget() is not self._page:
            self._stack.setCurrentWidget(self._usual())

    def show_page(self, page: QWidget | None) -> None:
        """Shows `page` (the welcome page) in place of the transcript; None goes back."""
        if page is None:
            self._stack.setCurrentWidget(self._usual())
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

    def show_trust(self, page: QWidget | None) -> None:
        """Shows the question about the folder in place of the transcript; None goes back.

        The welcome page comes first: without a model nothing is sent anyway.
        """
        before, self._trust = self._trust, page
        if page is not None:
            self._stack.addWidget(page)
        if self._page is None or self._stack.currentWidget() is not self._page:
            self._stack.setCurrentWidget(self._usual())
        if before is not None and before is not page:
            self._stack.removeWidget(before)
            before.deleteLater()

    def show_compared(self, page: ComparePage | None) -> None:
        """Shows two answers in place of the transcript; None goes back."""
        before, self._compared = self._compared, page
        if page is not None:
            self._stack.addWidget(page)
        if self._page is None or self._stack.currentWidget() is not self._page:
            self._stack.setCurrentWidget(self._usual())
        if before is not None:
            self._stack.removeWidget(before)

    def show_starters(self, page: QWidget | None) -> None:
        """Shows first tasks in place of a transcript without messages; None goes back.

        A question about the folder and the welcome page come first.
        """
        before, self._starters = self._starters, page
        if page is not None and page is not before:
            self._stack.addWidget(page)
        if self._page is None or self._stack.currentWidget() is not self._page:
            self._stack.setCurrentWidget(self._usual())
        if before is not None and before is not page:
            self._stack.removeWidget(before)
            before.hide()

    def _usual(self) -> QWidget:
        first = self._trust or self._compared or self._starters
        return first or self.transcript or self._empty

    @property
    def first_stop(self) -> QWidget | None:
        """Where the keyboard enters what is read now; None where there is nothing."""
        shown = self._stack.currentWidget()
        if shown is None or shown is self.transcript:
            return shown
        stops = [part for part in stops_in(shown) if part.isVisible() and part.isEnabled()]
        return stops[0] if stops else None

    def add_card(self, card: QWidget) -> None:
        """Puts a card at the end of the transcript."""
        if self.transcript is None:
            self._waiting.append(card)
            return
        self.transcript.add_card(card)
        _reach(card, self.transcript)

    def remove_card(self, card: QWidget) -> None:
        """Takes a card out again."""
        if card in self._waiting:
            self._waiting.remove(card)
        elif self.transcript is not None:
            self.transcript.remove_card(card)

    def find_text(self, text: str, backwards: bool) -> tuple[int, int] | None:
        """Goes to the next hit in the transcript; None if that takes a moment."""
        reader = self._compared.reader if self._compared is not None else self.transcript
        return reader.find_next(text, backwards) if reader is not None else (0, 0)

    def clear_find(self) -> None:
        """Takes the marks of a search away."""
        if self.transcript is not None:
            self.transcript.clear_find()
        if self._compared is not None:
            self._compared.left.transcript.clear_find()
            self._compared.right.transcript.clear_find()


def _reach(card: QWidget, before: QWidget) -> None:
    """Tab comes from the transcript to the card, and only then to what stands below."""
    last = before
    for part in stops_in(card):
        QWidget.setTabOrder(last, part)
        last = part
