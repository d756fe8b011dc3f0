"""A small window for the text of one fact."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.text_field import TextField


class FactEditor(QDialog):
    """Shown with `open()`; `kept` brings the new text. Ctrl+Enter keeps, Esc leaves."""

    kept = Signal(str)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("factEditor")
        self.setWindowTitle("Edit the fact")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        self._before = text
        self.edit = TextField("Text of the fact", self)
        self.edit.set_text(text)
        self.edit.setObjectName("factText")
        self.edit.setFixedHeight(96)
        self.edit.installEventFilter(self)
        help_line = text_label(
            "The model reads it at the beginning of each conversation.", type="meta", tone="text_3"
        )
        help_line.setWordWrap(True)
        cancel = TextButton("Cancel", self)
        cancel.clicked.connect(self.reject)
        self.save_button = TextButton("Save", self, kind="primary")
        self.save_button.setObjectName("saveFactButton")
        self.save_button.clicked.connect(self._keep)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(text_label("Edit the fact", type="strong", parent=self))
        column.addWidget(self.edit)
        column.addWidget(help_line)
        column.addLayout(buttons)
        self.edit.textChanged.connect(self._changed)
        self.edit.selectAll()
        self.edit.setFocus()
        self._changed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ctrl+Enter keeps what is written."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._keep()
                return True
        return super().eventFilter(watched, event)

    def _changed(self) -> None:
        self.save_button.setEnabled(bool(self._text()))

    def _text(self) -> str:
        return " ".join(self.edit.toPlainText().split())

    def _keep(self) -> None:
        text = self._text()
        if text and text != self._before:
            self.kept.emit(text)
        if text:
            self.accept()
