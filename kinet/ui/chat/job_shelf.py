"""The shelf above the composer: what runs in the background, each with a button that ends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.ui.kit.controls import ElidedLabel, IconButton, text_label
from kinet.ui.kit.figures import seconds_words
from kinet.ui.kit.tasks import spawn

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel

ROW_HEIGHT = 32
_SHOWN = 5
_LOOK_MS = 1000


class Running(Protocol):
    """One thing that runs."""

    @property
    def id(self) -> str:
        """Tells it from the others."""
        ...

    @property
    def command(self) -> str:
        """What was started."""
        ...

    @property
    def call_id(self) -> str:
        """The step that started it."""
        ...

    @property
    def seconds(self) -> float:
        """How long it runs; 0 where that is not known."""
        ...

    @property
    def left(self) -> bool:
        """True if a command left it behind."""
        ...


class JobShelf(QWidget):
    """A row for each; hidden while nothing runs."""

    stop_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("jobShelf")
        self.setAccessibleName("Running in the background")
        self._rows: dict[str, _Row] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 4)
        self._column.setSpacing(0)
        self._more = text_label("", type="meta", tone="text_3", parent=self)
        self._more.hide()
        self.hide()

    def show_items(self, items: Sequence[Running]) -> None:
        """Shows these; rows that stay keep their focus."""
        wanted = {item.id: item for item in items[:_SHOWN]}
        for item_id in [known for known in self._rows if known not in wanted]:
            row = self._rows.pop(item_id)
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        for place, (item_id, item) in enumerate(wanted.items()):
            if item_id not in self._rows:
                row = _Row(item, self)
                row.stop.clicked.connect(lambda _=False, i=item_id: self.stop_requested.emit(i))
                self._rows[item_id] = row
            row = self._rows[item_id]
            if self._column.indexOf(row) != place:
                self._column.insertWidget(place, row)
            row.show_time(item)
        more = len(items) - len(wanted)
        self._more.setText(f"and {more} more")
        self._column.removeWidget(self._more)
        if more > 0:
            self._column.addWidget(self._more)
        self._more.setVisible(more > 0)
        self.setVisible(bool(items))

    def commands(self) -> list[str]:
        """What is shown, in order."""
        rows = sorted(self._rows.values(), key=self._column.indexOf)
        return [row.label.whole_text() for row in rows]


class _Row(QWidget):
    def __init__(self, item: Running, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedHeight(ROW_HEIGHT)
        kind = "Left running" if item.left else "Background"
        word = text_label(kind, type="meta", tone="text_3", parent=self)
        self.label = ElidedLabel(" ".join(item.command.split()), self)
        self.label.setProperty("type", "code")
        self.label.setAccessibleName(f"{kind}: {item.command[:200]}")
        self.time = text_label("", type="meta", tone="text_3", parent=self)
        self.stop = IconButton("stop", "Stop it with all it started", parent=self)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(word)
        row.addWidget(self.label, 1)
        # Takes what is left, or the labels beside would, and the command stood anywhere.
        row.addStretch(0)
        row.addWidget(self.time)
        row.addWidget(self.stop)

    def show_time(self, item: Running) -> None:
        """How long it runs."""
        self.time.setText(seconds_words(item.seconds) if item.seconds >= 1 else "")


class JobDesk(QObject):
    """Keeps the shelf of one panel up to date; looks once a second while there is a reason."""

    def __init__(self, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self.shelf = JobShelf(panel)
        panel.foot.insertWidget(0, self.shelf)
        self.shelf.stop_requested.connect(self._stop)
        self._clock = QTimer(self)
        self._clock.setInterval(_LOOK_MS)
        self._clock.timeout.connect(self.look)
        panel.runner.running_changed.connect(lambda _running: self.look())

    def look(self) -> None:
        """Shows what runs now."""
        shelf = self._source()
        items = shelf.items() if shelf is not None else []
        self.shelf.show_items(items)
        if items or self._panel.runner.running:
            if not self._clock.isActive():
                self._clock.start()
        else:
            self._clock.stop()

    def _source(self) -> Any:
        return self._panel.session.shelf if self._panel.session is not None else None

    def _stop(self, item_id: str) -> None:
        shelf = self._source()
        if shelf is not None:
            spawn(self._end(shelf, item_id), "stop a job")

    async def _end(self, shelf: Any, item_id: str) -> None:
        await shelf.stop(item_id)
        self.look()
