"""The settings dialog of a window: made when it is first opened, put away while it is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.ui.preferences.settings_dialog import SettingsDialog


class SettingsDesk(QObject):
    """Opens the dialog; nothing here waits, it answers by signal."""

    profiles_changed = Signal()
    closed = Signal()
    session_wanted = Signal(str)
    sessions_changed = Signal()
    trust_wanted = Signal()

    def __init__(self, program: Program, window: QMainWindow) -> None:
        super().__init__(window)
        self._program, self._window = program, window
        self.dialog: SettingsDialog | None = None

    def open(self, folder: str, page: str = "", server: str = "") -> None:
        """Opens it for the project `folder`, on a page of it, or with this server unfolded."""
        dialog = self._made()
        dialog.set_folder(folder)
        if page:
            dialog.show_page(page)
        if server:
            dialog.parts.show_server(server)
        dialog.open()

    def put_away(self) -> None:
        """Another look is about to be applied: settings that are closed are not in its way."""
        if self.dialog is not None:
            self.dialog.put_away()

    def _made(self) -> SettingsDialog:
        if self.dialog is not None:
            return self.dialog
        from kinet.ui.preferences.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self._program.services, self._program.settings, self._window)
        dialog.profiles_changed.connect(self.profiles_changed)
        dialog.finished.connect(lambda _: self.closed.emit())
        dialog.session_wanted.connect(self.session_wanted)
        dialog.sessions_changed.connect(self.sessions_changed)
        dialog.trust_wanted.connect(self.trust_wanted)
        self.dialog = dialog
        return dialog
