"""Opens an address in the person's browser, the only way out of the window there is."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from kinet.markup.links import openable


def open_link(url: str) -> bool:
    """Opens it if it is one that may be opened; False if it is not, or no browser took it."""
    return openable(url) and QDesktopServices.openUrl(QUrl(url))
