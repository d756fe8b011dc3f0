"""Puts text on the clipboard, which every program here can read: no live key goes there."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from kinet.net.redact import hide_live_keys


def copy_text(text: str) -> None:
    """Replaces what is on the clipboard."""
    QGuiApplication.clipboard().setText(masked(text))


def masked(text: str) -> str:
    """The text as it may be copied; a long one is masked part by part, for it takes its time."""
    return hide_live_keys(text)


def copy_masked(texts: Iterable[bytes], between: bytes) -> None:
    """Replaces what is on the clipboard by UTF-8 of what `masked` gave, joined by `between`.

    Bytes, because Qt reads them itself: a text of 40 MB would be converted letter by letter.
    """
    held = QMimeData()
    held.setData("text/plain", QByteArray(between.join(texts)))
    QGuiApplication.clipboard().setMimeData(held)
