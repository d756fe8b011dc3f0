"""Places a dialog over its window: in the middle, and never larger than it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QWidget

_MARGIN = 32


def fit_over(dialog: QDialog, window: QWidget | None, size: QSize) -> None:
    """Gives the dialog this size, as far as the window below has room; to be called when shown."""
    if window is None:
        dialog.resize(size)
        return
    # A text that needs more room than it was thought to makes the dialog taller, not cut.
    wanted = size.expandedTo(QSize(0, dialog.minimumSizeHint().height()))
    dialog.resize(wanted.boundedTo(window.size() - QSize(_MARGIN, _MARGIN)))
    dialog.move(window.mapToGlobal(window.rect().center()) - dialog.rect().center())
