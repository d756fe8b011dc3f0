"""What the model gets, to the letter, and above it what a person should know of it."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from kinet.ui.kit.controls import ElidedLabel, text_label
from kinet.ui.kit.text_field import TextField
from kinet.ui.kit.visible_text import spell_out
from kinet.workspace.rules_files import Preview


class RulesPreview(QWidget):
    """Read only. Empty rules say so."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = ElidedLabel("What the model gets", self)
        self.head.setProperty("type", "strong")
        self.warnings = text_label("", type="meta", tone="warning", parent=self)
        self.warnings.setObjectName("rulesWarnings")
        self.warnings.setWordWrap(True)
        self.warnings.hide()
        self.text = TextField("What the model gets", self, code=True, quiet=True)
        self.text.setObjectName("rulesPreview")
        self.text.setPlaceholderText("Nothing: there are no rules.")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.warnings)
        column.addWidget(self.text, 1)

    def show_preview(self, preview: Preview) -> None:
        """Shows it; the place of the eyes stays where it was."""
        count = len(preview.files)
        files = f" · {count} files" if count > 1 else ""
        self.head.set_text(f"What the model gets · {len(preview.text):,} characters{files}")
        said = "\n".join(spell_out(warning).text for warning in preview.warnings)
        self.warnings.setText(said)
        self.warnings.setVisible(bool(said))
        shown = spell_out(preview.text).text
        if shown != self.text.toPlainText():
            bar = self.text.verticalScrollBar()
            place = bar.value()
            self.text.setPlainText(shown)
            bar.setValue(place)
