"""The panel that shows a step whole: its output, its input, its changes, and what the model got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.theme import Theme

if TYPE_CHECKING:
    from kinet.ui.steps import StepRecord


class StepDetail(QWidget):
    """One step. The owner decides which; previous and next are asked for by signal."""

    closed = Signal()
    previous_requested = Signal()
    next_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepDetail")
        self._record: StepRecord | None = None
        self._progress: list[str] = []

    def show_step(self, record: StepRecord, place: str = "") -> None:
        """Shows the step; `place` says where it stands ("step 4 of 6")."""
        self._record = record

    def append_progress(self, call_id: str, text: str) -> None:
        """Adds output of the step while it runs; ignored for another one."""
        self._progress.append(text)

    def full_text(self) -> str:
        """The whole output, exactly as the tool gave it."""
        return self._record.content if self._record is not None else ""

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
