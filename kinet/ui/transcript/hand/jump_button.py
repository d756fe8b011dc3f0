"""The button that leads back to the end, and says that there is new text."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea

from kinet.ui.kit.controls import pressed_by_enter
from kinet.ui.transcript.stage.stage import Stage

_HEIGHT = 32


class JumpButton(QAbstractButton):
    """Stands over the end of the transcript while it is not followed."""

    def __init__(self, area: QAbstractScrollArea, stage: Stage) -> None:
        super().__init__(area)
        self.setObjectName("jumpToBottomButton")
        self.setAccessibleName("Go to the end")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._area = area
        self._stage = stage
        # False where the end is nothing to go to: beside another text.
        self.offered = True
        self.hide()
        self.clicked.connect(stage.jump_to_end)
        stage.follower.changed.connect(self.refresh)
        stage.follower.below_changed.connect(self.refresh)
        stage.shifted.connect(self.refresh)

    def refresh(self) -> None:
        """Shows or hides itself, with the right word."""
        bar = self._stage.bar
        far = not self._stage.follower.following and bar.maximum() - bar.value() > 40
        away = far and self.offered
        word = "New text below" if self._stage.follower.has_below else ""
        if word != self.text():
            self.setText(word)
            self.setAccessibleName(word or "Go to the end")
            self.setToolTip(word or "Go to the end (End)")
        self.place()
        if away != self.isVisibleTo(self._area):
            self.setVisible(away)

    def place(self) -> None:
        """In the middle of the column, above the composer."""
        size = self.sizeHint()
        left = (self._area.width() - size.width()) // 2
        self.setGeometry(left, self._area.height() - size.height() - 12, size.width(), _HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """A circle, or room for the word."""
        if not self.text():
            return QSize(_HEIGHT, _HEIGHT)
        words = self._stage.flow.style.advance(self.text())
        return QSize(round(words) + 48, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A raised pill with a control border."""
        style = self._stage.flow.style
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = "selected" if self.isDown() else "hover" if self.underMouse() else "raised"
        painter.setBrush(style.color(ground))
        focused = self.hasFocus()
        painter.setPen(QPen(style.color("focus" if focused else "control_border"), 1 + focused))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 15, 15)
        painter.drawPixmap(8, 8, style.icon("arrow-down", "accent" if self.text() else "text_2"))
        if self.text():
            painter.setFont(style.font("ui"))
            painter.setPen(style.color("text"))
            box = self.rect().adjusted(32, 0, -8, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self.text())
