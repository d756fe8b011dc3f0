"""A key with its title, field and button, and a line that says where it is kept."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.ui.kept_shares import KeyPlace
from kinet.ui.kit.controls import ElidedLabel, repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.models.key_field import KeyField

_PLACES: dict[KeyPlace, str] = {
    "keychain": "Kept in the keychain of this computer. It is never shown again.",
    "environment": "Comes from a variable of the environment.",
    "session": "Kept for this session only: no keychain answers here, and a key is never"
    " written to a file.",
    "none": "No key yet.",
}


class KeyForm(QWidget):
    """The parts and their places; whoever has one adds a button and says what saving does."""

    def __init__(self, title: str, second: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(title, self)
        self.title.setProperty("type", "strong")
        self.place = text_label("", type="meta", tone="text_3", parent=self)
        self.place.setWordWrap(True)
        self.field = KeyField("Paste a key", self)
        self.save = TextButton("Save key", self)
        self.second = TextButton(second, self)
        self.save.setEnabled(False)
        self.field.key_changed.connect(lambda key: self.save.setEnabled(bool(key)))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.save)
        row.addWidget(self.second)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(6)
        column.addWidget(self.title)
        column.addLayout(row)
        column.addWidget(self.place)

    def say_place(self, place: KeyPlace, **words: str) -> None:
        """Where the key is; `words` says it better for some places."""
        said = words.get(place, _PLACES[place])
        self.say(said, "warning" if place == "session" else "text_3")

    def say(self, sentence: str, tone: str = "danger") -> None:
        """A sentence below the field."""
        self.place.setText(sentence)
        self.place.setProperty("tone", tone)
        repolish(self.place)
