"""A row of widgets that goes on in a second line where the first has no room for all."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QLineEdit, QSizePolicy, QWidget

_GAP = 8


class WrappingRow(QLayout):
    """Gives each widget the width it wants. `aside` stands at the right end of its line, and what
    a line has left goes to `filling`, a field whose hint is read whole.

    Words on buttons are never cut: at 150 % or in a narrow window a row needs two lines.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        aside: QWidget | None = None,
        filling: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._aside, self._filling = aside, filling
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        shown = [item.sizeHint() for item in self._shown()]
        width = sum(size.width() + _GAP for size in shown) - _GAP
        return QSize(max(0, width), max((size.height() for size in shown), default=0))

    def minimumSize(self) -> QSize:
        shown = [self._wanted(item, 0) for item in self._shown()]
        width = max((size.width() for size in shown), default=0)
        return QSize(width, max((size.height() for size in shown), default=0))

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _wanted(self, item: QLayoutItem, room: int) -> QSize:
        """What it wants; what can shrink takes no more than the room there is."""
        size, widget = item.sizeHint(), item.widget()
        least = item.minimumSize().width()
        if widget is self._filling and isinstance(widget, QLineEdit):
            hint = widget.fontMetrics().horizontalAdvance(widget.placeholderText()) + 28
            size.setWidth(max(least, min(max(hint, size.width()), room)))
            return size
        if widget is not None and widget.sizePolicy().horizontalPolicy() in (
            QSizePolicy.Policy.Ignored,
            QSizePolicy.Policy.Maximum,
            QSizePolicy.Policy.Preferred,
        ):
            size.setWidth(max(least, min(size.width(), room)))
        return size

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Puts each in its line; the height of all lines."""
        top, lines = rect.top(), self._lines(rect.width())
        for line in lines:
            height = max(size.height() for _, size in line)
            left = rect.left()
            spare = rect.width() - sum(size.width() + _GAP for _, size in line) + _GAP
            for item, size in line:
                if self._filling is not None and item.widget() is self._filling:
                    size.setWidth(size.width() + max(0, spare))
                if item.widget() is self._aside:
                    left = rect.right() + 1 - size.width()
                if move:
                    drop = (height - size.height()) // 2
                    item.setGeometry(QRect(QPoint(left, top + drop), size))
                left += size.width() + _GAP
            top += height + _GAP
        return top - rect.top() - _GAP if lines else 0

    def _lines(self, room: int) -> list[list[tuple[QLayoutItem, QSize]]]:
        lines: list[list[tuple[QLayoutItem, QSize]]] = []
        used = 0
        for item in self._shown():
            size = self._wanted(item, room)
            if not lines or used + size.width() > room:
                lines.append([])
                used = 0
            lines[-1].append((item, size))
            used += size.width() + _GAP
        return lines
