"""A box to choose from that never cuts its words in silence, and has a name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget

# Letters for which there is always room; what is longer ends in "…" and is told by the tooltip.
_LETTERS = 10


class ChoiceBox(QComboBox):
    """`name` says what is chosen here, for those who do not see where it stands."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_name(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.currentTextChanged.connect(self._tell_whole)

    def set_name(self, name: str) -> None:
        """Another name. On Linux a box is read by what is chosen: there the name follows it."""
        self.setAccessibleName(name)
        self.setAccessibleDescription(name)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        room = self.fontMetrics().averageCharWidth() * _LETTERS + 48
        return QSize(min(least.width(), room), least.height())

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """What is drawn: the words as far as they fit."""
        super().initStyleOption(option)
        if not self.isEditable():
            option.currentText = self.fontMetrics().elidedText(
                self.currentText(), Qt.TextElideMode.ElideMiddle, max(8, self._room(option))
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_whole()

    def _tell_whole(self) -> None:
        option = QStyleOptionComboBox()
        super().initStyleOption(option)
        words = self.currentText()
        cut = self.fontMetrics().horizontalAdvance(words) > self._room(option)
        self.setToolTip(words if cut and not self.isEditable() else "")

    def _room(self, option: QStyleOptionComboBox) -> int:
        part = QStyle.SubControl.SC_ComboBoxEditField
        control = QStyle.ComplexControl.CC_ComboBox
        return self.style().subControlRect(control, option, part, self).width()
