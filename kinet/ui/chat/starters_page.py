"""What stands in a session without messages: a sentence and first tasks to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.column_room import keep_column
from kinet.ui.kit.controls import PaintedButton, draw_icon, text_label
from kinet.ui.look.theme import current_theme

_WIDTH = 480
_SIDE, _ABOVE = 16, 10
_ICON_ROOM = 24
_MARKED_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class Starters(Protocol):
    """A sentence and three first tasks."""

    @property
    def sentence(self) -> str:
        """Stands above the tasks."""
        ...

    @property
    def prompts(self) -> tuple[str, ...]:
        """Each a whole message."""
        ...

    @property
    def asks_folder(self) -> bool:
        """True where a folder had better be chosen first."""
        ...


class StartersPage(QScrollArea):
    """Offers the tasks; `chosen` tells the text of one. Where there is no room it scrolls."""

    chosen = Signal(str)
    folder_requested = Signal()

    def __init__(self, starters: Starters, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("startersPage")
        self.setAccessibleName(starters.sentence)
        self.starters = starters
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setStyleSheet("QScrollArea, QWidget#startersHolder { background: transparent; }")
        holder = QWidget(self)
        holder.setObjectName("startersHolder")
        self._inside = QWidget(holder)
        column = QVBoxLayout(self._inside)
        column.setContentsMargins(0, 24, 0, 24)
        column.setSpacing(8)
        sentence = text_label(starters.sentence, tone="text_2", parent=self._inside)
        sentence.setWordWrap(True)
        column.addStretch(1)
        column.addWidget(sentence)
        column.addSpacing(4)
        self.buttons = tuple(self._made(starters))
        for button in self.buttons:
            column.addWidget(button)
        column.addStretch(1)
        middle = QHBoxLayout(holder)
        middle.addStretch(1)
        middle.addWidget(self._inside, 1000)
        middle.addStretch(1)
        self.setWidget(holder)
        keep_column(self, middle, 24)
        self.restyle()

    def restyle(self) -> None:
        """Takes on the current look."""
        self._inside.setMaximumWidth(round(_WIDTH * max(1.0, current_theme().zoom / 100)))
        for button in self.buttons:
            button.updateGeometry()
            button.update()

    def _made(self, starters: Starters) -> Iterator[QAbstractButton]:
        if starters.asks_folder:
            folder = StarterButton("Choose a folder…", self._inside, icon="folder")
            folder.setObjectName("starterFolder")
            folder.clicked.connect(self.folder_requested)
            yield folder
        for prompt in starters.prompts:
            button = StarterButton(prompt, self._inside)
            button.setObjectName("starterPrompt")
            button.setAccessibleDescription("Puts this into the message field; nothing is sent")
            button.clicked.connect(lambda _=False, prompt=prompt: self.chosen.emit(prompt))
            yield button


class StarterButton(PaintedButton):
    """A whole sentence on a button, in as many lines as it needs."""

    def __init__(self, text: str, parent: QWidget, *, icon: str = "") -> None:
        super().__init__(parent)
        self._icon = icon
        # What is in the code font once it was said is read here without its marks.
        words = _MARKED_CODE.sub(r"\1", text)
        self.setText(words)
        self.setAccessibleName(words)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._words(max(1, width - self._left() - _SIDE)).height() + 2 * _ABOVE

    def sizeHint(self) -> QSize:
        width = self._words(10_000).width() + self._left() + _SIDE + 2
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """As wide as its longest word."""
        metrics = QFontMetrics(current_theme().font("ui"))
        longest = max(metrics.horizontalAdvance(word) for word in self.text().split())
        return QSize(longest + self._left() + _SIDE + 2, metrics.height() + 2 * _ABOVE)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        self.paint_surface(painter, self.surface() or "raised", 8)
        if not (self.ring and self.hasFocus()):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.qcolor("control_border"), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        if self._icon:
            middle = self.rect().center()
            middle.setX(_SIDE + 8)
            draw_icon(painter, self._icon, "text_2", middle)
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.qcolor("text"))
        area = self.rect().adjusted(self._left(), 0, -_SIDE, 0)
        painter.drawText(area, int(_FLAGS), self.text())

    def _left(self) -> int:
        return _SIDE + (_ICON_ROOM if self._icon else 0)

    def _words(self, width: int) -> QRect:
        metrics = QFontMetrics(current_theme().font("ui"))
        return metrics.boundingRect(QRect(0, 0, width, 10_000), int(_FLAGS), self.text())
