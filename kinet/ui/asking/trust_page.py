"""The question about a folder: what it brings along, all of it readable, and three answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.asking.approval_words import home_short
from kinet.ui.diff.diff_view import DiffView
from kinet.ui.kit.code_lines import CodeLines
from kinet.ui.kit.column_room import keep_column
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme, current_theme

_WIDTH = 720
_HIGHEST_TEXT = 320


class FolderContent(Protocol):
    """What a folder brings along."""

    @property
    def folder(self) -> Path:
        """Its real path."""
        ...

    @property
    def texts(self) -> Mapping[str, str]:
        """Name to text, exactly as a model would get it."""
        ...

    @property
    def skills(self) -> Sequence[str]:
        """A line for each skill."""
        ...

    @property
    def servers(self) -> Sequence[tuple[str, str]]:
        """Name and whole command line."""
        ...

    @property
    def programs(self) -> Sequence[tuple[str, str]]:
        """Key and program of its git configuration."""
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know, hidden characters among it."""
        ...


class TrustQuestion(Protocol):
    """What is asked; `changes` is a diff if the folder was trusted before."""

    @property
    def content(self) -> FolderContent:
        """What trusting would switch on."""
        ...

    @property
    def changes(self) -> str:
        """A unified diff, "" if it was never trusted."""
        ...


class TrustPage(QWidget):
    """Asks once. `answered` comes with True for trust, False for opening without."""

    answered = Signal(bool)
    other_folder_requested = Signal()

    def __init__(self, question: TrustQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trustPage")
        self.question = question
        self._texts: list[DiffView] = []
        inside = QWidget(self)
        inside.setObjectName("trustInside")
        inside.setMaximumWidth(_WIDTH)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 24, 0, 24)
        self._column.setSpacing(8)
        self._say(question)
        self._column.addStretch(1)
        holder = QWidget(self)
        holder.setObjectName("trustHolder")
        middle = QHBoxLayout(holder)
        middle.addStretch(1)
        middle.addWidget(inside, 1000)
        middle.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(holder)
        keep_column(area, middle, 24)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(area, 1)
        outer.addWidget(self._foot())
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        family = theme.font("code", mono=True).family()
        self.setStyleSheet(
            "QScrollArea, QWidget#trustHolder, QWidget#trustInside { background: transparent; }"
            f"QPlainTextEdit#trustText {{ background: {theme.color('code')};"
            f" border: 1px solid {theme.color('border')}; border-radius: 8px;"
            f' font-family: "{family}"; }}'
            f"QPlainTextEdit#trustText:focus {{ padding: 3px 7px;"
            f" border: {theme.ring}px solid {theme.color('focus')}; }}"
        )
        for text in self._texts:
            text.set_theme(theme)

    def _say(self, question: TrustQuestion) -> None:
        content = question.content
        changed = bool(question.changes)
        title = "This folder changed since you trusted it" if changed else "Trust this folder?"
        self._add(title, type="page")
        self._add(spell_out(home_short(str(content.folder))).text, type="code")
        self._add(
            "What is listed here steers the assistant or starts programs. Nothing of it is used "
            "before you say so. Settings, keys and permissions can never come from a folder.",
            tone="text_2",
        )
        for warning in content.warnings:
            self._add(f"! {spell_out(warning).text}", type="meta", tone="warning")
        if changed:
            self._add("What changed", type="strong")
            self._show_diff(question.changes)
        for name, text in content.texts.items():
            lines = len(text.rstrip("\n").split("\n"))
            shown = f"{spell_out(name).text} · {lines:,} line{'' if lines == 1 else 's'}"
            self._add(shown, type="strong")
            self._show_text(name, text)
        self._list("Skills", content.skills)
        self._list(
            "Tool servers it names, each with its whole command line",
            [f"{n}: {c}" for n, c in content.servers],
        )
        self._list(
            "Programs named in .git/config (Kinet never lets git run them)",
            [f"{key} = {program}" for key, program in content.programs],
        )

    def _foot(self) -> QWidget:
        foot = QWidget(self)
        self.trust = TextButton("Trust this folder", foot, kind="")
        self.trust.setObjectName("trustButton")
        self.trust.clicked.connect(lambda: self.answered.emit(True))
        self.without = TextButton("Open without these", foot)
        self.without.setObjectName("openWithoutTrustButton")
        self.without.clicked.connect(lambda: self.answered.emit(False))
        other = TextButton("Choose another folder…", foot, kind="quiet")
        other.setObjectName("otherFolderButton")
        other.clicked.connect(self.other_folder_requested)
        buttons = QWidget(foot)
        buttons.setMaximumWidth(_WIDTH)
        column = QVBoxLayout(buttons)
        column.setContentsMargins(0, 8, 0, 12)
        row = WrappingRow()
        for button in (self.trust, self.without, other):
            row.addWidget(button)
        column.addLayout(row)
        middle = QHBoxLayout(foot)
        middle.setContentsMargins(24, 0, 24, 0)
        middle.addStretch(1)
        middle.addWidget(buttons, 1000)
        middle.addStretch(1)
        return foot

    def _add(self, words: str, *, type: str = "", tone: str = "") -> None:
        if type == "code":
            self._column.addWidget(CodeLines(words, self))
            return
        label = text_label(words, type=type, tone=tone, parent=self)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._column.addWidget(label)

    def _list(self, title: str, lines: Sequence[str]) -> None:
        if lines:
            self._add(title, type="strong")
            for line in lines:
                self._add(spell_out(line).text, type="code")

    def _show_text(self, name: str, text: str) -> None:
        """The whole text, wrapped, so that nothing hides far to the right."""
        box = QPlainTextEdit(self)
        box.setObjectName("trustText")
        box.setReadOnly(True)
        box.setAccessibleName(f"Text of {name}")
        box.setPlainText(spell_out(text).text)
        rows = sum(1 + len(line) // 80 for line in text.rstrip("\n").split("\n")[:40])
        box.setFixedHeight(min(_HIGHEST_TEXT, rows * 20 + 40))
        self._column.addWidget(box)

    def _show_diff(self, diff: str) -> None:
        view = DiffView(self)
        view.show_diff(diff)
        view.setFixedHeight(min(_HIGHEST_TEXT, max(40, view.content_height() + 12)))
        self._texts.append(view)
        self._column.addWidget(view)
