"""The tiles of the first page that need no typing: what was found, and the tour."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from kinet.ui.kit.controls import ElidedLabel, Line, repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.services import FoundModel

MOST_FOUND = 4


class Tile(QFrame):
    """A card with an icon, a title, a quiet line, and whatever the kind of tile adds below."""

    def __init__(
        self, icon_name: str, title: str, line: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("surface", "tile")
        self.setAccessibleName(title)
        self._icon_name, self._active = icon_name, False
        self._mark = QLabel(self)
        self.line = text_label(line, tone="text_2", parent=self)
        self.line.setWordWrap(True)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._mark)
        head.addWidget(text_label(title, type="strong", parent=self), 1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 14, 16, 16)
        self.column.setSpacing(4)
        self.column.addLayout(head)
        self.column.addWidget(self.line)
        self.set_theme(current_theme())

    def set_active(self, active: bool) -> None:
        """The tile in use has a border in the accent colour."""
        if active != self._active:
            self._active = active
            self.setProperty("active", active)
            repolish(self)
            self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        token = "accent" if self._active else "text_2"
        self._mark.setPixmap(theme.pixmap(self._icon_name, token, 16, self.devicePixelRatioF()))


class FoundTile(Tile):
    """Model servers and keys that are on this computer already."""

    chosen = Signal(object)
    look_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("computer", "Found on this computer", "Looking…", parent)
        self._rows: list[QWidget] = []
        self._marks: list[QLabel] = []
        self._list = QVBoxLayout()
        self._list.setContentsMargins(0, 8, 0, 0)
        self._list.setSpacing(0)
        self.again = TextButton("Look again", self, size="small", icon_name="retry")
        self.again.clicked.connect(self.look_requested)
        self.again.hide()
        self.column.addLayout(self._list)
        self.column.addStretch(1)
        self.column.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)

    def show_found(self, found: Sequence[FoundModel]) -> None:
        """Lists what was found."""
        for row in self._rows:
            row.deleteLater()
        self._rows, self._marks = [], []
        self.line.setText(
            "Nothing was sent anywhere."
            if found
            else "No model server answers on the usual ports, and no variable holds a key."
            " Start one and look again, or paste a key."
        )
        self.again.setVisible(not found)
        for item in found[:MOST_FOUND]:
            self._add(item)
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        super().set_theme(theme)
        for mark in getattr(self, "_marks", ()):
            mark.setPixmap(theme.pixmap("check", "success", 16, self.devicePixelRatioF()))

    def _add(self, item: FoundModel) -> None:
        holder = QWidget(self)
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line(holder))
        row = QHBoxLayout()
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(8)
        mark = QLabel(holder)
        mark.setFixedWidth(16)
        self._marks.append(mark)
        words = QVBoxLayout()
        words.setSpacing(0)
        title, detail = ElidedLabel(item.title, holder), _detail_label(item, holder)
        title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words.addWidget(title)
        detail.setProperty("type", "meta")
        detail.setProperty("tone", "text_2")
        words.addWidget(detail)
        row.addWidget(mark)
        row.addLayout(words, 1)
        button = self._button(item, holder)
        button.setFixedWidth(max(52, button.sizeHint().width()))
        row.addWidget(button)
        column.addLayout(row)
        self._rows.append(holder)
        self._list.addWidget(holder)

    def _button(self, item: FoundModel, parent: QWidget) -> TextButton:
        command = pull_command(item)
        if command:
            button = TextButton("Copy", parent, size="small", name=f"Copy: {command}")
            button.setToolTip(command)
            button.clicked.connect(lambda: QGuiApplication.clipboard().setText(command))
            return button
        button = TextButton("Use", parent, size="small", name=f"Use {item.title}")
        button.setEnabled(bool(item.models) or bool(item.key_env))
        button.clicked.connect(lambda: self.chosen.emit(item))
        return button


class LocalTile(Tile):
    """Leads to a model server on this computer or near it; no key is needed."""

    requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "model",
            "Local model",
            "Runs on this computer: no account, no network."
            " 8 GB of memory is enough for a small one.",
            parent,
        )
        self.button = TextButton("Connect to a server…", self)
        self.button.setObjectName("localButton")
        self.button.setToolTip("Ollama, LM Studio, llama.cpp, or another one by its address")
        self.button.clicked.connect(self.requested)
        self.column.addStretch(1)
        self.column.addSpacing(8)
        self.column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)


class TourTile(Tile):
    """Starts the guided tour."""

    requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "skill",
            "Guided tour",
            "Three minutes in a sample folder. There is no model behind it;"
            " it costs nothing and works offline.",
            parent,
        )
        self.button = TextButton("Start the tour", self, icon_name="play", token="text")
        self.button.setObjectName("tourButton")
        self.button.clicked.connect(self.requested)
        self.column.addStretch(1)
        self.column.addSpacing(8)
        self.column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        super().set_theme(theme)
        if hasattr(self, "button"):
            self.button.refresh_icon()


def _detail_label(item: FoundModel, parent: QWidget) -> QLabel:
    """One line, but whole where it names a command that is to be typed."""
    if pull_command(item):
        label = text_label(item.detail, parent=parent)
        label.setWordWrap(True)
        return label
    elided = ElidedLabel(item.detail, parent)
    elided.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return elided


def pull_command(item: FoundModel) -> str:
    """The command that gets a first model, for a server that has none and names one."""
    command = item.detail.rpartition(": ")[2]
    if item.models or item.key_env or not command.startswith("ollama "):
        return ""
    return command
