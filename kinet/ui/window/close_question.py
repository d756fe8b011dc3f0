"""Asks once before the window closes over work: a turn, or a command in the background."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from kinet.ui.kit.controls import ElidedLabel, text_label
from kinet.ui.kit.over_window import whole_words
from kinet.ui.kit.part_buttons import TextButton

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel

_MOST_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What closing would end. `commands` are those that run beside the turns."""

    turn: bool
    commands: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.turn or bool(self.commands)

    @property
    def title(self) -> str:
        """What goes on, in a few words."""
        if self.turn:
            return "A turn is still running"
        count = len(self.commands)
        what = "A command is" if count == 1 else f"{count} commands are"
        return f"{what} still running in the background"

    @property
    def consequence(self) -> str:
        """What becomes of it."""
        if not self.turn:
            it = "it" if len(self.commands) == 1 else "them"
            return f"Closing ends {it}, with all that was started."
        kept = (
            "Closing stops it. What it has done and said so far is kept, and the session can go "
            "on from there."
        )
        return f"{kept} These commands end too:" if self.commands else kept


def unfinished(panels: Iterable[ChatPanel]) -> Unfinished:
    """What runs in these panels now."""
    turn = False
    commands: list[str] = []
    for panel in panels:
        turn = turn or panel.runner.running
        shelf = panel.session.shelf if panel.session is not None else None
        commands += [item.command for item in shelf.items()] if shelf is not None else []
    return Unfinished(turn, tuple(commands))


class CloseQuestion(QDialog):
    """Opened with `open()`; Esc goes on with the work."""

    confirmed = Signal()

    def __init__(self, work: Unfinished, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(work.title)
        whole_words(self, 480)
        body = text_label(work.consequence)
        body.setWordWrap(True)
        stop = TextButton("Stop and quit", self, kind="danger")
        stay = TextButton("Keep working", self)
        stay.setDefault(True)
        buttons = QDialogButtonBox(self)
        buttons.addButton(stay, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.addButton(stop, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(self.confirmed)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addWidget(text_label(work.title, type="h2"))
        column.addWidget(body)
        self._list(work.commands, column)
        column.addSpacing(8)
        column.addWidget(buttons)

    def _list(self, commands: tuple[str, ...], column: QVBoxLayout) -> None:
        for command in commands[:_MOST_SHOWN]:
            line = ElidedLabel(command[:2_000], self)
            line.setProperty("type", "code")
            line.setAccessibleName(f"Runs: {command[:200]}")
            column.addWidget(line)
        if len(commands) > _MOST_SHOWN:
            more = f"and {len(commands) - _MOST_SHOWN} more"
            column.addWidget(text_label(more, type="meta", tone="text_3"))
