"""Asks what becomes of files that somebody changed since, before a turn is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import ElidedLabel, text_label
from kinet.ui.kit.over_window import whole_words
from kinet.ui.kit.part_buttons import TextButton

_WORDS = {
    "keep": "Keep as it is now",
    "restore": "Put the old content back",
    "merge": "Take back only the turn’s part",
}


class ChangedSince(Protocol):
    """A file in question."""

    @property
    def path(self) -> str:
        """As the journal names it."""
        ...

    @property
    def shown(self) -> str:
        """As a person reads it."""
        ...

    @property
    def answers(self) -> Sequence[str]:
        """keep, restore and perhaps merge."""
        ...


class UndoQuestion(QDialog):
    """Opened with `open()`. Esc changes nothing."""

    answered = Signal(dict)

    def __init__(self, files: Sequence[ChangedSince], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("undoQuestion")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Changed since")
        whole_words(self, 560)
        self.choices: dict[str, ChoiceBox] = {}
        count = len(files)
        body = text_label(
            f"{'This file was' if count == 1 else f'These {count} files were'} changed after the "
            "turn. Whatever you choose can itself be taken back."
        )
        body.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addWidget(text_label("Changed since", type="h2"))
        column.addWidget(body)
        column.addWidget(self._rows(files))
        column.addWidget(self._buttons())

    def _rows(self, files: Sequence[ChangedSince]) -> QWidget:
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        # Half for the name, half for the answer: the longer of the two would leave none for it.
        ignored, fixed = QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed
        for column in (0, 1):
            grid.setColumnStretch(column, 1)
        for row, file in enumerate(files):
            choice = ChoiceBox(f"What becomes of {file.shown}", holder)
            for answer in file.answers:
                choice.addItem(_WORDS.get(answer, answer), answer)
            # Where both sides can be kept that is what loses nothing.
            best = "merge" if "merge" in file.answers else "keep"
            choice.setCurrentIndex(choice.findData(best))
            choice.setSizePolicy(ignored, fixed)
            self.choices[file.path] = choice
            name = ElidedLabel(file.shown, holder, mode=Qt.TextElideMode.ElideMiddle)
            name.setSizePolicy(ignored, fixed)
            grid.addWidget(name, row, 0)
            grid.addWidget(choice, row, 1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(holder)
        area.setMaximumHeight(320)
        return area

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(self)
        go = TextButton("Undo", self, kind="primary")
        go.setObjectName("undoAnswerButton")
        cancel = TextButton("Cancel", self)
        cancel.setDefault(True)
        buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.addButton(go, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.rejected.connect(self.reject)
        buttons.accepted.connect(self._answer)
        return buttons

    def _answer(self) -> None:
        given = {path: str(choice.currentData()) for path, choice in self.choices.items()}
        self.accept()
        self.answered.emit(given)
