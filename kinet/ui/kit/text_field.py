"""A field of several lines that looks like a field: with its border also where nobody types."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from kinet.ui.look.theme import current_theme


class TextField(QPlainTextEdit):
    """Tab leaves it. With `code` in the font of code; `quiet` is for text to be read only."""

    def __init__(
        self, name: str, parent: QWidget | None = None, *, code: bool = False, quiet: bool = False
    ) -> None:
        super().__init__(parent)
        self._code, self._quiet = code, quiet
        # True once the text became another one than `set_text` gave it.
        self.is_changed = False
        self.textChanged.connect(self._note_change)
        self.setProperty("field", True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setReadOnly(quiet)
        self._dress()

    def text(self) -> str:
        """What stands in it, to the letter: Qt's own plain text has blanks for hard blanks."""
        return self.document().toRawText().replace("\u2029", "\n")

    def set_text(self, text: str) -> None:
        """Shows a text as one that nobody changed yet."""
        if self.text() != text:
            self.setPlainText(text)
        self.is_changed = False

    def _note_change(self) -> None:
        self.is_changed = True

    def changeEvent(self, event: QEvent) -> None:
        """Another look has other fonts and colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_quiet"):
            self._dress()

    def _dress(self) -> None:
        theme = current_theme()
        family = f' font-family: "{theme.font("code", mono=True).family()}";' if self._code else ""
        ground = f" background: {theme.color('code')};" if self._quiet else ""
        sheet = f"QPlainTextEdit {{{family}{ground} }}" if family or ground else ""
        if sheet != self.styleSheet():
            self.setStyleSheet(sheet)
        if self._code:
            # Every character is seen as it is: a style sheet would let "--" become one stroke.
            self.document().setDefaultFont(theme.font("code", mono=True))
