"""The key of one profile: typed here, kept at once, and where it is kept is said."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.core.profile import ModelProfile
from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.models.key_field import KeyField
from kinet.ui.services import KeyPlace


class KeyStrip(QWidget):
    """`save_requested` comes with the key when Enter or Save is pressed or the focus leaves."""

    save_requested = Signal(str)
    test_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("keyStrip")
        self._asked = ""
        self.title = text_label("Key", type="strong", parent=self)
        self.place = text_label("", type="meta", tone="text_3", parent=self)
        self.place.setWordWrap(True)
        self.field = KeyField("Paste a key", self)
        self.field.setObjectName("apiKeyField")
        self.save = TextButton("Save key", self, size="")
        self.save.setObjectName("apiKeySaveButton")
        self.test = TextButton("Test", self)
        self.test.setObjectName("apiKeyTestButton")
        self.field.editingFinished.connect(self._save)
        self.field.key_changed.connect(self._typed)
        self.save.clicked.connect(self._save)
        self.test.clicked.connect(lambda: self.test_requested.emit(self.field.key))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.save)
        row.addWidget(self.test)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(6)
        column.addWidget(self.title)
        column.addLayout(row)
        column.addWidget(self.place)
        self.save.setEnabled(False)

    def show_profile(self, profile: ModelProfile | None) -> None:
        """Turns to a profile; what was typed for another one is gone."""
        self.setVisible(profile is not None)
        self._asked = ""
        self.field.clear()
        if profile is not None:
            self.title.setText(f"Key for {profile.name}")
            self.field.setAccessibleName(f"API key for {profile.name}")

    def show_place(self, profile: ModelProfile, place: KeyPlace) -> None:
        """Says where the key is."""
        words = {
            "keychain": "Kept in the keychain of this computer. It is never shown again.",
            "environment": f"Comes from the variable {profile.key_env}. A key typed here wins.",
            "session": "Kept for this session only: no keychain answers here, and a key is never"
            " written to a file.",
            "none": "No key yet. A server on this computer needs none.",
        }
        holder = {"keychain": "••••••••  Paste a new key to replace it", "session": "••••••••"}
        self.field.setPlaceholderText(holder.get(place, "Paste a key"))
        self.say(words[place], "warning" if place == "session" else "text_3")

    def show_saved(self) -> None:
        """The key left the field."""
        self._asked = ""
        self.field.clear()

    def say(self, sentence: str, tone: str = "danger") -> None:
        """A sentence below the field."""
        self.place.setText(sentence)
        self.place.setProperty("tone", tone)
        repolish(self.place)

    def begin(self) -> None:
        """Puts the focus into the field."""
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _typed(self, key: str) -> None:
        self._asked = ""
        self.save.setEnabled(bool(key))

    def _save(self) -> None:
        """Asks once for each key, however many ways led here."""
        key = self.field.key
        if key and key != self._asked:
            self._asked = key
            self.save_requested.emit(key)
