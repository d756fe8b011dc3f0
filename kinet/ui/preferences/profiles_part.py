"""The profiles on the page of models: listed, tested, made default, deleted, given a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.core.profile import ModelProfile
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tasks import spawn
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.models.probe_words import words_of
from kinet.ui.preferences.key_strip import KeyStrip
from kinet.ui.preferences.profile_editing import ProfileEditing
from kinet.ui.preferences.profile_list import ProfileList
from kinet.ui.services import Services

if TYPE_CHECKING:
    from kinet.settings.store import SettingsStore


class ProfilesPart(QWidget):
    """The list, the editor that unfolds below it, and the key of the chosen profile."""

    # A sentence, and what takes the act back (None if nothing does).
    told = Signal(str, object)
    changed = Signal()
    network_requested = Signal()
    key_wanted = Signal()

    def __init__(
        self, services: Services, settings: SettingsStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._services, self._settings = services, settings
        self._chosen = ""
        self._deleted: set[str] = set()
        self.list = ProfileList(self)
        self.editing = ProfileEditing(services, settings, self)
        self.editor = self.editing.editor
        self.key = KeyStrip(self)
        self.failure = text_label("", type="meta", tone="danger", parent=self)
        self.failure.setWordWrap(True)
        self.failure.hide()
        self._build()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Reads the profiles again."""
        default = self._settings.default_profile
        name = default.name if default else ""
        self.list.show_profiles(self._settings.profiles(), name)
        self._choose(self._profile(self._chosen) or default)

    def forget_deleted(self) -> None:
        """The keys of deleted profiles go once nothing can bring the profiles back."""
        names = {profile.name for profile in self._settings.profiles()}
        for name in self._deleted - names:
            spawn(self._services.forget_key(name), "forget a key")
        self._deleted.clear()

    def set_theme(self) -> None:
        """Takes on another look."""
        self.test_all.refresh_icon()
        self.add.refresh_icon()
        self.key.field.refresh_icons()
        self.editor.key.refresh_icons()
        self.refresh()

    def _build(self) -> None:
        self.test_all = TextButton("Test all", self, kind="quiet", size="small", icon_name="retry")
        self.add = TextButton("Add profile", self, size="small", icon_name="plus", token="text")
        self.add.setObjectName("addProfileButton")
        title = text_label("Profiles", type="strong", parent=self)
        head = WrappingRow(filling=title)
        for word in (title, self.test_all, self.add):
            head.addWidget(word)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        for part in (self.list, self.failure, self.editor, self.key):
            column.addWidget(part)

    def _connect(self) -> None:
        self.add.clicked.connect(lambda: self.editor.begin(None))
        self.test_all.clicked.connect(self._test_all)
        self.list.test_requested.connect(lambda name: spawn(self._test(name), "test a profile"))
        self.list.key_requested.connect(self._ask_key)
        self.list.edit_requested.connect(lambda name: self.editor.begin(self._profile(name)))
        self.list.default_requested.connect(self._make_default)
        self.list.delete_requested.connect(lambda name: spawn(self._delete(name), "delete"))
        self.editing.saved.connect(self._saved)
        self.editor.network_requested.connect(self.network_requested)
        self.key.save_requested.connect(lambda key: spawn(self._save_key(key), "save a key"))
        self.key.test_requested.connect(lambda key: spawn(self._test(self._chosen, key), "test"))

    def _profile(self, name: str) -> ModelProfile | None:
        return next((item for item in self._settings.profiles() if item.name == name), None)

    def _choose(self, profile: ModelProfile | None) -> None:
        """The profile whose key is on show."""
        self._chosen = profile.name if profile else ""
        self.key.show_profile(profile)
        if profile is not None:
            spawn(self._show_place(profile), "look where the key is")

    async def _show_place(self, profile: ModelProfile) -> None:
        place = await self._services.key_place(profile)
        if profile.name == self._chosen:
            self.key.show_place(profile, place)

    def _ask_key(self, name: str) -> None:
        self._choose(self._profile(name))
        self.key_wanted.emit()
        self.key.begin()

    def _test_all(self) -> None:
        for name in self.list.rows:
            spawn(self._test(name), "test a profile")

    async def _test(self, name: str, key: str = "") -> None:
        profile, row = self._profile(name), self.list.rows.get(name)
        if profile is None or row is None:
            return
        row.show_testing()
        probe = await self._services.probe(profile, key or None)
        words = words_of(probe, profile.model)
        # The list may have been made anew meanwhile.
        if (row := self.list.rows.get(name)) is not None:
            row.show_words(words)
        self.failure.setVisible(not words.ok)
        if not words.ok:
            self.failure.setText(f"{name}: {words.word}. {words.detail} {words.hint}".strip())

    def _make_default(self, name: str) -> None:
        before = self._settings.get("models.default_profile")
        self._set_default(name, before)

    def _set_default(self, name: str, before: str | None) -> None:
        try:
            kept = self._settings.keep("models.default_profile", name)
        except KinetError as exc:
            self._fail(exc.sentence())
            return
        self._chosen = name
        self.refresh()
        self.changed.emit()
        undo = lambda: self._set_default(before or "", None)  # noqa: E731
        told = lambda: self.told.emit(f"{name} is the default", undo)  # noqa: E731
        when_kept(self, kept, self._fail, told if before is not None else None)

    async def _delete(self, name: str) -> None:
        profile = self._profile(name)
        if profile is None:
            return
        try:
            await self._services.delete_profile(name)
        except KinetError as exc:
            self._fail(exc.sentence())
            return
        self._deleted.add(name)
        self._changed()
        self.told.emit(f"{name} deleted", lambda: spawn(self._put_back(profile), "undo"))

    async def _put_back(self, profile: ModelProfile) -> None:
        await self._services.save_profile(profile, None)
        self._changed()

    def _saved(self, name: str) -> None:
        self._chosen = name
        self._changed()
        self.told.emit(f"{name} saved", None)

    async def _save_key(self, key: str) -> None:
        profile = self._profile(self._chosen)
        if profile is None:
            return
        try:
            place = await self._services.save_profile(profile, key)
        except KinetError as exc:
            self.key.say(exc.sentence())
            return
        self.key.show_saved()
        self.key.show_place(profile, place)
        kept = "kept for this session only" if place == "session" else "saved"
        self.told.emit(f"Key of {profile.name} {kept}", None)
        self.changed.emit()

    def _changed(self) -> None:
        self.refresh()
        self.changed.emit()

    def _fail(self, sentence: str) -> None:
        self.failure.setText(sentence)
        self.failure.show()
