"""The head of a comparison: how the answers are shown, and the way between differences."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from kinet.ui.kit.controls import IconButton, text_label
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.switch import Switch
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme

_MODES = (("answers", "Answers"), ("differences", "Differences"))


class CompareHead(QWidget):
    """Asks for things by signal; in a narrow window it goes on in further lines."""

    closed = Signal()
    mode_chosen = Signal(str)  # answers or differences
    side_chosen = Signal(str)  # left or right, where there is room for one
    linked = Signal(bool)
    moved = Signal(int)  # 1 to the next difference, -1 to the one before

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        title = text_label("Compare answers", type="strong", parent=self)
        self.modes = Segments(_MODES, "Show", self)
        self.modes.choose("answers")
        self.tabs = Segments((("left", "Left"), ("right", "Right")), "Side", self)
        self.tabs.choose("left")
        self.words = text_label("", type="meta", tone="text_2", parent=self)
        self.words.setObjectName("differenceCount")
        self.previous = IconButton("chevron-up", "Previous difference", "Shift+F7", self)
        self.following = IconButton("chevron-down", "Next difference", "F7", self)
        self.switch = Switch("Scroll together", self)
        self.switch.setChecked(True)
        self._together = QWidget(self)
        close = IconButton("close", "Close the comparison", "Esc", self)
        close.setObjectName("closeCompare")
        together = QHBoxLayout(self._together)
        together.setContentsMargins(0, 0, 0, 0)
        together.setSpacing(4)
        together.addWidget(self.switch)
        together.addWidget(text_label("Scroll together", type="meta", parent=self._together))
        row = WrappingRow()
        for part in (title, self.modes, self.tabs, self._together, self.previous, self.following):
            row.addWidget(part)
        row.addWidget(self.words)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(24, 8, 8, 8)
        whole.addLayout(row, 1)
        whole.addWidget(close)
        self.modes.chosen.connect(self.mode_chosen)
        self.tabs.chosen.connect(self.side_chosen)
        self.switch.toggled.connect(self.linked)
        self.previous.clicked.connect(lambda: self.moved.emit(-1))
        self.following.clicked.connect(lambda: self.moved.emit(1))
        close.clicked.connect(self.closed)
        self.tell("", 0)

    @property
    def mode(self) -> str:
        """How the answers are shown: answers or differences."""
        return self.modes.value

    def tell(self, words: str, count: int) -> None:
        """What was found; the way from one to the next is offered where there are some."""
        self.words.setText(words)
        self.words.setVisible(bool(words))
        for button in (self.previous, self.following):
            button.setVisible(count > 0)

    def name_sides(self, left: str, right: str) -> None:
        """The words on the tabs."""
        for value, word in (("left", left), ("right", right)):
            self.tabs.buttons[value].set_text(word, f"Side: {word}")

    def show_tabs(self, shown: bool) -> None:
        """Offers the sides one at a time; then there is nothing to scroll together."""
        self.tabs.setVisible(shown)
        self._together.setVisible(not shown)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.modes.set_theme(theme)
        self.tabs.set_theme(theme)
