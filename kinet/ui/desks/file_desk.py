"""Asks for the working folder and for files to attach, in dialogs that block nothing."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow

from kinet.core.errors import KinetError
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.program import Program


class FileDesk(QObject):
    """Serves the panel on screen."""

    problem = Signal(str)
    folder_changed = Signal()

    def __init__(self, program: Program, window: QMainWindow) -> None:
        super().__init__(window)
        self._program, self._window = program, window
        self._panel: ChatPanel | None = None

    def serve(self, panel: ChatPanel) -> None:
        """Connects a new panel's buttons."""
        panel.composer.attach_requested.connect(self.choose_files)
        panel.header.folder_requested.connect(self.choose_folder)

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on."""
        self._panel = panel

    def choose_folder(self) -> None:
        """Asks for the folder of new sessions; one that has begun stays on its own."""
        dialog = self._dialog("Choose the working folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda path: self.use_folder(Path(path)))
        dialog.open()

    def choose_files(self) -> None:
        """Asks for files to attach: text and pictures."""
        panel = self._panel
        if panel is None:
            return
        dialog = self._dialog("Attach text files and pictures")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(
            lambda paths: panel.composer.attach_all([Path(path) for path in paths])
        )
        dialog.open()

    def use_folder(self, folder: Path) -> None:
        """Makes `folder` the one of new sessions, and of one that has said nothing yet."""
        panel = self._panel
        try:
            when_kept(self, self._program.use_folder(folder), self.problem.emit)
            session = panel.session if panel is not None else None
            if session is not None and not session.conversation.turns:
                session.set_folder(folder)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.folder_changed.emit()

    def _dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._panel is not None and self._panel.folder is not None:
            dialog.setDirectory(str(self._panel.folder))
        return dialog
