"""A few words at the bottom of the window, with one action, that leave by themselves."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from shiboken6 import isValid

from kinet.ui.kit.announce import announce
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import current_theme

SECONDS = 8.0
HEIGHT = 36
# Above the composer, and above the bottom where there is none.
_GAP, _FOOT = 16, 128
# Milliseconds it stays when pointer or keyboard leave it.
_AFTER = 3_000


class Toast(QWidget):
    """Shows the newest message; the older one gives way. Waits while the pointer is on it."""

    def __init__(self, parent: QWidget, over: QWidget | None = None) -> None:
        super().__init__(parent)
        # Stands over this part of the parent, else over all of it.
        self._parent, self._over = parent, over
        self._read: QWidget | None = None
        self._stays = False
        self._act: Callable[[], None] | None = None
        # What had the keyboard before it came to the button, and gets it back.
        self._before: QWidget | None = None
        self._label = text_label("", parent=self)
        self._label.setWordWrap(True)
        self._button = TextButton("Undo", self, kind="link")
        self._button.clicked.connect(self._pressed)
        for part in (self._label, self._button):
            part.installEventFilter(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_moved)
        self.hide()

    def tell(
        self,
        text: str,
        action: str = "",
        act: Callable[[], None] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """Shows `text`; `seconds` 0 keeps it until it is pressed or replaced."""
        self._label.setText(text)
        self.setAccessibleName(text)
        self._act = act
        self._button.set_text(action)
        self._button.setVisible(bool(action))
        self.place()
        self.show()
        self.raise_()
        announce(self, f"{text} {action}".strip(), urgent=seconds <= 0)
        self._stays = seconds <= 0
        if seconds > 0:
            self._timer.start(int(seconds * 1000))
        else:
            self._timer.stop()

    def change(self, text: str) -> None:
        """Other words for what is shown, as of something that goes on; nothing is said aloud."""
        self._label.setText(text)
        self.setAccessibleName(text)
        self.place()

    def stand_on(self, read: QWidget) -> None:
        """Stands at the bottom of what is read from now on: the composer below may be high."""
        if self._read is read:
            return
        if self._read is not None and isValid(self._read):
            self._read.removeEventFilter(self)
        self._read = read
        read.installEventFilter(self)
        self.place()

    def text(self) -> str:
        """What is shown."""
        return self._label.text()

    def place(self) -> None:
        """Stands in the middle of its part's bottom, above the composer."""
        room = self._over.geometry() if self._over is not None else self._parent.rect()
        self._label.ensurePolished()
        button = 0 if self._button.isHidden() else self._button.sizeHint().width() + 12
        around = 16 + 12 + button
        words = self._label.fontMetrics().horizontalAdvance(self._label.text()) + 2
        width = min(words + around, room.width() - 32)
        # What has no room in one line goes on in the next: a cut message tells half.
        height = max(HEIGHT, self._label.heightForWidth(width - around) + 16)
        left = room.left() + (room.width() - width) // 2
        self.setGeometry(left, self._floor(room) - height, width, height)

    def _floor(self, room: QRect) -> int:
        if self._read is None or not isValid(self._read) or not self._read.isVisible():
            return room.bottom() - _FOOT
        bottom = self._read.mapTo(self._parent, QPoint(0, self._read.height())).y()
        return bottom - _GAP

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Larger words may need another line, and a higher composer takes the room below."""
        # The kind comes first: while a window ends others come, and this object holds nothing more.
        kind = event.type()
        moves = kind == QEvent.Type.Resize and watched is self._read
        if (moves or kind == QEvent.Type.FontChange) and self.isVisible():
            self.place()
        return False

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._leave()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.qcolor("dialog_border"))
        painter.setBrush(theme.qcolor("chip"))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)

    def _leave(self) -> None:
        """What was to stay stays, also when pointer and keyboard were on it."""
        if not self._stays:
            self._timer.start(_AFTER)

    def _focus_moved(self, before: QWidget | None, now: QWidget | None) -> None:
        """It waits for who comes by keyboard as for who comes with the pointer."""
        if now is self._button:
            self._before = before
            self._timer.stop()
        elif before is self._button and isValid(self) and self.isVisible():
            self._leave()

    def _pressed(self) -> None:
        act, self._act = self._act, None
        before = self._before
        if self._button.hasFocus() and before is not None and isValid(before):
            # What is hidden would hand the focus to any neighbour.
            before.setFocus(Qt.FocusReason.TabFocusReason)
        self.hide()
        if act is not None:
            act()
