"""Links in rows: where they lead is told under the pointer; a click or Enter asks for them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QToolTip

from kinet.markup.links import openable
from kinet.ui.kit.row_colours import characters
from kinet.ui.kit.row_view import RowView
from kinet.ui.kit.rows import link_at
from kinet.ui.kit.visible_text import spell_out

_LONGEST = 1_000


class RowLinks(QObject):
    """Watches a view of rows. Only what may be opened is ever asked for."""

    chosen = Signal(str)

    def __init__(self, view: RowView) -> None:
        super().__init__(view)
        self._view = view
        self._pressed = QPoint()
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes only what belongs to a link."""
        kind = event.type()
        if kind == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if watched is not self._view.viewport():
                return False
            self._tell(event)
            return True
        if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._choose(
                self._at(self._view.textCursor())
            )
        if not isinstance(event, QMouseEvent) or watched is not self._view.viewport():
            return False
        place = event.position().toPoint()
        if kind == QEvent.Type.MouseMove and not event.buttons() and openable(self.under(place)):
            self._view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
            return True
        if event.button() == Qt.MouseButton.LeftButton:
            if kind == QEvent.Type.MouseButtonPress:
                self._pressed = place
            elif kind == QEvent.Type.MouseButtonRelease and not self._was_dragged(place):
                return self._choose(self.under(place))
        return False

    def under(self, place: QPoint) -> str:
        """The address below a point of the view; "" for none."""
        cursor = self._view.cursorForPosition(place)
        box = self._view.cursorRect(cursor)
        if not box.adjusted(-40, -4, 40, 4).contains(place):
            return ""
        if place.x() < box.x():
            cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        return self._at(cursor)

    def _at(self, cursor: QTextCursor) -> str:
        number = cursor.blockNumber()
        if number >= len(self._view.rows):
            return ""
        row = self._view.rows[number]
        return link_at(row, characters(row.text, cursor.positionInBlock())) if row.runs else ""

    def _was_dragged(self, place: QPoint) -> bool:
        return (place - self._pressed).manhattanLength() > 4 or (
            self._view.textCursor().hasSelection()
        )

    def _choose(self, address: str) -> bool:
        if not openable(address):
            return False
        self.chosen.emit(address)
        return True

    def _tell(self, event: QHelpEvent) -> None:
        address = self.under(event.pos())
        told = spell_out(address[:_LONGEST]).text
        if address and not openable(address):
            told = f"Not a web or mail address, so it is not opened: {told}"
        QToolTip.showText(event.globalPos(), told, self._view)
