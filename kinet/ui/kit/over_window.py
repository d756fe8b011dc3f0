"""Sizes dialogs: whole words, in the middle of the window, never larger than it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QDialog, QWidget

from kinet.ui.look.theme import current_theme

_MARGIN = 32


def whole_words(dialog: QDialog, width: int) -> None:
    """Makes a question this wide (at 100 %) when it is shown, and as high as its words need.

    Qt takes the height of one width and gives another: larger text then lacks a line.
    """
    _WholeWords(dialog, width)


def fit_over(dialog: QDialog, window: QWidget | None, size: QSize) -> None:
    """Gives the dialog this size, as far as the window below has room; to be called when shown."""
    if window is None:
        dialog.resize(size)
        return
    # A text that needs more room than it was thought to makes the dialog taller, not cut.
    wanted = size.expandedTo(QSize(0, dialog.minimumSizeHint().height()))
    dialog.resize(wanted.boundedTo(window.size() - QSize(_MARGIN, _MARGIN)))
    dialog.move(window.mapToGlobal(window.rect().center()) - dialog.rect().center())


class _WholeWords(QObject):
    """Sets the size at the moment a dialog is shown: only then its words and their font stand."""

    def __init__(self, dialog: QDialog, width: int) -> None:
        super().__init__(dialog)
        self._dialog, self._width = dialog, width
        dialog.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Nothing is kept from the dialog."""
        layout = self._dialog.layout() if event.type() == QEvent.Type.Show else None
        if layout is not None:
            wide = round(self._width * max(1.0, current_theme().zoom / 100))
            window = self._dialog.parentWidget()
            if window is not None:
                wide = min(wide, window.window().width() - _MARGIN)
            self._dialog.setFixedWidth(wide)
            layout.activate()
            self._dialog.resize(wide, max(layout.totalHeightForWidth(wide), 0))
        return False
