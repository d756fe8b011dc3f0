"""The steps the agent has noted down, above the composer: one line that opens to the list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from kinet.core.events import Event, ToolFinished, TurnStarted
from kinet.ui.kit.controls import ElidedLabel, IconButton, text_label
from kinet.ui.kit.visible_text import spell_out

_MARKS = {"done": "✓", "doing": "▸", "open": "○"}


class TodoTray(QWidget):
    """Shows the newest list of the session; hidden where there is none, or all of it was done."""

    opened = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("todoList")
        self.setAccessibleName("Steps of the task")
        self._items: list[tuple[str, str]] = []
        self._line = ElidedLabel("", self)
        self._list = QWidget(self)
        self._toggle = IconButton("chevron-up", "Show all steps", parent=self)
        self._toggle.setObjectName("todoToggle")
        self._toggle.clicked.connect(lambda: self.set_open(self._list.isHidden()))
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(16, 0, 0, 4)
        self._rows.setSpacing(2)
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.addWidget(self._line, 1)
        head.addWidget(self._toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._list)
        self._list.hide()
        self.hide()

    def restore(self, events: Iterable[Event]) -> None:
        """Takes in a saved conversation."""
        self._show([])
        for event in events:
            self.take(event)

    def take(self, event: Event) -> None:
        """Takes in what happened."""
        if isinstance(event, ToolFinished) and event.name == "todo" and not event.parent:
            if not event.is_error:
                self._show(_items(event.details))
        elif isinstance(event, TurnStarted) and self._is_done():
            self._show([])

    def set_open(self, is_open: bool) -> None:
        """Shows or hides the whole list."""
        self._list.setVisible(is_open)
        self._toggle.set_name("Hide the steps" if is_open else "Show all steps")
        self.updateGeometry()
        self.opened.emit(is_open)

    def texts(self) -> list[str]:
        """The steps with their marks, in order."""
        return [f"{_MARKS[state]} {text}" for text, state in self._items]

    def summary(self) -> str:
        """The line that is always seen."""
        done = sum(state == "done" for _, state in self._items)
        current = next((text for text, state in self._items if state == "doing"), "")
        line = f"{done} of {len(self._items)} steps done"
        return f"{line} · {current}" if current else line

    def _is_done(self) -> bool:
        return all(state == "done" for _, state in self._items)

    def _show(self, items: list[tuple[str, str]]) -> None:
        if items == self._items:
            return
        self._items = items
        while (row := self._rows.takeAt(0)) is not None:
            widget = row.widget()
            if widget is not None:
                widget.deleteLater()
        for (_, state), text in zip(items, self.texts(), strict=True):
            label: QLabel = text_label(
                text, type="meta", tone="text_3" if state == "done" else "", parent=self._list
            )
            label.setWordWrap(True)
            self._rows.addWidget(label)
        self._line.set_text(self.summary() if items else "")
        self.setVisible(bool(items))


def _items(details: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Text and state of each step; whatever has another form is left out."""
    found = details.get("items")
    out = []
    for item in found if isinstance(found, list | tuple) else ():
        if isinstance(item, Mapping) and item.get("state") in _MARKS:
            text = " ".join(spell_out(str(item.get("text", ""))).text.split())
            out.append((text[:500], str(item["state"])))
    return out
