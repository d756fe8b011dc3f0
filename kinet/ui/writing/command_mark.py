"""Says above the text that it is a command, where it runs, and who hears of it; a way out too."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QTextEdit, QWidget

from kinet.core.own_command import OwnCommand
from kinet.ui.kit.announce import announce
from kinet.ui.kit.controls import ElidedLabel, draw_icon
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import current_theme
from kinet.ui.writing.chip_rows import CHIP_HEIGHT
from kinet.ui.writing.composer_edit import take_font

_WORD = "Command"
_SIDE, _ICON = 8, 14


class CommandMark(QWidget):
    """Shown while the text is a command. `as_text` asks to make a message of it."""

    as_text = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("commandMark")
        self._command: OwnCommand | None = None
        self._where = ""
        self._waits = False
        self.chip = _Chip(self)
        self.words = ElidedLabel("", self)
        self.words.setProperty("type", "meta")
        self.words.setProperty("tone", "text_3")
        self.button = TextButton(
            "Send as text", self, kind="link", size="row", name="Send as text instead"
        )
        self.button.setToolTip("Puts a blank before the “!”, which makes a message of it")
        self.button.clicked.connect(self.as_text)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.chip)
        row.addWidget(self.words, 1)
        row.addStretch(0)
        row.addWidget(self.button)
        self.hide()

    def set_command(self, command: OwnCommand | None) -> None:
        """What the text is now, None for a message; said aloud when that changes."""
        before = self._command
        self._command = command
        if (before is None) == (command is None) and (
            before is None or command is None or before.private == command.private
        ):
            return
        self.setVisible(command is not None)
        self._tell()
        if command is None:
            announce(self, "A message again")
        else:
            announce(self, f"{_WORD}: {self.words.whole_text()}")

    def set_place(self, folder: Path | None, begins: Path | None, *, waits: bool) -> None:
        """Where a command would run: the session's folder, None for none, and the place it begins.

        `waits`: only when the turn has ended.
        """
        where = _where(folder, begins)
        if (where, waits) != (self._where, self._waits):
            self._where, self._waits = where, waits
            self._tell()

    def restyle(self) -> None:
        """Takes on another size of text."""
        self.chip.updateGeometry()
        self.update()

    def _tell(self) -> None:
        if not self._where:
            self.words.set_text("needs a folder; choose one first")
            return
        private = self._command is not None and self._command.private
        heard = "kept from the model" if private else "the model hears what it prints"
        when = ", when the turn has ended" if self._waits else ""
        # What is cut off where there is no room is what matters least.
        self.words.set_text(f"{heard}; runs in {self._where}{when}")


def mark_field(edit: QTextEdit, is_command: bool) -> None:
    """The field is called what it holds, and a command in it looks like one."""
    if bool(edit.property("command")) == is_command:
        return
    edit.setAccessibleName(_WORD if is_command else "Message")
    # The style sheet has the last word on the family of its letters.
    edit.setProperty("command", is_command)
    edit.style().polish(edit)
    take_font(edit)


def make_message(edit: QTextEdit) -> None:
    """A blank before the mark makes a message of the command; the caret stays where it was."""
    QTextCursor(edit.document()).insertText(" ")
    edit.setFocus(Qt.FocusReason.OtherFocusReason)


def _where(folder: Path | None, begins: Path | None) -> str:
    """The place in few words: by its name, with the way down from there, or whole if outside."""
    if folder is None:
        return ""
    name = folder.name or str(folder)
    root = Path(os.path.realpath(folder))
    if begins is None or begins in (folder, root):
        return name
    if begins.is_relative_to(root):
        return f"{name}/{begins.relative_to(root).as_posix()}"
    return str(begins)


class _Chip(QWidget):
    """The word with its icon on a tint: never colour alone."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(_WORD)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        word = QFontMetrics(current_theme().font("meta")).horizontalAdvance(_WORD)
        return QSize(_SIDE + _ICON + 6 + word + _SIDE, CHIP_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.qcolor("accent_tint"))
        painter.drawRoundedRect(self.rect(), 4, 4)
        middle = QPoint(_SIDE + _ICON // 2, self.height() // 2)
        draw_icon(painter, "terminal", "accent", middle, _ICON)
        painter.setFont(theme.font("meta"))
        painter.setPen(theme.qcolor("accent"))
        left = _SIDE + _ICON + 6
        room = QRect(left, 0, self.width() - left, self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, _WORD)
