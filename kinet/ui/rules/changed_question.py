"""Asks what becomes of a text that somebody else changed on the disk meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from kinet.ui.diff.diff_view import DiffView
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.over_window import fit_over
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import current_theme


class ChangedQuestion(QDialog):
    """Opened with `open()`. `answered` carries both, mine or theirs; Esc changes nothing.

    `diff` is what changed on the disk; `joinable` says that both changes can be kept.
    """

    answered = Signal(str)

    def __init__(self, name: str, diff: str, *, joinable: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("changedQuestion")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"{name} was changed meanwhile")
        body = text_label(
            f"Another program changed {name} while you wrote. This is its change; nothing was "
            "written yet."
            + ("" if joinable else " Both changes touch the same lines, so one has to be chosen.")
        )
        body.setWordWrap(True)
        view = DiffView(self)
        view.show_diff(diff)
        view.set_theme(current_theme())
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 20)
        column.setSpacing(12)
        column.addWidget(text_label(self.windowTitle(), type="h2"))
        column.addWidget(body)
        column.addWidget(view, 1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.buttons: dict[str, TextButton] = {}
        offers = [("theirs", "Take theirs"), ("mine", "Keep mine")]
        if joinable:
            offers.append(("both", "Keep both"))
        for value, word in offers:
            button = TextButton(word, self, kind="primary" if value == "both" else "")
            button.setObjectName(f"changed_{value}")
            button.clicked.connect(lambda _=False, chosen=value: self._answer(chosen))
            self.buttons[value] = button
            row.addWidget(button)
        cancel = TextButton("Cancel", self)
        cancel.clicked.connect(self.reject)
        row.insertWidget(1, cancel)
        column.addLayout(row)

    def showEvent(self, event: QShowEvent) -> None:
        """Never larger than the window below."""
        super().showEvent(event)
        parent = self.parentWidget()
        fit_over(self, parent.window() if parent is not None else None, QSize(640, 480))

    def _answer(self, chosen: str) -> None:
        self.accept()
        self.answered.emit(chosen)
