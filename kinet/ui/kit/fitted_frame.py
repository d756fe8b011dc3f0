"""A frame that is as high as what is in it, at the width it is given."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame


class FittedFrame(QFrame):
    """Words that wrap ask for the height of several lines whatever room there is: a frame that
    promised to be no lower stood with an empty strip below its last row."""

    def minimumSizeHint(self) -> QSize:
        """No height of its own: `heightForWidth` tells it."""
        least = super().minimumSizeHint()
        return QSize(least.width(), 0 if self.hasHeightForWidth() else least.height())
