"""Asks for a file name and writes a text there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from kinet.core.atomic_write import write_bytes


def save_text(
    parent: QWidget, text: str, suggested: str, failed: Callable[[str], None]
) -> QFileDialog:
    """Opens the dialog and returns at once; `failed` hears why the file could not be written."""
    return ask_file(parent, suggested, lambda path: _write(path, text, failed))


def ask_file(parent: QWidget, suggested: str, chosen: Callable[[Path], object]) -> QFileDialog:
    """Opens the dialog and returns at once; `chosen` hears of the file that is to be written."""
    dialog = QFileDialog(parent, "Save as", suggested)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.open()
    return dialog


def _write(path: Path, text: str, failed: Callable[[str], None]) -> None:
    try:
        write_bytes(path, text.encode("utf-8", "replace"), mode=0o644)
    except OSError as exc:
        failed(not_written(path, exc))


def not_written(path: Path, exc: OSError) -> str:
    """Why a file could not be written, and what to do."""
    return f"{path} could not be written: {exc.strerror}. Choose another place."
