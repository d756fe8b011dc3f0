"""Fills the clipboard, which every program here can read: no live key goes there as text."""

from __future__ import annotations

import atexit

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from kinet.net.redact import hide_live_keys

# Bytes. Above this half a second may go into making Qt's text of a Python one.
LARGE = 2_000_000
# What tells such a text from another program's.
_OURS = "application/x-kinet-text"


def copy_text(text: str) -> None:
    """Replaces what is on the clipboard."""
    QGuiApplication.clipboard().setText(masked(text))


def copy_image(image: QImage) -> None:
    """Replaces what is on the clipboard by a picture."""
    QGuiApplication.clipboard().setImage(image)


def masked(text: str) -> str:
    """The text as it may be copied; a long one is masked part by part, for it takes its time."""
    return hide_live_keys(text)


def copy_masked(held: QByteArray) -> None:
    """Replaces what is on the clipboard by the UTF-8 of what `masked` gave."""
    clipboard = QGuiApplication.clipboard()
    if held.size() < LARGE:
        clipboard.setText(bytes(held.data()).decode("utf-8"))
        return
    # Of a Python text with an emoji in it Qt makes its own letter by letter; bytes it reads itself.
    data = QMimeData()
    data.setData("text/plain", held)
    data.setData(_OURS, QByteArray(b"1"))
    clipboard.setMimeData(data)
    atexit.unregister(_settle)
    atexit.register(_settle)


def _settle() -> None:
    """Hands over what is still on the clipboard: what Python has made must not outlive it."""
    clipboard = QGuiApplication.clipboard()
    if clipboard.mimeData().hasFormat(_OURS):
        clipboard.setText(clipboard.text())
