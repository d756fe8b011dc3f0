"""Puts text on the clipboard, which every program here can read: no live key goes there."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

from kinet.net.redact import hide_live_keys


def copy_text(text: str) -> None:
    """Replaces what is on the clipboard."""
    copy_masked(masked(text))


def masked(text: str) -> str:
    """The text as it may be copied; a long one is masked part by part, for it takes its time."""
    return hide_live_keys(text)


def copy_masked(text: str) -> None:
    """Replaces what is on the clipboard by what `masked` gave."""
    QGuiApplication.clipboard().setText(text)
