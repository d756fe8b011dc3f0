"""Leads through an output that is too long to be loaded: a part at a time, or both its ends."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from kinet.markup.terminal_inks import Inks
from kinet.ui.kit.controls import ElidedLabel, IconButton
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.panel.model_share import ModelShare
from kinet.ui.panel.output_view import OutputView

# Characters of one part.
PART = 500_000
GONE = "The whole output is not kept any more: it made room for newer ones."


class WholeStrip(QFrame):
    """Hidden unless the whole lies in a file. It asks for parts, from 0, and shows what comes."""

    part_requested = Signal(str, int)
    problem = Signal(str)
    # Of which call, and where its output stands in the text on show.
    colours_wanted = Signal(str, object)

    def __init__(self, view: OutputView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._call_id, self._ends, self._share = "", "", ModelShare("none")
        self._places: object = None
        self.setObjectName("wholeStrip")
        self.setFixedHeight(36)
        self._total, self._part = 0, -1
        self.text = ElidedLabel("", self)
        self.text.setProperty("type", "meta")
        self.before = IconButton("chevron-left", "Part before", parent=self)
        self.after = IconButton("chevron-right", "Next part", parent=self)
        self.ends = TextButton("Read it whole", self, kind="link", size="row")
        self.before.clicked.connect(lambda: self._ask(self._part - 1))
        self.after.clicked.connect(lambda: self._ask(self._part + 1))
        self.ends.clicked.connect(self._turn)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(4)
        row.addWidget(self.text, 1)
        for button in (self.before, self.after, self.ends):
            row.addWidget(button)
        # As wide as the panel, whatever its words need: they give way.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def parts(self) -> int:
        """How many there are."""
        return max(1, -(-self._total // PART))

    def show_record(self, call_id: str, total: int, ends: str, share: ModelShare) -> None:
        """A step whose output has `total` characters, its ends on show; 0 hides the strip."""
        self._call_id, self._total, self._ends, self._share = call_id, total, ends, share
        self._say(-1)
        self.setVisible(total > 0)

    def show_part(
        self, call_id: str, part: int, text: str | None, inks: Inks | None = None
    ) -> None:
        """A part that was asked for, with its colours; None if it is not kept any more."""
        if call_id != self._call_id:
            return
        if text is None:
            self.problem.emit(GONE)
            self.hide()
            return
        self._say(part)
        self._view.show_text(text)
        self._view.show_colours((inks,) if inks else ())

    def ask_colours(self, places: object) -> None:
        """Both ends are on show; their colours may lie in a file."""
        self._places = places
        if places:
            self.colours_wanted.emit(self._call_id, places)

    def show_colours(self, call_id: str, inks: Sequence[Inks]) -> None:
        """The colours of both ends, which were asked for."""
        if call_id == self._call_id and self._part < 0:
            self._view.show_colours(inks)

    def _turn(self) -> None:
        """From both ends to the first part, and back."""
        if self._part < 0:
            self._ask(0)
            return
        self._say(-1)
        self._view.show_text(self._ends, self._share)
        self.ask_colours(self._places)

    def _ask(self, part: int) -> None:
        self.part_requested.emit(self._call_id, part)

    def _say(self, part: int) -> None:
        self._part = part
        inside = part >= 0
        self.text.set_text(
            f"Part {part + 1:,} of {self.parts:,}"
            if inside
            else f"Beginning and end of {self._total:,} characters"
        )
        self.before.setVisible(inside)
        self.after.setVisible(inside)
        self.before.setEnabled(part > 0)
        self.after.setEnabled(part < self.parts - 1)
        self.ends.set_text("Both ends" if inside else "Read it whole")
