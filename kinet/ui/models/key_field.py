"""A field for a key: masked, shown on demand, cleaned of what a paste brings along."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QWidget

from kinet.ui.kit.part_buttons import name_buttons_in
from kinet.ui.kit.visible_text import HIDDEN
from kinet.ui.look.theme import icon

# A header must not hold a line break; and nobody's key holds a blank.
_BLANKS = re.compile(r"\s+")
_AROUND = re.compile(r"^(?:export\s+)?(?:[A-Z][A-Z0-9_]*\s*=\s*)?(?:[Bb]earer\s+)?")


class KeyField(QLineEdit):
    """Holds one key. `key_changed` comes with the cleaned text."""

    key_changed = Signal(str)

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setStyleSheet("QLineEdit { lineedit-password-character: 8226; }")
        self.setPlaceholderText(placeholder)
        self.setAccessibleName("API key")
        self.setMaxLength(20_000)
        self._lock = QAction(self)
        self._lock.setEnabled(False)
        self.addAction(self._lock, QLineEdit.ActionPosition.LeadingPosition)
        self._reveal = QAction("Reveal", self)
        self._reveal.setCheckable(True)
        self._reveal.toggled.connect(self._show)
        self.addAction(self._reveal, QLineEdit.ActionPosition.TrailingPosition)
        self.setTextMargins(-4, 0, 0, 0)
        self.textChanged.connect(self._changed)
        self.refresh_icons()
        self._reveal.setVisible(False)
        name_buttons_in(self)

    @property
    def key(self) -> str:
        """The key without blanks and wrapping; "" if none was typed."""
        return clean_key(self.text())

    def set_revealed(self, revealed: bool) -> None:
        """Shows or masks what is typed."""
        self._reveal.setChecked(revealed)

    def refresh_icons(self) -> None:
        """Draws the icons in the colours of the current look."""
        self._lock.setIcon(icon("lock", "text_3"))
        self._reveal.setIcon(icon("eye-off" if self._reveal.isChecked() else "eye"))

    def sizeHint(self) -> QSize:
        """Wide enough for the beginning and the end of a key."""
        return QSize(220, super().sizeHint().height())

    def _show(self, revealed: bool) -> None:
        mode = QLineEdit.EchoMode
        self.setEchoMode(mode.Normal if revealed else mode.Password)
        self._reveal.setText("Hide" if revealed else "Reveal")
        name_buttons_in(self)
        self.refresh_icons()

    def _changed(self, text: str) -> None:
        cleaned = clean_key(text)
        if cleaned != text and (len(text) - len(cleaned) > 1 or text[-1:].isspace()):
            self.setText(cleaned)
            return
        self._reveal.setVisible(bool(text))
        if not text:
            self.set_revealed(False)
        self.key_changed.emit(cleaned)


def clean_key(text: str) -> str:
    """The key in a pasted text: no blanks, no quotes, no "export NAME=", no "Bearer"."""
    text = HIDDEN.sub("", text.replace("\u00a0", " ").strip())
    text = _AROUND.sub("", text, count=1)
    return _BLANKS.sub("", text).strip("'\"`;,")
