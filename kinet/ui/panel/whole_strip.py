"""Leads through an output that is too long to be loaded: a part at a time, or both its ends."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from kinet.ui.kit.controls import IconButton, text_label
from kinet.ui.kit.part_buttons import TextButton

# Characters of one part.
PART = 500_000


class WholeStrip(QFrame):
    """Hidden unless the whole lies in a file. `part_requested` counts from 0; -1 is both ends."""

    part_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("wholeStrip")
        self.setFixedHeight(36)
        self._total, self._part = 0, -1
        self.text = text_label("", type="meta", tone="text_2", parent=self)
        self.before = IconButton("chevron-left", "Part before", parent=self)
        self.after = IconButton("chevron-right", "Next part", parent=self)
        self.ends = TextButton("Read it whole", self, kind="link", size="row")
        self.before.clicked.connect(lambda: self.part_requested.emit(self._part - 1))
        self.after.clicked.connect(lambda: self.part_requested.emit(self._part + 1))
        self.ends.clicked.connect(lambda: self.part_requested.emit(-1 if self._part >= 0 else 0))
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(4)
        row.addWidget(self.text, 1)
        for button in (self.before, self.after, self.ends):
            row.addWidget(button)
        self.hide()

    @property
    def parts(self) -> int:
        """How many there are."""
        return max(1, -(-self._total // PART))

    def show_total(self, total: int) -> None:
        """An output of so many characters, both ends on show; 0 hides the strip."""
        self._total = total
        self.show_part(-1)
        self.setVisible(total > 0)

    def show_part(self, part: int) -> None:
        """Says which part is on show."""
        self._part = part
        inside = part >= 0
        self.text.setText(
            f"Part {part + 1:,} of {self.parts:,}"
            if inside
            else f"Beginning and end of {self._total:,} characters"
        )
        self.before.setVisible(inside)
        self.after.setVisible(inside)
        self.before.setEnabled(part > 0)
        self.after.setEnabled(part < self.parts - 1)
        self.ends.set_text("Both ends" if inside else "Read it whole")
