"""A diff whose hunks are chosen one by one."""

from __future__ import annotations

import re

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from kinet.ui.diff.diff_view import DiffView
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.segments import Segments
from kinet.ui.look.theme import Theme

# With more, nobody would choose one by one; the diff is then shown in one piece.
MOST_HUNKS = 30
_HIGHEST_HUNK = 280
# Value and word: what becomes of a hunk that is chosen, and of one that is not.
Pair = tuple[tuple[str, str], tuple[str, str]]
ACCEPT: Pair = (("accept", "Accept"), ("skip", "Skip"))
_HEAD = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")


def split_hunks(diff: str) -> list[str]:
    """One whole diff per hunk, all with the file's own head."""
    lines = diff.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    starts = [number for number, line in enumerate(lines) if line.startswith("@@ ")]
    head = lines[: starts[0]] if starts else []
    ends = [*starts[1:], len(lines)]
    return [
        "\n".join([*head, *lines[start:end]]) + "\n"
        for start, end in zip(starts, ends, strict=True)
    ]


class HunkList(QWidget):
    """All hunks of a change below each other; at first all are chosen, or none."""

    changed = Signal()

    def __init__(
        self,
        diff: str,
        parent: QWidget | None = None,
        *,
        choices: Pair = ACCEPT,
        chosen: bool = True,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hunkList")
        self.hunks = [
            Hunk(number, text, choices, chosen, self)
            for number, text in enumerate(split_hunks(diff), start=1)
        ]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for hunk in self.hunks:
            hunk.changed.connect(self.changed)
            column.addWidget(hunk)

    @property
    def accepted(self) -> tuple[int, ...]:
        """Numbers of the chosen hunks, from 1."""
        return tuple(hunk.number for hunk in self.hunks if hunk.is_chosen)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        for hunk in self.hunks:
            hunk.set_theme(theme)


class Hunk(QFrame):
    """One hunk under a head with its choice."""

    changed = Signal()

    def __init__(
        self, number: int, diff: str, choices: Pair, chosen: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"hunk_{number}")
        self.number = number
        found = _HEAD.search(diff)
        name = f"Hunk {number} · line {found.group(1) if found else '?'}"
        self.choice = Segments(choices, name, self)
        self._value = choices[0][0]
        self.choice.choose(choices[0 if chosen else 1][0])
        self.choice.chosen.connect(lambda _value: self.changed.emit())
        self.view = DiffView(self)
        self.view.show_diff(diff, heads=False)
        self.view.setAccessibleName(name)
        self.view.horizontalScrollBar().rangeChanged.connect(lambda *_: self._fit())
        self._fit()
        self._head = QFrame(self)
        self._head.setObjectName("hunkHead")
        self._head.setFixedHeight(36)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(12, 0, 12, 0)
        row.addWidget(text_label(name, type="meta", tone="text_2", parent=self._head))
        row.addStretch(1)
        row.addWidget(self.choice)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self.view)

    @property
    def is_chosen(self) -> bool:
        """True if it is one of those that are meant."""
        return self.choice.value == self._value

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self._head.setStyleSheet(
            f"QFrame#hunkHead {{ background: {theme.color('subtle')}; border: 0;"
            f" border-bottom: 1px solid {theme.color('border')}; }}"
        )
        self.choice.set_theme(theme)
        self.view.set_theme(theme)
        self._fit()

    def _fit(self) -> None:
        bar = 12 if self.view.horizontalScrollBar().maximum() > 0 else 0
        height = self.view.content_height() + bar
        self.view.setFixedHeight(min(_HIGHEST_HUNK, max(20, height)))
