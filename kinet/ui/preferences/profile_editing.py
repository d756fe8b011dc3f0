"""Tests and keeps what the profile editor holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from kinet.core.errors import KinetError
from kinet.ui.kit.tasks import spawn
from kinet.ui.models.probe_words import words_of
from kinet.ui.preferences.profile_editor import ProfileEditor
from kinet.ui.services import Services

if TYPE_CHECKING:
    from kinet.settings.store import SettingsStore


class ProfileEditing(QObject):
    """Stands between the editor's fields and the services."""

    saved = Signal(str)

    def __init__(self, services: Services, settings: SettingsStore, parent: QWidget) -> None:
        super().__init__(parent)
        self._services, self._settings = services, settings
        self.editor = ProfileEditor(parent)
        self.editor.cancelled.connect(self.editor.hide)
        self.editor.key_typed.connect(self._offer)
        self.editor.test_requested.connect(lambda: spawn(self._test_edited(), "test a profile"))
        self.editor.save_requested.connect(lambda: spawn(self._save_edited(), "save a profile"))

    def _offer(self, key: str) -> None:
        fitting = self._services.profiles_for_key(key) if key else ()
        if len(fitting) == 1:
            self.editor.offer(fitting[0])

    async def _test_edited(self) -> None:
        profile = self.editor.profile()
        self.editor.show_busy("Testing…")
        try:
            probe = await self._services.probe(profile, self.editor.key.key or None)
        finally:
            self.editor.show_busy("")
        self.editor.show_result(words_of(probe, profile.model), probe.models)

    async def _save_edited(self) -> None:
        profile, key = self.editor.profile(), self.editor.key.key
        taken = any(item.name == profile.name for item in self._settings.profiles())
        if taken and not self.editor.is_old:
            self.editor.show_error(f"There is a profile named {profile.name}. Type another name.")
            return
        try:
            await self._services.save_profile(profile, key or None)
        except KinetError as exc:
            self.editor.show_error(exc.sentence())
            return
        self.editor.hide()
        self.saved.emit(profile.name)
