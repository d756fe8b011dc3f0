"""Exports and prints the session on screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMarginsF, QObject
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QFileDialog

from kinet.core.atomic_write import write_pieces
from kinet.core.messages import Message
from kinet.session.export import export_pieces
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.window.paper import paper, print_on

_FILTERS = {
    "md": "Markdown (*.md)",
    "html": "Web page (*.html)",
    "json": "JSON (*.json)",
    "pdf": "PDF (*.pdf)",
}


class ExportDesk(QObject):
    """Acts on the session on screen."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.window)
        self._parts = parts

    def export(self) -> None:
        """Asks where to and writes there; the ending of the name says in which form."""
        title, messages = self._session()
        if not messages:
            self._parts.toast.tell("There is nothing to export yet")
            return
        name = re.sub(r"[^\w\- ]+", "", title)[:60].strip() or "session"
        dialog = QFileDialog(self._parts.window, "Export the session", f"{name}.md")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(_FILTERS.values()))
        dialog.fileSelected.connect(
            lambda path: spawn(self._write(Path(path), title, messages), "export")
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def print_session(self) -> None:
        """Asks for a printer and prints."""
        title, messages = self._session()
        if not messages:
            self._parts.toast.tell("There is nothing to print yet")
            return
        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        dialog = QPrintDialog(printer, self._parts.window)
        dialog.accepted.connect(lambda: self._print(printer, title, messages))
        dialog.finished.connect(dialog.deleteLater)
        dialog.setModal(True)
        dialog.show()

    def _print(self, printer: QPrinter, title: str, messages: Sequence[Message]) -> None:
        document = paper(title, messages)
        try:
            print_on(printer, document, printer.fromPage(), printer.toPage())
        except OSError as exc:
            self._parts.toast.tell(f"It could not be printed: {exc}. Choose another printer.")

    async def _write(self, path: Path, title: str, messages: Sequence[Message]) -> None:
        """Writes in a thread, for a long session takes its time; but paper is drawn here."""
        tell = self._parts.toast.tell
        if path.suffix.lower() == ".pdf":
            tell(write_export(path, title, messages))
            return
        tell("Exporting…", seconds=0)
        tell(await in_thread(lambda: write_export(path, title, messages)))

    def _session(self) -> tuple[str, Sequence[Message]]:
        panel = self._parts.desk.current
        messages = panel.session.conversation.messages if panel.session is not None else ()
        return panel.title, tuple(messages)


def write_export(path: Path, title: str, messages: Sequence[Message]) -> str:
    """Writes the session as the ending of the name says; Markdown for any other ending.

    What comes back is told to the person.
    """
    form = path.suffix.lower().lstrip(".")
    try:
        if form == "pdf":
            write_pdf(path, title, messages)
        else:
            form = form if form in ("html", "json", "jsonl") else "md"
            pieces = export_pieces(form, title, messages)
            encoded = (piece.encode("utf-8", "replace") for piece in pieces)
            write_pieces(path, encoded, mode=0o644)
    except OSError as exc:
        return f"{path} could not be written: {exc.strerror or exc}. Choose another place."
    return f"Exported to {path.name}"


def write_pdf(path: Path, title: str, messages: Sequence[Message]) -> None:
    """Writes a PDF. Raises OSError if that is not possible."""
    # Qt only warns where it cannot write.
    path.open("wb").close()
    writer = QPdfWriter(str(path))
    writer.setTitle(title)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout.Unit.Millimeter)
    print_on(writer, paper(title, messages))
