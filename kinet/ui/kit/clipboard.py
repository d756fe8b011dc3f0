"""Puts text on the clipboard, which every program here can read: no live key goes there."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from kinet.net.redact import hide_live_keys


def copy_text(text: str) -> None:
    """Replaces what is on the clipboard."""
    QGuiApplication.clipboard().setText(hide_live_keys(text))
