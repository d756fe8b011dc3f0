"""A line across the chat, under its header, for what stands in the way of the next message."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kinet.ui.kit.controls import ElidedLabel, IconButton, draw_icon
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import current_theme

HEIGHT = 40


class Banner(QWidget):
    """One sentence on the warning tint, with one action; hidden until there is one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setFixedHeight(HEIGHT)
        # What it is about, for whoever takes it away again.
        self.about = ""
        self._act: Callable[[], object] | None = None
        self.label = ElidedLabel("", self)
        self.button = TextButton("Try again", self, kind="link")
        self.button.clicked.connect(self._pressed)
        close = IconButton("close", "Hide this line", parent=self, size=24, icon_size=12)
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(48, 0, 12, 0)
        row.setSpacing(12)
        row.addWidget(self.label)
        row.addWidget(self.button)
        row.addStretch(1)
        row.addWidget(close)
        self.hide()

    def tell(
        self, about: str, text: str, action: str = "", act: Callable[[], object] | None = None
    ) -> None:
        """Shows `text` in place of what was there."""
        self.about, self._act = about, act
        self.label.set_text(text)
        self.setAccessibleName(text)
        self.button.set_text(action)
        self.button.setVisible(bool(action))
        self.show()

    def take_away(self, about: str) -> None:
        """Hides it if it is about this."""
        if self.about == about:
            self.about = ""
            self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.qcolor("warning_tint"))
        painter.fillRect(0, HEIGHT - 1, self.width(), 1, theme.qcolor("warning_line"))
        draw_icon(painter, "alert", "warning", QPoint(32, HEIGHT // 2))

    def _pressed(self) -> None:
        if self._act is not None:
            self._act()
