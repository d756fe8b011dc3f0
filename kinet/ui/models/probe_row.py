"""One tinted row that says how trying a model went, with one thing to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.models.probe_words import ProbeWords


class ProbeRow(QFrame):
    """Hidden until there is something to say."""

    acted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("probeRow")
        self._tone, self._icon_name, self._act = "success", "check-circle", 0
        self._mark = QLabel(self)
        self.word = text_label("", type="strong", parent=self)
        self.detail = text_label("", type="meta", tone="text_2", parent=self)
        self.detail.setWordWrap(True)
        self.button = TextButton("", self, size="small")
        self.button.hide()
        self.button.clicked.connect(lambda: self.acted.emit(self._act))
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.word)
        column.addWidget(self.detail)
        column.addSpacing(4)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        self.hide()

    def show_words(self, words: ProbeWords) -> None:
        """Says how it went."""
        self._act = words.act
        text = f"{words.detail} {words.hint}".strip()
        self._say("success" if words.ok else "danger", words.word, text, words.action)

    def show_warning(self, word: str, text: str, action: str, act: int) -> None:
        """Says something that is neither success nor failure."""
        self._act = act
        self._say("warning", word, text, action)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        ground = theme.color(f"{self._tone}_tint")
        self.setStyleSheet(f"QFrame#probeRow {{ background: {ground}; border-radius: 6px; }}")
        ratio = self.devicePixelRatioF()
        self._mark.setPixmap(theme.pixmap(self._icon_name, self._tone, 16, ratio))

    def _say(self, tone: str, word: str, text: str, action: str) -> None:
        self._tone = tone
        icons = {"success": "check-circle", "danger": "error"}
        self._icon_name = icons.get(tone, "alert")
        self.word.setText(word)
        self.word.setProperty("tone", tone)
        repolish(self.word)
        self.detail.setText(text)
        self.detail.setVisible(bool(text))
        self.button.set_text(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(f"{word}. {text}")
        self.set_theme(current_theme())
        self.show()
