"""The skills that are active in a session, as chips above the text; each can be taken away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from kinet.ui.kit.controls import IconButton, draw_icon
from kinet.ui.look.theme import current_theme
from kinet.ui.writing.chip_rows import CHIP_HEIGHT, place_chips

_WIDEST_NAME = 220


class SkillChips(QWidget):
    """In rows as wide as there is room; hidden where there are none."""

    removed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("skillChips")
        self._chips: list[SkillChip] = []
        # Tab comes here from there; Qt itself would put a new chip at the end of the window.
        self.follows: QWidget | None = None
        self.hide()

    @property
    def names(self) -> tuple[str, ...]:
        """What is shown, in order."""
        return tuple(chip.name for chip in self._chips)

    def set_skills(self, names: Sequence[str]) -> None:
        """Shows these."""
        if tuple(names) == self.names:
            return
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for name in names:
            chip = SkillChip(name, self)
            chip.close_button.clicked.connect(lambda _=False, n=name: self.removed.emit(n))
            chip.show()
            self._chips.append(chip)
        self._order_tabs()
        self.setVisible(bool(names))
        place_chips(self, self._chips)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        place_chips(self, self._chips)

    def restyle(self) -> None:
        """Takes on another size of text."""
        place_chips(self, self._chips)
        self.update()

    def _order_tabs(self) -> None:
        before = self.follows
        for chip in self._chips:
            if before is not None:
                self.setTabOrder(before, chip.close_button)
            before = chip.close_button


class SkillChip(QWidget):
    """One active skill: icon, name, and a button that takes it out of the prompt."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.name = name
        self.setToolTip(f"The skill {name} is in the prompt of this session")
        self.setAccessibleName(f"Active skill: {name}")
        self.close_button = IconButton(
            "close", f"Take the skill {name} away", parent=self, size=20, icon_size=12
        )

    def sizeHint(self) -> QSize:
        return QSize(8 + 14 + 6 + self._name_width() + 4 + 20 + 2, CHIP_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.close_button.move(self.width() - 22, 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.qcolor("accent_tint"))
        painter.drawRoundedRect(self.rect(), 4, 4)
        draw_icon(painter, "skill", "accent", QPoint(15, 12), 14)
        font = theme.font("meta")
        painter.setFont(font)
        painter.setPen(theme.qcolor("accent"))
        room = max(20, self.width() - 28 - 26)
        name = QFontMetrics(font).elidedText(self.name, Qt.TextElideMode.ElideMiddle, room)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(28, 0, room, CHIP_HEIGHT), middle, name)

    def _name_width(self) -> int:
        metrics = QFontMetrics(current_theme().font("meta"))
        return min(_WIDEST_NAME, metrics.horizontalAdvance(self.name) + 2)
