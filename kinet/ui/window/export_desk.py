"""Exports and prints the session on screen."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Callable, Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMarginsF, QObject
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QFileDialog

from kinet.core.atomic_write import write_pieces
from kinet.core.messages import Message
from kinet.session.export import export_pieces
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.kit.tasks import breathe, in_thread, spawn
from kinet.ui.window.printing import Step, do_all, print_steps

_FILTERS = {
    "md": "Markdown (*.md)",
    "html": "Web page (*.html)",
    "json": "JSON (*.json)",
    "pdf": "PDF (*.pdf)",
}
# Of work between two turns of the loop.
_SLICE_SECONDS = 0.008


class ExportDesk(QObject):
    """Acts on the session on screen."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.window)
        self._parts = parts
        # Of what is drawn now: how it is given up, and what was said of it last.
        self._cancel: Callable[[], None] | None = None
        self._said = ""

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
        dialog.fileSelected.connect(lambda path: self._begin(Path(path), title, messages))
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
        dialog.accepted.connect(
            lambda: self._start(self._print(printer, title, messages), "printing", "Printing")
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.setModal(True)
        dialog.show()

    def _begin(self, path: Path, title: str, messages: Sequence[Message]) -> None:
        if path.suffix.lower() == ".pdf":
            self._start(self._write(path, title, messages), "export", "Exporting")
        else:
            spawn(self._write(path, title, messages), "export")

    def _start(self, work: Coroutine[Any, Any, None], name: str, doing: str) -> None:
        """What is drawn takes its time, and can be given up."""
        task = spawn(work, name)

        def cancel() -> None:
            task.cancel()
            self._parts.toast.tell(f"{doing} was cancelled")

        self._cancel = cancel
        self._said = ""
        self._say(f"{doing}…")

    def _say(self, words: str) -> None:
        """How far it is, unless the person is told something else just now."""
        toast = self._parts.toast
        if toast.isHidden() or not self._said:
            toast.tell(words, "Cancel", self._cancel, seconds=0)
        elif toast.text() == self._said:
            toast.change(words)
        else:
            return
        self._said = toast.text()

    async def _print(self, printer: QPrinter, title: str, messages: Sequence[Message]) -> None:
        steps = print_steps(printer, title, messages, printer.fromPage(), printer.toPage())
        try:
            await self._draw(steps)
        except OSError as exc:
            self._parts.toast.tell(f"It could not be printed: {exc}. Choose another printer.")
            return
        except BaseException:
            printer.abort()
            raise
        self._parts.toast.tell("Sent to the printer")

    async def _write(self, path: Path, title: str, messages: Sequence[Message]) -> None:
        """Writes in a thread, for a long session takes its time; but paper is drawn here."""
        tell = self._parts.toast.tell
        if path.suffix.lower() == ".pdf":
            try:
                await self._draw(pdf_steps(path, title, messages))
            except OSError as exc:
                tell(_failed(path, exc))
                return
            tell(_done(path))
            return
        tell("Exporting…", seconds=0)
        tell(await in_thread(lambda: write_export(path, title, messages)))

    async def _draw(self, steps: Generator[Step]) -> None:
        """Takes the steps between turns of the loop: Qt's drawing keeps the interpreter's lock."""
        with contextlib.closing(steps):
            began = time.perf_counter()
            for step in steps:
                if callable(step):
                    await in_thread(step)
                elif time.perf_counter() - began > _SLICE_SECONDS:
                    if step is not None:
                        self._say(step)
                    await breathe()
                    began = time.perf_counter()

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
            do_all(pdf_steps(path, title, messages))
        else:
            form = form if form in ("html", "json", "jsonl") else "md"
            pieces = export_pieces(form, title, messages)
            encoded = (piece.encode("utf-8", "replace") for piece in pieces)
            write_pieces(path, encoded, mode=0o644)
    except OSError as exc:
        return _failed(path, exc)
    return _done(path)


def pdf_steps(path: Path, title: str, messages: Sequence[Message]) -> Generator[Step]:
    """Writes a PDF, some ms a step. Until the last one what was there stays as it was, also where
    it is given up. Raises OSError if it cannot be written."""
    target = Path(os.path.realpath(path))
    made = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.new")
    # Qt only warns where it cannot write.
    made.open("xb").close()
    try:
        writer = QPdfWriter(str(made))
        writer.setTitle(title)
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout.Unit.Millimeter)
        yield from print_steps(writer, title, messages)
        del writer
        os.replace(made, target)
    finally:
        made.unlink(missing_ok=True)


def _failed(path: Path, exc: OSError) -> str:
    return f"{path} could not be written: {exc.strerror or exc}. Choose another place."


def _done(path: Path) -> str:
    return f"Exported to {path.name}"
