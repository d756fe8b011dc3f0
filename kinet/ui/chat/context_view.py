"""The map of the context: what takes how many tokens, and what was compacted when."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from kinet.core.context_map import ContextMap
from kinet.core.events import ContextCompacted
from kinet.ui.kit.controls import ElidedLabel, text_label
from kinet.ui.kit.figures import tokens_words
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme

WIDTH, MOST = 380, 420
_BAR = 64
_LEVELS = {
    "": "",
    "filling": "More than 60 % is used.",
    "high": "More than 80 % is used.",
    "full": "The window is nearly full.",
}


class ContextView(QFrame):
    """A pop-up over the gauge; it closes when something else is pressed."""

    def __init__(
        self,
        found: ContextMap,
        compactions: Sequence[ContextCompacted] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("contextMap")
        self.setAccessibleName("What fills the context")
        self._lines: list[str] = []
        self._rows = QGridLayout()
        self._rows.setHorizontalSpacing(8)
        self._rows.setVerticalSpacing(8)
        self._rows.setColumnStretch(0, 1)
        self._head(found)
        largest = max((share.tokens for share in found.shares), default=1) or 1
        for share in found.shares:
            self._add(share.name, tokens_words(share.tokens), share.tokens / largest)
        if found.window:
            self._add("Free", tokens_words(found.free), -1)
        for number, entry in enumerate(compactions, start=1):
            figures = f"{tokens_words(entry.before)} → {tokens_words(entry.after)}"
            self._add(f"Compaction {number}: {entry.reason}", figures, -1)
        inside = QWidget()
        inside.setObjectName("contextRows")
        inside.setLayout(self._rows)
        area = QScrollArea(self)
        area.setAccessibleName("What takes how much")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.addWidget(area)
        scale = max(1.0, current_theme().zoom / 100)
        self.setFixedSize(
            round(WIDTH * scale), min(round(MOST * scale), inside.sizeHint().height() + 16)
        )

    def texts(self) -> list[str]:
        """Each row as one line."""
        return list(self._lines)

    def open_above(self, anchor: QWidget) -> None:
        """Shows it above a widget, its right edge at that of the widget."""
        corner = anchor.mapToGlobal(QPoint(anchor.width(), 0))
        self.move(corner - QPoint(self.width(), self.height() + 4))
        self.show()

    def _head(self, found: ContextMap) -> None:
        of = f" of {tokens_words(found.window)}" if found.window else "; the window is not known"
        words = f"Compacted at {tokens_words(found.compact_at)}. {_LEVELS[found.level]}".strip()
        title = text_label(f"Context: {tokens_words(found.used)}{of}", type="strong", parent=self)
        quiet = text_label(words, type="meta", tone="text_3", parent=self)
        for number, label in enumerate((title, quiet)):
            label.setWordWrap(True)
            self._rows.addWidget(label, number, 0, 1, 3)
        self._lines += [f"{tokens_words(found.used)}{of}", words]

    def _add(self, name: str, figures: str, share: float) -> None:
        shown = " ".join(spell_out(name).text.split())
        row = self._rows.rowCount()
        label = ElidedLabel(shown, self)
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._rows.addWidget(label, row, 0)
        if share >= 0:
            self._rows.addWidget(_Bar(share, self), row, 1)
        number = text_label(figures, type="meta", tone="text_2", parent=self)
        self._rows.addWidget(number, row, 2, Qt.AlignmentFlag.AlignRight)
        self._lines.append(f"{shown} {figures}")


class _Bar(QWidget):
    def __init__(self, share: float, parent: QWidget) -> None:
        super().__init__(parent)
        self._share = share
        self.setFixedSize(_BAR, 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(current_theme().qcolor("accent"))
        painter.drawRoundedRect(QRectF(0, 4, max(2.0, _BAR * self._share), 4), 2, 2)
