"""Opens the rules and the background of the folder on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.ui.rules.rules_dialog import RulesDialog


class RulesDesk(QObject):
    """One dialog at a time. `told` carries what was saved."""

    told = Signal(str)
    saved = Signal()

    def __init__(self, program: Program, window: QMainWindow) -> None:
        super().__init__(window)
        self._program, self._window = program, window
        self._panel: ChatPanel | None = None
        self.dialog: RulesDialog | None = None

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on."""
        self._panel = panel

    def open(self, kind: str) -> None:
        """Opens the dialog on project, background or personal; without a folder on personal."""
        from kinet.ui.rules.rules_dialog import RulesDialog

        if self.dialog is None:
            folder = self._panel.folder if self._panel is not None else None
            dialog = RulesDialog(self._program.services.rules_files, folder, self._window)
            dialog.saved.connect(self.told)
            dialog.saved.connect(lambda _: self.saved.emit())
            dialog.finished.connect(self._closed)
            self.dialog = dialog
        self.dialog.open()
        self.dialog.show_kind(kind)

    def _closed(self) -> None:
        self.dialog = None
        if self._panel is not None:
            self._panel.composer.edit.setFocus()
