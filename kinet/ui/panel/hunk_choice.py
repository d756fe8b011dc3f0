"""One file's diff, of which single hunks can be chosen to be put back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from kinet.ui.diff.diff_view import DiffView
from kinet.ui.diff.hunk_list import MOST_HUNKS, HunkList
from kinet.ui.kit.controls import Line, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme, current_theme

_CHOICES = (("undo", "Undo"), ("keep", "Keep"))


class HunkChoice(QWidget):
    """The diff as a whole; or its hunks, each with a choice, under a strip with what is chosen."""

    undo_requested = Signal(object)  # the numbers of hunks of `text`
    redo_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._count, self._partly = 0, False
        self._theme = current_theme()
        self.diff = DiffView(self)
        self.hunks: HunkList | None = None
        self.words = text_label("", type="meta", tone="text_2", parent=self)
        self.redo = TextButton("Redo hunks", self, kind="quiet", size="row", icon_name="redo")
        self.redo.clicked.connect(self.redo_requested)
        self.choose = TextButton("Choose hunks", self, kind="quiet", size="row")
        self.choose.setObjectName("chooseHunksButton")
        self.choose.clicked.connect(self._turn)
        self.undo = TextButton("Undo hunks", self, kind="quiet", size="row", icon_name="undo")
        self.undo.setObjectName("undoHunksButton")
        self.undo.clicked.connect(self._undo)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._build()
        self._refresh()

    def show_diff(self, diff: str, hunks: int = 0, *, partly: bool = False) -> None:
        """Shows another one; `hunks` can be chosen, `partly` some were put back."""
        same = diff == self.text and hunks == self._count
        had_focus = self.isAncestorOf(self.window().focusWidget() or self)
        self.text, self._count, self._partly = diff, hunks, partly
        if not same:
            self._leave()
            self.diff.show_diff(diff)
        self._refresh()
        if had_focus and not same:
            # What had it may be hidden by now: it goes on here.
            (self.choose if self.choose.isVisibleTo(self) else self.diff).setFocus()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self._theme = theme
        self.diff.set_theme(theme)
        if self.hunks is not None:
            self.hunks.set_theme(theme)
        for button in (self.redo, self.undo):
            button.refresh_icon()

    def _build(self) -> None:
        self._strip = QWidget(self)
        row = QHBoxLayout(self._strip)
        row.setContentsMargins(16, 0, 8, 0)
        row.setSpacing(8)
        row.addStrut(40)
        row.addWidget(self.words)
        row.addStretch(1)
        for button in (self.redo, self.undo, self.choose):
            row.addWidget(button)
        self._line = Line(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._strip)
        column.addWidget(self._line)
        column.addWidget(self.diff, 1)
        column.addWidget(self._area, 1)

    def _refresh(self) -> None:
        choosing = self.hunks is not None
        chosen = len(self.hunks.accepted) if self.hunks is not None else 0
        can_choose = 1 < self._count <= MOST_HUNKS
        self._strip.setVisible(can_choose or self._partly)
        self._line.setVisible(can_choose or self._partly)
        self.diff.setVisible(not choosing)
        self._area.setVisible(choosing)
        if choosing:
            self.words.setText(f"{chosen:,} of {self._count:,} chosen")
        else:
            some = "Some was put back"
            self.words.setText(f"{self._count:,} hunks" if can_choose else some)
        self.redo.setVisible(self._partly and not choosing)
        self.choose.setVisible(can_choose)
        self.choose.set_text("Cancel" if choosing else "Choose hunks")
        self.undo.setVisible(choosing)
        self.undo.setEnabled(chosen > 0)

    def _turn(self) -> None:
        if self.hunks is not None:
            self._leave()
        else:
            hunks = self.hunks = HunkList(self.text, choices=_CHOICES, chosen=False)
            hunks.changed.connect(self._refresh)
            hunks.set_theme(self._theme)
            page = QWidget()
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(hunks)
            column.addStretch(1)
            self._area.setWidget(page)
        self._refresh()
        self.choose.setFocus()

    def _leave(self) -> None:
        self.hunks = None
        if (page := self._area.takeWidget()) is not None:
            page.deleteLater()

    def _undo(self) -> None:
        if self.hunks is not None and self.hunks.accepted:
            self.undo_requested.emit(self.hunks.accepted)
