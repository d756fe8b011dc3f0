"""The deleted sessions: brought back one by one, or removed for good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any, Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.ui.kit.controls import ElidedLabel, IconButton, Line, text_label
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.kit.tasks import in_thread, spawn

_MOST_ROWS = 50


class Trash(Protocol):
    """The deleted sessions. Each act may raise StoreError with a sentence."""

    def trash(self) -> Sequence[Any]:
        """Rows with id, title and deleted (wall time), the newest first."""
        ...

    def restore(self, session_id: str) -> None:
        """Brings one back."""
        ...

    def purge(self, session_ids: Sequence[str] | None = None) -> Future[None]:
        """Removes these for good, or all; the future tells when it is done."""
        ...


class TrashView(QWidget):
    """Read when it is shown. Removing for good asks once more, on the same button."""

    changed = Signal()  # a session came back

    def __init__(self, trash: Callable[[], Trash], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trashView")
        self._trash = trash
        self.title = text_label("Trash", type="strong", parent=self)
        self.empty = TextButton("Empty the trash", self, icon_name="trash")
        self.empty.setObjectName("emptyTrashButton")
        self.empty.clicked.connect(self._empty)
        self._asked = False
        self.note = text_label("", type="meta", tone="text_3", parent=self)
        self.note.setWordWrap(True)
        self._card = QFrame(self)
        self._card.setProperty("surface", "card")
        self._list = QVBoxLayout(self._card)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addStretch(1)
        head.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.note)
        column.addWidget(self._card)

    def refresh(self) -> None:
        """Reads the trash again."""
        self._ask_again(False)
        try:
            rows = list(self._trash().trash())
        except KinetError as exc:
            self.note.setText(exc.sentence())
            return
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.empty.setEnabled(bool(rows))
        self.note.setText(_NOTE if rows else "No session is in the trash.")
        self._card.setVisible(bool(rows))
        for number, row in enumerate(rows[:_MOST_ROWS]):
            if number:
                self._list.addWidget(Line(self._card))
            self._list.addWidget(self._row(row))
        if len(rows) > _MOST_ROWS:
            more = text_label(f"{len(rows) - _MOST_ROWS:,} more", tone="text_3", parent=self._card)
            self._list.addWidget(padded(more, 12, 8, 12, 8))

    def _row(self, row: Any) -> QWidget:
        holder = QWidget(self._card)
        holder.setProperty("session", row.id)
        name = row.title or "Untitled"
        title = ElidedLabel(name, holder)
        when = datetime.fromtimestamp(row.deleted or 0.0).strftime("%Y-%m-%d %H:%M")
        back = IconButton("undo", f"Bring back: {name[:60]}", parent=holder)
        back.clicked.connect(lambda: self._restore(row.id))
        line = QHBoxLayout(holder)
        line.setContentsMargins(12, 4, 8, 4)
        line.addWidget(title, 1)
        # Takes what is left, or the time would, and stood right behind each title.
        line.addStretch(0)
        line.addWidget(text_label(when, type="meta", tone="text_3", parent=holder))
        line.addWidget(back, 0, Qt.AlignmentFlag.AlignVCenter)
        return holder

    def _restore(self, session_id: str) -> None:
        try:
            self._trash().restore(session_id)
        except KinetError as exc:
            self.note.setText(exc.sentence())
            return
        self.refresh()
        self.changed.emit()

    def _empty(self) -> None:
        if not self._asked:
            self._ask_again(True)
            return
        self._ask_again(False)
        spawn(self._remove_all(), "empty the trash")

    async def _remove_all(self) -> None:
        self.empty.setEnabled(False)
        self.note.setText("Removing…")
        try:
            await in_thread(lambda: self._trash().purge().result())
        except KinetError as exc:
            self.note.setText(exc.sentence())
            return
        self.refresh()

    def _ask_again(self, asked: bool) -> None:
        self._asked = asked
        self.empty.set_text("Remove for good?" if asked else "Empty the trash")


_NOTE = (
    "Sessions go for good with their outputs and with facts that only they support. Backups keep"
    " them until the newest seven have replaced these."
)
