"""The key of one profile: typed here, kept at once, and where it is kept is said."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from kinet.core.profile import ModelProfile
from kinet.ui.kept_shares import KeyPlace
from kinet.ui.models.key_form import KeyForm


class KeyStrip(KeyForm):
    """`save_requested` comes with the key when Enter or Save is pressed or the focus leaves."""

    save_requested = Signal(str)
    test_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Key", "Test", parent)
        self.test = self.second
        self.setObjectName("keyStrip")
        self._asked = ""
        self.field.setObjectName("apiKeyField")
        self.save.setObjectName("apiKeySaveButton")
        self.test.setObjectName("apiKeyTestButton")
        self.field.editingFinished.connect(self._save)
        self.field.key_changed.connect(self._typed)
        self.save.clicked.connect(self._save)
        self.test.clicked.connect(lambda: self.test_requested.emit(self.field.key))

    def show_profile(self, profile: ModelProfile | None) -> None:
        """Turns to a profile; what was typed for another one is gone."""
        self.setVisible(profile is not None)
        self._asked = ""
        self.field.clear()
        if profile is not None:
            self.title.set_text(f"Key for {profile.name}")
            self.field.setAccessibleName(f"API key for {profile.name}")

    def show_place(self, profile: ModelProfile, place: KeyPlace) -> None:
        """Says where the key is."""
        holder = {"keychain": "••••••••  Paste a new key to replace it", "session": "••••••••"}
        self.field.setPlaceholderText(holder.get(place, "Paste a key"))
        self.say_place(
            place,
            environment=f"Comes from the variable {profile.key_env}. A key typed here wins.",
            none="No key yet. A server on this computer needs none.",
        )

    def show_saved(self) -> None:
        """The key left the field."""
        self._asked = ""
        self.field.clear()

    def begin(self) -> None:
        """Puts the focus into the field."""
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _typed(self) -> None:
        self._asked = ""

    def _save(self) -> None:
        """Asks once for each key, however many ways led here."""
        key = self.field.key
        if key and key != self._asked:
            self._asked = key
            self.save_requested.emit(key)
