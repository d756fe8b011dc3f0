"""What stands in a window that could not be put together, or has nothing to show."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from kinet.ui.frame.first_picture import first_colors
from kinet.ui.look.tokens import Mode


class UnbuiltPage(QWidget):
    """Made of plain parts alone: whatever failed may be what all others are made of."""

    again = Signal()
    left = Signal()

    def __init__(self, mode: Mode, title: str, words: str) -> None:
        super().__init__()
        self.setObjectName("unbuiltPage")
        colors = first_colors(mode)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setStyleSheet(
            f"QWidget#unbuiltPage {{ background: {colors['canvas']}; }}"
            f" QLabel {{ color: {colors['text']}; background: transparent; }}"
            " QLabel#unbuiltTitle { font-size: 20px; font-weight: 600; }"
            f" QPushButton {{ color: {colors['text']}; background: {colors['raised']};"
            f" border: 1px solid {colors['control_border']}; border-radius: 6px;"
            " padding: 6px 14px; }"
            f" QPushButton:focus {{ border: 2px solid {colors['focus']}; padding: 5px 13px; }}"
        )
        head = QLabel(title, self)
        head.setObjectName("unbuiltTitle")
        head.setWordWrap(True)
        self.words = QLabel(words, self)
        self.words.setObjectName("unbuiltWords")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._again = QPushButton("Try again", self)
        self._again.setObjectName("buildAgainButton")
        self._again.clicked.connect(self.again)
        quit_button = QPushButton("Quit", self)
        quit_button.setObjectName("quitUnbuiltButton")
        quit_button.clicked.connect(self.left)
        for button in (self._again, quit_button):
            # Outside a dialog only such a button is pressed by Enter too.
            button.setAutoDefault(True)
        row = QHBoxLayout()
        row.addWidget(self._again)
        row.addWidget(quit_button)
        row.addStretch(1)
        holder = QWidget(self)
        holder.setMaximumWidth(640)
        inner = QVBoxLayout(holder)
        inner.setSpacing(16)
        inner.addWidget(head)
        inner.addWidget(self.words)
        inner.addLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(48, 48, 48, 48)
        column.addStretch(1)
        column.addWidget(holder)
        column.addStretch(2)

    def take_focus(self) -> None:
        """The way on is what Enter presses."""
        self._again.setFocus(Qt.FocusReason.OtherFocusReason)


def unbuilt_page(mode: Mode, reason: str, home: Path, typed: str) -> UnbuiltPage:
    """For parts that could not be made."""
    words = (
        f"{reason}.\n\n"
        "Your sessions and settings were not touched. Try again; if it stays so, install Kinet"
        f" anew, or work without the window: kinet run. The log in {home / 'logs'} says more."
    )
    return UnbuiltPage(mode, "Kinet's window could not be put together", words + _kept(typed))


def unread_page(mode: Mode, problem: str, typed: str) -> UnbuiltPage:
    """For sessions and settings that could not be opened: `problem` says why and what to do."""
    return UnbuiltPage(mode, "Kinet cannot open its sessions", problem + _kept(typed))


def _kept(typed: str) -> str:
    return f"\n\nWhat you typed: {typed}" if typed else ""
