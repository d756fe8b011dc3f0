"""Exports and prints the session on screen, and lists its messages to go to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMarginsF, QObject
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QFileDialog, QWidget

from kinet.core.atomic_write import write_bytes
from kinet.core.messages import Message
from kinet.markup.visible import shown
from kinet.session.export import exported
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.palette.palette import Palette
from kinet.ui.palette.palette_rows import Entry
from kinet.ui.transcript.command_entry import CommandEntry
from kinet.ui.transcript.text_entry import TextEntry
from kinet.ui.window.paper import paper, print_on

_FILTERS = {
    "md": "Markdown (*.md)",
    "html": "Web page (*.html)",
    "json": "JSON (*.json)",
    "pdf": "PDF (*.pdf)",
}
_TITLE = 100
# Marks of Markdown, which are not shown in the conversation either.
_MARKS = re.compile(r"\*\*|~~|`+|^[ \t]*(?:#{1,6}|>|[-*+]|```\w*)[ \t]+", re.MULTILINE)


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
            lambda path: write_export(Path(path), title, messages, self._parts.toast.tell)
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

    def outline(self) -> None:
        """Lists the messages; choosing one goes there."""
        entries = outline_of(self._parts.desk.current)
        if not entries:
            self._parts.toast.tell("There are no messages yet")
            return
        palette = Palette(self._parts.frame, entries)
        palette.setObjectName("outline")
        palette.field.setPlaceholderText("Go to a message")
        palette.closed.connect(self._parts.desk.current.composer.edit.setFocus)

    def _session(self) -> tuple[str, Sequence[Message]]:
        panel = self._parts.desk.current
        messages = panel.session.conversation.messages if panel.session is not None else ()
        return panel.title, tuple(messages)


def write_export(
    path: Path, title: str, messages: Sequence[Message], tell: Callable[[str], object]
) -> None:
    """Writes the session as the ending of the name says; Markdown for any other ending."""
    form = path.suffix.lower().lstrip(".")
    try:
        if form == "pdf":
            write_pdf(path, title, messages)
        else:
            form = form if form in ("html", "json", "jsonl") else "md"
            text = exported(form, title, messages)
            write_bytes(path, text.encode("utf-8", "replace"), mode=0o644)
    except OSError as exc:
        tell(f"{path} could not be written: {exc.strerror or exc}. Choose another place.")
        return
    tell(f"Exported to {path.name}")


def write_pdf(path: Path, title: str, messages: Sequence[Message]) -> None:
    """Writes a PDF. Raises OSError if that is not possible."""
    # Qt only warns where it cannot write.
    path.open("wb").close()
    writer = QPdfWriter(str(path))
    writer.setTitle(title)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout.Unit.Millimeter)
    print_on(writer, paper(title, messages))


def outline_of(panel: QWidget) -> list[Entry]:
    """An entry for each message of a panel's transcript, in order."""
    transcript = getattr(panel, "transcript", None)
    if transcript is None:
        return []
    found = []
    transcript.stage.filler.complete()
    for entry in transcript.stage.flow.entries:
        if isinstance(entry, CommandEntry):
            title = " ".join(entry.spoken().split())[:_TITLE]
            found.append(Entry("Messages", title, _goer(transcript, entry), "terminal", "You"))
        elif isinstance(entry, TextEntry) and entry.kind in ("user", "answer"):
            who = "You" if entry.kind == "user" else "Kinet"
            # Of a long conversation no document is made for this.
            said = _MARKS.sub("", shown(entry.source[: 4 * _TITLE]))
            title = " ".join(said.split())[:_TITLE] or "(no text)"
            icon = "chat" if who == "You" else "file-text"
            act = _goer(transcript, entry)
            found.append(Entry("Messages", title, act, icon, who))
    return found


def _goer(transcript: object, entry: TextEntry | CommandEntry) -> Callable[[], object]:
    return lambda: transcript.go_to(entry)  # type: ignore[attr-defined]
