"""What waits to be sent, after the turn or when the person says so: rows above the composer."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from kinet.ui.kit.capped_scroll import CappedScroll
from kinet.ui.kit.controls import ElidedLabel, IconButton, draw_icon, text_label
from kinet.ui.open_session import Queued

ROW_HEIGHT = 32
# More rows than fit into this are scrolled.
_HIGHEST = 5 * ROW_HEIGHT + ROW_HEIGHT // 2
_PAUSED = "Paused. What waits follows your next message."


class QueueTray(QWidget):
    """The queue in order; each row can be steered into the turn, edited, or removed.

    Where no turn runs the queue is paused: it says so, and a row can be sent instead.
    """

    steer_requested = Signal(str)
    edit_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queueList")
        self.setAccessibleName("Queue")
        self._rows: list[_Row] = []
        self.paused = ElidedLabel(_PAUSED, self)
        self.paused.setProperty("type", "meta")
        self.paused.setProperty("tone", "text_2")
        self.paused.setContentsMargins(16, 4, 16, 2)
        inside = QWidget(self)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._scroll = CappedScroll(inside, _HIGHEST, self)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(0)
        column.addWidget(self.paused)
        column.addWidget(self._scroll)
        self.hide()

    def set_queue(
        self, queue: Iterable[Queued], steering: Iterable[Queued] = (), *, running: bool = True
    ) -> None:
        """Shows these messages, those that steer the running turn first; hidden if there are none.

        What steers can be edited and removed until the turn has taken it up.
        """
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = []
        first = list(steering)
        steering_ids = {item.id for item in first}
        for number, item in enumerate((*first, *queue), start=1):
            row = _Row(number, item, self, running=running)
            if item.id in steering_ids:
                row.steer.setEnabled(False)
                row.steer.setText("Steers the turn")
                row.steer.setToolTip("The model gets it at its next step")
            row.steer.clicked.connect(lambda _=False, i=item.id: self.steer_requested.emit(i))
            row.edit.clicked.connect(lambda _=False, i=item.id: self.edit_requested.emit(i))
            row.remove.clicked.connect(lambda _=False, i=item.id: self.remove_requested.emit(i))
            self._column.addWidget(row)
            self._rows.append(row)
        self.paused.setVisible(not running)
        self._scroll.updateGeometry()
        self.setVisible(bool(self._rows))
        self.updateGeometry()

    def texts(self) -> list[str]:
        """The texts of the rows, in order."""
        return [row.label.whole_text() for row in self._rows]


class _Row(QWidget):
    def __init__(self, number: int, item: Queued, parent: QWidget, *, running: bool) -> None:
        super().__init__(parent)
        text, is_command = item.text, item.command
        self.setFixedHeight(ROW_HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(38, 0, 8, 0)
        row.setSpacing(4)
        count = text_label(str(number), type="meta", tone="text_3", parent=self)
        count.setFixedWidth(12)
        self.label = ElidedLabel(text, self)
        self.attached = text_label(_attached_words(item), type="meta", tone="text_3", parent=self)
        self.attached.setToolTip("\n".join(one.name for one in item.attachments))
        self.attached.setVisible(bool(item.attachments))
        what = "command " if is_command else ""
        more = f", {_attached_words(item)}" if item.attachments else ""
        self.label.setAccessibleName(f"Queued {what}{number}: {text}{more}")
        self._icon = "terminal" if is_command else "steer"
        if is_command:
            self.label.setProperty("type", "code")
        act = "Steer now" if running else "Run now" if is_command else "Send now"
        self.steer = QPushButton(act, self)
        self.steer.setProperty("kind", "quiet")
        self.steer.setProperty("size", "row")
        tip = "Give this to the running turn at its next step"
        self.steer.setToolTip(tip if running else "The rest of the queue follows it")
        # A command is run when the turn has ended; the model is told of it then.
        self.steer.setVisible(not (is_command and running))
        self.edit = IconButton("edit", "Edit", parent=self)
        self.remove = IconButton("close", "Remove", parent=self)
        for button, what in (
            (self.steer, act), (self.edit, "Edit"), (self.remove, "Remove"),
        ):  # fmt: skip
            # Heard without the row around it, each has to say what it acts on.
            button.setAccessibleName(f"{what}: {text[:80]}")
        row.addWidget(count)
        row.addWidget(self.label, 1)
        row.addWidget(self.attached)
        row.addStretch(0)
        for button in (self.steer, self.edit, self.remove):
            row.addWidget(button)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_icon(painter, self._icon, "text_2", QPoint(24, self.height() // 2))
        painter.setPen(Qt.PenStyle.NoPen)


def _attached_words(item: Queued) -> str:
    """What is attached: "2 pictures"."""
    count = len(item.attachments)
    what = "picture" if all(one.is_picture for one in item.attachments) else "attachment"
    return f"{count} {what}{'' if count == 1 else 's'}"
