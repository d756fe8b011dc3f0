"""The form beside the text: language, naming, style, what is forbidden; each a section."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.text_field import TextField
from kinet.ui.look.theme import current_theme
from kinet.workspace.kinet_file import FIELDS, FormField, section_text, with_section

_LINES = 3


class RulesForm(QScrollArea):
    """Shows the sections of a text and gives it back changed; the rest of it stays as it is."""

    changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rulesForm")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._text = ""
        self._filling = False
        self.fields: dict[str, TextField] = {}
        inside = QWidget(self)
        inside.setObjectName("rulesFormInside")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(4)
        for field in FIELDS:
            self._add(field, column)
        column.addStretch(1)
        self.setWidget(inside)
        self.setStyleSheet("QScrollArea, QWidget#rulesFormInside { background: transparent; }")
        self._dress()

    def set_text(self, text: str) -> None:
        """The whole text whose sections are shown."""
        self._text = text
        self._filling = True
        for field in FIELDS:
            said = section_text(text, field)
            self.fields[field.key].set_text(said)
        self._filling = False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "fields"):
            self._dress()

    def _add(self, field: FormField, column: QVBoxLayout) -> None:
        edit = TextField(field.heading, self)
        edit.setObjectName(f"rulesField_{field.key}")
        edit.setAccessibleDescription(field.help)
        edit.textChanged.connect(lambda: self._changed(field))
        self.fields[field.key] = edit
        column.addWidget(text_label(field.heading, type="strong", parent=self))
        note = text_label(field.help, type="meta", tone="text_3", parent=self)
        note.setWordWrap(True)
        column.addWidget(note)
        column.addWidget(edit)
        column.addSpacing(8)

    def _changed(self, field: FormField) -> None:
        if not self._filling:
            said = self.fields[field.key].text()
            self._text = with_section(self._text, field, said)
            self.changed.emit(self._text)

    def _dress(self) -> None:
        line = QFontMetrics(current_theme().font("ui")).lineSpacing()
        for edit in self.fields.values():
            edit.setFixedHeight(line * _LINES + 26)
