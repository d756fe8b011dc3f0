"""A field for a key: masked, shown on demand, cleaned of what a paste brings along."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QWidget

from kinet.ui.kit.masked_field import MaskedField
from kinet.ui.kit.part_buttons import name_buttons_in
from kinet.ui.kit.visible_text import HIDDEN
from kinet.ui.look.theme import icon

# A header must not hold a line break; and nobody's key holds a blank.
_BLANKS = re.compile(r"\s+")
_AROUND = re.compile(r"^(?:export\s+)?(?:[A-Z][A-Z0-9_]*\s*=\s*)?(?:[Bb]earer\s+)?")


class KeyField(MaskedField):
    """Holds one key. `key_changed` comes with the cleaned text."""

    key_changed = Signal(str)

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        # The base draws its icons before there is this one.
        self._lock: QAction | None = None
        super().__init__(placeholder, parent)
        self.setAccessibleName("API key")
        self._lock = QAction(self)
        self._lock.setEnabled(False)
        self.addAction(self._lock, QLineEdit.ActionPosition.LeadingPosition)
        self.setTextMargins(-4, 0, 0, 0)
        self.textChanged.connect(self._changed)
        self.refresh_icons()
        name_buttons_in(self)

    @property
    def key(self) -> str:
        """The key without blanks and wrapping; "" if none was typed."""
        return clean_key(self.text())

    def refresh_icons(self) -> None:
        """Draws the icons in the colours of the current look."""
        super().refresh_icons()
        if self._lock is not None:
            self._lock.setIcon(icon("lock", "text_3"))

    def sizeHint(self) -> QSize:
        """Wide enough for the beginning and the end of a key."""
        return QSize(220, super().sizeHint().height())

    def _changed(self, text: str) -> None:
        cleaned = clean_key(text)
        if cleaned != text and (len(text) - len(cleaned) > 1 or text[-1:].isspace()):
            self.setText(cleaned)
            return
        self.key_changed.emit(cleaned)


def clean_key(text: str) -> str:
    """The key in a pasted text: no blanks, no quotes, no "export NAME=", no "Bearer"."""
    text = HIDDEN.sub("", text.replace("\u00a0", " ").strip())
    text = _AROUND.sub("", text, count=1)
    return _BLANKS.sub("", text).strip("'\"`;,")
