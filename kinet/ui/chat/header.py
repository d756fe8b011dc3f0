"""The head of the chat: title, folder, and the buttons of the session on screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from kinet.ui.kit.controls import (
    ElidedLabel,
    IconButton,
    PaintedButton,
    draw_icon,
    line_room,
)
from kinet.ui.look.theme import current_theme

HEIGHT = 44
_LETTERS = 9  # of a folder are read at least
_WIDEST = 320


class ChatHeader(QWidget):
    """Title and folder of a session; asks for things by signal."""

    sidebar_requested = Signal()
    folder_requested = Signal()
    find_requested = Signal()
    panel_toggled = Signal(bool)
    more_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.sidebar_button = IconButton("sidebar", "Show the sidebar", "Ctrl+B", self)
        self.title = ElidedLabel("", self)
        self.title.setProperty("type", "strong")
        self.folder = FolderChip(self)
        self.find_button = IconButton("search", "Find in this session", "Ctrl+F", self)
        self.panel_button = IconButton("panel", "Show the step panel", "Ctrl+J", self)
        self.panel_button.setCheckable(True)
        self.more_button = IconButton("more", "More", parent=self)
        self.more_button.setObjectName("moreButton")
        self.menu: QMenu | None = None
        self._row = QHBoxLayout()
        self._build()
        self.sidebar_button.clicked.connect(self.sidebar_requested)
        self.folder.clicked.connect(self.folder_requested)
        self.find_button.clicked.connect(self.find_requested)
        self.panel_button.clicked.connect(self.panel_toggled)
        self.more_button.clicked.connect(self.more_requested)
        self.show_sidebar_button(False)

    def set_title(self, title: str) -> None:
        """The session's title."""
        self.title.set_text(title)

    def set_folder(self, folder: Path | None) -> None:
        """The folder the session works on."""
        self.folder.set_folder(folder)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, HEIGHT - 1, self.width(), 1, current_theme().qcolor("border"))

    def show_sidebar_button(self, shown: bool) -> None:
        """Offers the sidebar where it is away."""
        self.sidebar_button.setVisible(shown)
        self._row.setContentsMargins(10 if shown else 24, 0, 8, 0)

    def show_tools(self, shown: bool) -> None:
        """Offers what acts on a conversation where there is one."""
        self.find_button.setVisible(shown)
        self.panel_button.setVisible(shown)

    def set_panel_open(self, opened: bool) -> None:
        """Marks the panel button."""
        self.panel_button.setChecked(opened)
        name = "Hide the step panel" if opened else "Show the step panel"
        self.panel_button.set_name(name, "Ctrl+J")

    def open_more(self, groups: Sequence[Sequence[QAction]]) -> None:
        """Shows these commands under the last button; no loop waits for a choice."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("More")
        for group in groups:
            menu.addSeparator()
            menu.addActions(group)
        self.menu = menu
        menu.destroyed.connect(self._forget_menu)
        button = self.more_button
        corner = button.mapToGlobal(button.rect().bottomRight())
        menu.popup(corner - QPoint(menu.sizeHint().width(), -4))

    def _forget_menu(self) -> None:
        self.menu = None

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 1)
        column.setSpacing(0)
        self._row.setSpacing(4)
        self._row.addWidget(self.sidebar_button)
        self._row.addSpacing(0)
        self._row.addWidget(self.title)
        self._row.addSpacing(8)
        self._row.addWidget(self.folder)
        self._row.addStretch(1)
        self._row.addWidget(self.find_button)
        self._row.addWidget(self.panel_button)
        self._row.addWidget(self.more_button)
        column.addLayout(self._row)


class FolderChip(PaintedButton):
    """The working folder on a quiet surface; a click chooses another one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_folder(None)

    def set_folder(self, folder: Path | None) -> None:
        """Shows `folder`, short; None offers to choose one."""
        self.setText(short_path(folder) if folder else "Choose a folder…")
        where = f"Working folder: {folder}" if folder else "No working folder"
        self.setToolTip(f"{where}\nClick to choose another one (Ctrl+O)")
        self.setAccessibleName(where)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(current_theme().font("meta"))
        words = metrics.horizontalAdvance(self._words(metrics, _WIDEST - 39))
        return QSize(min(_WIDEST, words + 39), line_room("meta", 24))

    def minimumSizeHint(self) -> QSize:
        """The icon and a few letters: a title beside it gives way before that."""
        letters = _LETTERS * QFontMetrics(current_theme().font("meta")).averageCharWidth()
        return QSize(min(self.sizeHint().width(), 39 + letters), line_room("meta", 24))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        self.paint_surface(painter, self.surface() or "subtle", 4)
        draw_icon(painter, "folder", "text_2", QPoint(16, self.height() // 2))
        font = theme.font("meta")
        painter.setFont(font)
        painter.setPen(theme.qcolor("text_2"))
        area = QRect(30, 0, self.width() - 38, self.height())
        metrics, room = QFontMetrics(font), max(0, area.width() + 1)
        words = self._words(metrics, room)
        text = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _words(self, metrics: QFontMetrics, room: int) -> str:
        """Where it lies goes before what it is called."""
        words = self.text()
        fits = metrics.horizontalAdvance(words) <= room
        return words if fits else words.rpartition("/")[2] or words


def short_path(folder: Path) -> str:
    """The folder with the person's own home as "~"; elsewhere its last two names."""
    try:
        relative = folder.relative_to(Path.home())
    except ValueError:
        parts = folder.parts
        return str(folder) if len(parts) <= 3 else f"…/{'/'.join(parts[-2:])}"
    return "~" if not relative.parts else f"~/{relative.as_posix()}"
