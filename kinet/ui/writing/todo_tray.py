"""The steps the agent has noted down, above the composer: one line that opens to the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPoint, QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kinet.core.events import Event, ToolFinished, TurnStarted
from kinet.ui.kit.capped_scroll import CappedScroll
from kinet.ui.kit.controls import BUTTON, ElidedLabel, IconButton, draw_icon, text_label
from kinet.ui.kit.long_words import breakable
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme

_MARKS = {"done": "✓", "doing": "▸", "open": "○"}
_WORDS = {"done": "done", "doing": "being done", "open": "not begun"}
# Longer lists are scrolled.
_HIGHEST = 200


class TodoTray(QWidget):
    """Shows the newest list of the session; hidden where there is none, or all of it was done."""

    opened = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("todoList")
        self.setAccessibleName("Steps of the task")
        self._items: list[tuple[str, str]] = []
        self._line = ElidedLabel("", self)
        policy = QSizePolicy.Policy
        self._line.setSizePolicy(policy.Ignored, policy.Preferred)
        self._toggle = IconButton("chevron-up", "Show all steps", parent=self)
        self._toggle.setObjectName("todoToggle")
        inside = QWidget(self)
        self._rows = QVBoxLayout(inside)
        self._rows.setContentsMargins(0, 0, 0, 4)
        self._rows.setSpacing(4)
        self._list = CappedScroll(inside, _HIGHEST, self)
        self._toggle.clicked.connect(lambda: self.set_open(self._list.isHidden()))
        head = QHBoxLayout()
        head.setContentsMargins(40, 2, 8, 2)
        head.addWidget(self._line, 1)
        head.addWidget(self._toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._list)
        self._list.hide()
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.qcolor("border"))
        painter.setBrush(theme.qcolor("canvas"))
        tray = QRectF(0.5, 0.5, self.width() - 1, self.height() - 9)
        painter.drawRoundedRect(tray, 8, 8)
        draw_icon(painter, "list", "text_2", QPoint(24, 2 + BUTTON // 2))

    def restore(self, events: Sequence[Event]) -> None:
        """Takes in a saved conversation: its newest list and what came after it."""
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
        self._toggle.set_icon("chevron-down" if is_open else "chevron-up")
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
        for text, state in items:
            self._rows.addWidget(_Row(text, state))
        self._list.updateGeometry()
        self._line.set_text(self.summary() if items else "")
        self.setVisible(bool(items))


class _Row(QWidget):
    """One step: its mark, its words, and for those who hear it its state."""

    def __init__(self, text: str, state: str) -> None:
        super().__init__()
        self._state = state
        tone = "text_3" if state == "done" else "text" if state == "doing" else "text_2"
        # A long path or address must not make all steps wider than the tray.
        label = text_label(
            breakable(text), type="strong" if state == "doing" else "", tone=tone, parent=self
        )
        label.setWordWrap(True)
        # As narrow as the tray is, whatever Qt would like for its words.
        label.setMinimumWidth(1)
        label.setAccessibleName(f"{text}: {_WORDS[state]}")
        row = QHBoxLayout(self)
        row.setContentsMargins(40, 0, 16, 0)
        row.addWidget(label)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle = QPoint(24, min(self.height(), current_theme().line_height("ui")) // 2)
        if self._state == "open":
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().qcolor("text_3"), 1.5))
            painter.drawEllipse(middle, 4, 4)
            return
        name, token = ("check", "success") if self._state == "done" else ("running", "accent")
        draw_icon(painter, name, token, middle)


def _items(details: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Text and state of each step; whatever has another form is left out."""
    found = details.get("items")
    out = []
    for item in found if isinstance(found, list | tuple) else ():
        if isinstance(item, Mapping) and item.get("state") in _MARKS:
            text = " ".join(spell_out(str(item.get("text", ""))).text.split())
            out.append((text[:500], str(item["state"])))
    return out
