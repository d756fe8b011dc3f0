"""A field whose text is masked and shown on demand."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from kinet.ui.kit.part_buttons import name_buttons_in
from kinet.ui.look.theme import icon


class MaskedField(QLineEdit):
    """Masked until it is revealed; what is emptied is masked again."""

    def __init__(self, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_masked = True
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setStyleSheet("QLineEdit { lineedit-password-character: 8226; }")
        self.setPlaceholderText(placeholder)
        self.setMaxLength(20_000)
        self._reveal = QAction("Reveal", self)
        self._reveal.setCheckable(True)
        self._reveal.toggled.connect(lambda _on: self._show())
        self.addAction(self._reveal, QLineEdit.ActionPosition.TrailingPosition)
        self.textChanged.connect(self._empty_again)
        self._reveal.setVisible(False)
        self.refresh_icons()
        name_buttons_in(self)

    def set_masked(self, masked: bool) -> None:
        """Whether the text is one to be hidden at all."""
        self._is_masked = masked
        self._show()
        self._empty_again(self.text())

    def set_revealed(self, revealed: bool) -> None:
        """Shows or masks what is typed."""
        self._reveal.setChecked(revealed)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The eye in the field is no stop of Tab: who has no mouse finds it in the menu."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._reveal.isVisible():
            menu.addSeparator()
            menu.addAction(self._reveal)
        menu.popup(event.globalPos())

    def refresh_icons(self) -> None:
        """Draws the icons in the colours of the current look."""
        self._reveal.setIcon(icon("eye-off" if self._reveal.isChecked() else "eye"))

    def _show(self) -> None:
        mode = QLineEdit.EchoMode
        revealed = self._reveal.isChecked()
        self.setEchoMode(mode.Password if self._is_masked and not revealed else mode.Normal)
        self._reveal.setText("Hide" if revealed else "Reveal")
        name_buttons_in(self)
        self.refresh_icons()

    def _empty_again(self, text: str) -> None:
        self._reveal.setVisible(bool(text) and self._is_masked)
        if not text:
            self.set_revealed(False)
