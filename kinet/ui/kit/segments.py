"""A row of buttons of which exactly one is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme


class Segments(QWidget):
    """Offers `choices` (value, word) side by side; `chosen` tells of the person's own choice."""

    chosen = Signal(str)

    def __init__(
        self, choices: Sequence[tuple[str, str]], name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self.buttons: dict[str, TextButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for value, word in choices:
            button = TextButton(word, self, name=f"{name}: {word}")
            button.setCheckable(True)
            button.clicked.connect(lambda _checked=False, value=value: self.chosen.emit(value))
            self._group.addButton(button)
            self.buttons[value] = button
            row.addWidget(button)

    @property
    def value(self) -> str:
        """What is chosen, "" before anything is."""
        return next((value for value, item in self.buttons.items() if item.isChecked()), "")

    def choose(self, value: str) -> None:
        """Chooses without telling."""
        self.buttons[value].setChecked(True)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        last = len(self.buttons) - 1
        line, accent = theme.color("control_border"), theme.color("accent")
        for place, button in enumerate(self.buttons.values()):
            left, right = 6 * (place == 0), 6 * (place == last)
            corners = (
                f"border-top-left-radius: {left}px; border-bottom-left-radius: {left}px;"
                f" border-top-right-radius: {right}px; border-bottom-right-radius: {right}px;"
            )
            # A ring takes of the padding, so that nothing moves.
            pad = 11 - theme.ring
            joined = "" if place == last else " border-right: 0;"
            off = theme.color("disabled")
            button.setStyleSheet(
                f"QPushButton {{ border: 1px solid {line};{joined} {corners} padding: 0 10px;"
                f" min-height: 22px; }}"
                f"QPushButton:checked {{ background: {theme.color('accent_tint')};"
                f" color: {accent}; font-weight: 600; }}"
                f"QPushButton:checked:hover {{ background: {theme.color('selected')}; }}"
                f"QPushButton:disabled {{ color: {off}; }}"
                f"QPushButton:checked:disabled {{ color: {off}; background: transparent; }}"
                f"QPushButton:focus {{ border: {theme.ring}px solid {theme.color('focus')};"
                f" padding: 0 {pad}px; min-height: {24 - 2 * theme.ring}px; }}"
            )
