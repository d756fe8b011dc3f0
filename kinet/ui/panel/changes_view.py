"""What a turn changed, in the panel: the files with their counts, one file's diff, and Undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.clipboard import copy_text
from kinet.ui.kit.controls import ElidedLabel, IconButton, Line, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.panel.changes_rows import ROW, ChangesDelegate
from kinet.ui.panel.hunk_choice import HunkChoice

_LETTERS = {"A": "New", "M": "Changed", "D": "Deleted"}
_SHOWN_ROWS = 9


class ChangedFile(Protocol):
    """One file of a turn, as the journal tells it."""

    @property
    def path(self) -> str:
        """As the journal names it."""
        ...

    @property
    def shown(self) -> str:
        """As a person reads it."""
        ...

    @property
    def letter(self) -> str:
        """A, M or D."""
        ...

    @property
    def added(self) -> int:
        """Lines added."""
        ...

    @property
    def removed(self) -> int:
        """Lines removed."""
        ...

    @property
    def diff(self) -> str:
        """The unified diff."""
        ...

    @property
    def undone(self) -> bool:
        """True if it was put back."""
        ...

    @property
    def hunks(self) -> int:
        """How many can be put back one by one."""
        ...

    @property
    def partly(self) -> bool:
        """True if some of its hunks were put back."""
        ...


class ChangesView(QFrame):
    """The files of one turn. What is to be undone is asked for by signal."""

    closed = Signal()
    undo_requested = Signal(object)  # the paths; None for all
    redo_requested = Signal(object)  # the same
    hunks_requested = Signal(str, str, object)  # path, diff, numbers of its hunks

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("changesView")
        self.setAccessibleName("Changes")
        self.setProperty("surface", "side")
        self.theme = current_theme()
        self.files: tuple[ChangedFile, ...] = ()
        self.title = text_label("", type="strong", parent=self)
        self.counts = text_label("", type="meta", tone="text_2", parent=self)
        self.list = QListWidget(self)
        self.list.setObjectName("changesList")
        self.list.setAccessibleName("Changed files")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setItemDelegate(ChangesDelegate(self.list))
        self.list.currentRowChanged.connect(self._show_file)
        self.name = ElidedLabel(parent=self)
        self.name.setProperty("type", "strong")
        self.undo_file = TextButton("Undo file", self, kind="quiet", size="row", icon_name="undo")
        self.undo_file.clicked.connect(self._undo_file)
        self.hunks = HunkChoice(self)
        self.hunks.undo_requested.connect(self._undo_hunks)
        self.hunks.redo_requested.connect(self._redo_file)
        self.diff = self.hunks.diff
        self.undo_all = TextButton("Undo all", self, kind="quiet", icon_name="undo")
        self.undo_all.setObjectName("undoButton")
        self.undo_all.clicked.connect(self._undo_all)
        self.copy = TextButton("Copy patch", self, kind="quiet", icon_name="copy")
        self.copy.clicked.connect(self._copy)
        self._build()
        self.set_theme(self.theme)

    def show_files(self, files: Sequence[ChangedFile]) -> None:
        """Shows the files of a turn; the chosen one stays chosen."""
        before = self.list.currentRow()
        self.files = tuple(files)
        count = len(self.files)
        self.title.setText(f"{count:,} file{'' if count == 1 else 's'} changed")
        self.counts.setText(
            _figures(sum(file.added for file in files), sum(file.removed for file in files))
        )
        self.list.clear()
        for file in self.files:
            self.list.addItem(self._item(file))
        rows = max(1, min(count, _SHOWN_ROWS))
        self.list.setFixedHeight(rows * ROW + 8)
        all_undone = bool(files) and all(file.undone for file in files)
        self.undo_all.set_text("Redo all" if all_undone else "Undo all")
        self.undo_all.set_icon("redo" if all_undone else "undo")
        self.undo_all.setEnabled(bool(files))
        self.list.setCurrentRow(before if 0 <= before < count else 0)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.theme = theme
        self.list.viewport().update()
        self.hunks.set_theme(theme)
        for button in (self.undo_file, self.undo_all, self.copy):
            button.refresh_icon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes the panel."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """The usual width of the panel."""
        return QSize(400, 600)

    def _build(self) -> None:
        close = IconButton("close", "Close the panel", "Ctrl+J", self)
        close.clicked.connect(self.closed)
        head = _row(self.title, self.counts, None, close, height=44)
        strip = _row(self.name, self.undo_file, height=40)
        policy = QSizePolicy.Policy
        self.name.setSizePolicy(policy.Ignored, policy.Preferred)
        strip.setStretchFactor(self.name, 1)
        foot = _row(self.undo_all, self.copy, None, height=44, left=8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Line(self))
        column.addWidget(self.list)
        column.addWidget(Line(self))
        column.addLayout(strip)
        column.addWidget(Line(self))
        column.addWidget(self.hunks, 1)
        column.addWidget(Line(self))
        column.addLayout(foot)

    def _item(self, file: ChangedFile) -> QListWidgetItem:
        figures = _figures(file.added, file.removed)
        words = f"{file.letter}   {file.shown}    {figures}".rstrip()
        item = QListWidgetItem(f"{words}  · put back" if file.undone else words)
        row = (file.letter, file.shown, file.added, file.removed, file.undone)
        item.setData(Qt.ItemDataRole.UserRole, row)
        partly = ", some of it put back" if file.partly else ""
        kind = _LETTERS.get(file.letter, "Changed")
        state = "put back" if file.undone else f"{kind}{partly}"
        item.setToolTip(f"{file.shown}\n{state}")
        return item

    def _show_file(self, row: int) -> None:
        file = self.files[row] if 0 <= row < len(self.files) else None
        self.name.set_text(file.shown if file is not None else "")
        self.undo_file.setVisible(file is not None)
        undone = file is not None and file.undone
        self.undo_file.set_text("Redo file" if undone else "Undo file")
        self.undo_file.set_icon("redo" if undone else "undo")
        if file is None:
            self.hunks.show_diff("")
        else:
            self.hunks.show_diff(file.diff, file.hunks, partly=file.partly and not undone)

    @property
    def _chosen(self) -> ChangedFile | None:
        row = self.list.currentRow()
        return self.files[row] if 0 <= row < len(self.files) else None

    def _undo_file(self) -> None:
        file = self._chosen
        if file is not None and file.undone:
            self._redo_file()
        elif file is not None:
            self.undo_requested.emit([file.path])

    def _redo_file(self) -> None:
        if (file := self._chosen) is not None:
            self.redo_requested.emit([file.path])

    def _undo_hunks(self, numbers: object) -> None:
        if (file := self._chosen) is not None:
            self.hunks_requested.emit(file.path, file.diff, numbers)

    def _undo_all(self) -> None:
        if all(file.undone for file in self.files):
            self.redo_requested.emit(None)
        else:
            self.undo_requested.emit(None)

    def _copy(self) -> None:
        copy_text("".join(file.diff for file in self.files))


def _figures(added: int, removed: int) -> str:
    return " ".join(
        f"{sign}{number:,}" for sign, number in (("+", added), ("−", removed)) if number
    )


def _row(*parts: QWidget | None, height: int, left: int = 16) -> QHBoxLayout:
    """Parts side by side in a row of this height; None is room that stretches."""
    row = QHBoxLayout()
    row.setContentsMargins(left, 0, 8, 0)
    row.setSpacing(8)
    row.addStrut(height)
    for part in parts:
        if part is None:
            row.addStretch(1)
        else:
            row.addWidget(part)
    return row
