"""A strip on a tint with its mark: how something goes, in a word and a quieter sentence."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme

_LOOKS = {
    "accent": ("running", "accent_tint"),
    "success": ("check-circle", "success_tint"),
    "danger": ("error", "danger_tint"),
}


class TonedStrip(QFrame):
    """`column` takes what stands below the sentence."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}Strip")
        self._tone = "accent"
        self._mark = QLabel(self)
        self.word = text_label("", type="strong", parent=self)
        self.word.setObjectName(f"{name}Word")
        self.word.setWordWrap(True)
        self.detail = text_label("", type="meta", tone="text_2", parent=self)
        self.detail.setObjectName(f"{name}Detail")
        self.detail.setWordWrap(True)
        self.detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.column = QVBoxLayout()
        self.column.setSpacing(4)
        self.column.addWidget(self.word)
        self.column.addWidget(self.detail)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 12, 10)
        row.setSpacing(8)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self.column, 1)

    def say(self, tone: str, word: str, detail: str) -> None:
        """Shows both; `tone` is accent, success or danger."""
        self._tone = tone
        self.word.setText(word)
        self.word.setProperty("tone", tone)
        repolish(self.word)
        self.detail.setText(spell_out(detail).text)
        self.detail.setVisible(bool(detail))
        self.setAccessibleName(f"{word}. {detail}")
        self.dress()
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        """Another look."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "column"):
            self.dress()

    def dress(self) -> None:
        """Takes on the look of now."""
        theme = current_theme()
        icon, ground = _LOOKS[self._tone]
        look = f"background: {theme.color(ground)}; border-radius: 6px;"
        sheet = f"QFrame#{self.objectName()} {{ {look} }}"
        if self.styleSheet() != sheet:
            self.setStyleSheet(sheet)
        self._mark.setPixmap(theme.pixmap(icon, self._tone, 16, self.devicePixelRatioF()))
