"""What a search in all conversations is narrowed to: chosen from a menu, said in a few words."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from kinet.ui.kit.controls import IconButton

_DAY = 86_400.0
_TIMES = (("Any time", 0), ("Last 24 hours", 1), ("Last 7 days", 7), ("Last 30 days", 30),
          ("Last year", 365))  # fmt: skip
_TOOLS = ("shell", "read_file", "write_file", "edit_file", "grep", "glob", "web_fetch",
          "web_search", "git_diff", "dispatch_agent")  # fmt: skip
_ANY_TOOL = "*"
# Pixels of a choice; what is longer says itself as a tooltip.
_WIDEST = 320


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Nothing is left out by the default. `days` back from now; `tool` "*" is any call."""

    folder: str = ""
    model: str = ""
    tool: str = ""
    days: int = 0
    best: bool = False

    def values(self) -> dict[str, Any]:
        """As `Sessions.search` takes it."""
        return {
            "best": self.best,
            "folder": self.folder or None,
            "model": self.model,
            "tool": self.tool,
            "since": time.time() - self.days * _DAY if self.days else None,
        }

    def words(self) -> str:
        """What is narrowed, in a few words; "" for nothing."""
        days = next(label for label, days in _TIMES if days == self.days)
        parts = [
            PurePath(self.folder).name if self.folder else "",
            self.model,
            "tools" if self.tool == _ANY_TOOL else self.tool,
            days.lower() if self.days else "",
            "best first" if self.best else "",
        ]
        return " · ".join(part for part in parts if part)


class NarrowButton(IconButton):
    """Opens the menu. `asked` wants the choices, which `open_menu` is then given."""

    asked = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("list", "Narrow the search", parent=parent)
        self.setObjectName("narrowButton")
        self.narrowing = Narrowing()
        self.menu: QMenu | None = None
        self.clicked.connect(self.asked)

    def narrow(self, narrowing: Narrowing) -> None:
        """Narrows to this, and says so."""
        if narrowing == self.narrowing:
            return
        self.narrowing = narrowing
        words = narrowing.words()
        self.set_icon("list", "accent" if words else "text_2")
        self.set_name(f"Narrow the search: {words}" if words else "Narrow the search")
        self.changed.emit()

    def open_menu(self, folders: Sequence[str], models: Sequence[str]) -> None:
        """Shows what can be chosen; it is left open, no loop waits for it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("Narrow the search")
        now = self.narrowing
        self._choice(
            menu, "Order", [("Newest first", False), ("Best first", True)], now.best,
            lambda value: replace(self.narrowing, best=value),
        )  # fmt: skip
        self._choice(
            menu, "Time", list(_TIMES), now.days, lambda value: replace(self.narrowing, days=value)
        )
        self._choice(
            menu, "Folder", [("Any folder", ""), *((item, item) for item in folders)],
            now.folder, lambda value: replace(self.narrowing, folder=value),
        )  # fmt: skip
        self._choice(
            menu, "Model", [("Any model", ""), *((item, item) for item in models)], now.model,
            lambda value: replace(self.narrowing, model=value),
        )  # fmt: skip
        tools = [("Messages and tools", ""), ("Any tool", _ANY_TOOL), *((t, t) for t in _TOOLS)]
        self._choice(
            menu, "Tool", tools, now.tool, lambda value: replace(self.narrowing, tool=value)
        )
        menu.addSeparator()
        clear = menu.addAction("Search everywhere", lambda: self.narrow(Narrowing()))
        clear.setEnabled(now != Narrowing())
        self.menu = menu
        menu.destroyed.connect(self._forget)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _choice(
        self,
        menu: QMenu,
        title: str,
        choices: Sequence[tuple[str, Any]],
        chosen: Any,
        make: Callable[[Any], Narrowing],
    ) -> None:
        inner = menu.addMenu(title)
        inner.setToolTipsVisible(True)
        metrics = inner.fontMetrics()
        group = QActionGroup(inner)
        for label, value in choices:
            shown = metrics.elidedText(label, Qt.TextElideMode.ElideMiddle, _WIDEST)
            action = QAction(shown.replace("&", "&&"), inner, checkable=True)
            action.setToolTip(label)
            action.setChecked(value == chosen)
            action.triggered.connect(lambda _checked=False, v=value: self.narrow(make(v)))
            group.addAction(action)
            inner.addAction(action)

    def _forget(self) -> None:
        self.menu = None
