"""A sent message while it is edited, in the place of its bubble."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout

from kinet.ui.kit.controls import key_hint, repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.writing.composer_edit import ComposerEdit

_LINES = 14


class BubbleEditor(QFrame):
    """Enter begins a new line; Ctrl+Enter saves and sends again, Esc leaves the message as it is.

    Text that an input method has not finished yet keeps its own Enter and Esc.
    """

    saved = Signal(str)
    left = Signal()

    def __init__(self, text: str, pictures: int = 0) -> None:
        super().__init__()
        self.setObjectName("bubbleEditor")
        self.setAccessibleName("Editing your message")
        self._before = text
        self.edit = ComposerEdit(self)
        self.edit.setObjectName("bubbleEdit")
        self.edit.setAccessibleName("Your message, being edited")
        self.edit.setPlaceholderText("An empty message is not sent")
        self.edit.enter_sends = False
        self.edit.set_text(text)
        self.edit.installEventFilter(self)
        self.save = TextButton("Save and resend", self, kind="primary")
        self.save.setObjectName("saveEditButton")
        self.cancel = TextButton("Cancel", self)
        self.cancel.setObjectName("cancelEditButton")
        kept = {0: "", 1: "its picture stays · "}.get(pictures, f"its {pictures} pictures stay · ")
        hint = text_label(
            f"{kept}the old answer stays · {key_hint('Ctrl+Enter')} resends",
            type="meta",
            tone="text_3",
            parent=self,
        )
        row = WrappingRow(aside=hint)
        for widget in (self.save, self.cancel, hint):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(10)
        column.addWidget(self.edit)
        column.addLayout(row)
        self.edit.submitted.connect(self._save)
        self.edit.textChanged.connect(self._changed)
        self.edit.height_changed.connect(self.updateGeometry)
        self.edit.focus_changed.connect(lambda: self.set_theme(current_theme()))
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.left)
        self.set_theme(current_theme())

    @property
    def changed_text(self) -> str:
        """What was written, "" if that is what was there before."""
        text = self.edit.text()
        return text if text.strip() and text != self._before else ""

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        line = theme.color("accent" if self.edit.hasFocus() else "control_border")
        self.setStyleSheet(
            f"QFrame#bubbleEditor {{ background: {theme.color('subtle')};"
            f" border: 1px solid {line}; border-radius: 12px; }}"
            # The frame is the bubble's; a second one around the text would be one too many.
            " QTextEdit#bubbleEdit { background: transparent; border: 0; padding: 0; }"
        )
        self.edit.restyle()
        self.edit.set_max_height(_LINES * theme.line_height("answer"))
        repolish(self.save)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc leaves, unless it closes a list of candidates."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape and not self.edit.composing:
                self.left.emit()
                return True
            if event.key() == Qt.Key.Key_Up and self.edit.document().isEmpty():
                # An earlier message has no place here.
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)

    def _changed(self) -> None:
        self.save.setEnabled(bool(self.edit.text().strip()))

    def _save(self) -> None:
        text = self.edit.text()
        if text.strip():
            self.saved.emit(text)
