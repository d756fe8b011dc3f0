"""Sidebar, chat and step panel side by side; in a narrow window the outer two lie on top."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from kinet.ui.frame.window_geometry import (
    PANEL_MIN,
    PANEL_OVERLAYS_BELOW,
    PANEL_WIDTH,
    SIDEBAR_MAX,
    SIDEBAR_MIN,
    SIDEBAR_OVERLAYS_BELOW,
    SIDEBAR_WIDTH,
    sidebar_room,
)
from kinet.ui.kit.controls import Line
from kinet.ui.look.theme import current_theme

_HANDLE = 7


class WindowFrame(QWidget):
    """Places the three parts by hand: a splitter knows no overlay."""

    layout_changed = Signal()
    panel_closed = Signal()

    def __init__(self, sidebar: QWidget, chat: QWidget, panel: QWidget) -> None:
        super().__init__()
        self.sidebar, self.chat, self.panel = sidebar, chat, panel
        self._sidebar_width, self._panel_width = SIDEBAR_WIDTH, PANEL_WIDTH
        self._sidebar_wanted, self._panel_wanted = True, False
        self._sidebar_room = SIDEBAR_WIDTH  # as it was placed last
        # In a narrow window the sidebar is away until asked for, whatever it is in a wide one.
        self._sidebar_over = False
        self._scrim = _Scrim(self)
        self._lines = (Line(self, vertical=True), Line(self, vertical=True))
        self._handles = (_Handle(self, -1), _Handle(self, 1))
        # In this order, and by these names, a screen reader finds them.
        for part, name in ((sidebar, "Sidebar"), (chat, "Session"), (panel, "Step panel")):
            part.setParent(self)
            part.setAccessibleName(name)
        panel.hide()
        self._scrim.pressed.connect(self.close_overlay)
        self._handles[0].dragged.connect(self._drag_sidebar)
        self._handles[1].dragged.connect(self._drag_panel)

    @property
    def sidebar_shown(self) -> bool:
        """True if the sidebar can be seen."""
        return self._sidebar_over if self._sidebar_overlays else self._sidebar_wanted

    @property
    def panel_shown(self) -> bool:
        """True if the step panel can be seen."""
        return self._panel_wanted

    @property
    def widths(self) -> tuple[int, int]:
        """Chosen widths of sidebar and panel."""
        return self._sidebar_width, self._panel_width

    def set_widths(self, sidebar: int, panel: int) -> None:
        """Takes remembered widths, brought into their limits."""
        self._sidebar_width = max(SIDEBAR_MIN, min(SIDEBAR_MAX, sidebar))
        self._panel_width = max(PANEL_MIN, panel)
        self.arrange()

    def show_sidebar(self, shown: bool) -> None:
        """Shows or hides the sidebar; in a narrow window over the chat."""
        if self._sidebar_overlays:
            self._sidebar_over = shown
            if shown:
                self._panel_wanted = False
        else:
            self._sidebar_wanted = shown
        self.arrange()

    def show_panel(self, shown: bool) -> None:
        """Shows or hides the step panel; in a narrow window over the chat."""
        self._panel_wanted = shown
        if shown:
            self._sidebar_over = False
        self.arrange()

    def close_overlay(self) -> bool:
        """Closes what lies over the chat; True if there was something."""
        if self._sidebar_overlays and self._sidebar_over:
            self.show_sidebar(False)
            return True
        if self._panel_overlays and self._panel_wanted:
            self.show_panel(False)
            self.panel_closed.emit()
            return True
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Larger words may want a wider sidebar."""
        super().changeEvent(event)
        grows = event.type() == QEvent.Type.FontChange
        if grows and self._wanted_room() != self._sidebar_room:
            self.arrange()

    def arrange(self) -> None:
        """Places everything for the present width."""
        width, height = self.width(), self.height()
        left, right = self._place_sidebar(height), width
        if self._panel_wanted and not self._panel_overlays:
            right = width - self._panel_room(width)
        self.chat.setGeometry(left, 0, max(0, right - left), height)
        self._place_panel(width, height)
        overlaid = self._sidebar_overlays and self._sidebar_over
        overlaid = overlaid or (self._panel_overlays and self._panel_wanted)
        self._scrim.setVisible(overlaid)
        if overlaid:
            self._scrim.setGeometry(0, 0, width, height)
            self._scrim.raise_()
            for part in (self.sidebar, self.panel):
                part.raise_()
        for line in self._lines:
            line.raise_()
        for handle in self._handles:
            handle.raise_()
        # What somebody laid over all of it (the palette, a notice) stays there.
        own = {self.sidebar, self.chat, self.panel, self._scrim, *self._lines, *self._handles}
        for child in self.children():
            if isinstance(child, QWidget) and child not in own:
                child.raise_()
        self.layout_changed.emit()

    @property
    def _panel_overlays(self) -> bool:
        return self.width() < PANEL_OVERLAYS_BELOW

    @property
    def _sidebar_overlays(self) -> bool:
        return self.width() < SIDEBAR_OVERLAYS_BELOW

    def _panel_room(self, width: int) -> int:
        if self._panel_overlays:
            return min(440, round(width * 0.58))
        return max(PANEL_MIN, min(self._panel_width, width // 2))

    def _wanted_room(self) -> int:
        beside = self._panel_wanted and not self._panel_overlays
        panel = self._panel_room(self.width()) if beside else 0
        return sidebar_room(self._sidebar_width, self.width(), current_theme().zoom, panel)

    def _place_sidebar(self, height: int) -> int:
        """Places the sidebar; the left edge of the chat."""
        shown = self.sidebar_shown
        self._sidebar_room = room = self._wanted_room()
        self.sidebar.setVisible(shown)
        self._lines[0].setVisible(shown)
        self._handles[0].setVisible(shown and not self._sidebar_overlays)
        if not shown:
            return 0
        self.sidebar.setGeometry(0, 0, room - 1, height)
        self._lines[0].setGeometry(room - 1, 0, 1, height)
        self._handles[0].setGeometry(room - 4, 0, _HANDLE, height)
        return 0 if self._sidebar_overlays else room

    def _place_panel(self, width: int, height: int) -> None:
        shown = self._panel_wanted
        room = self._panel_room(width)
        self.panel.setVisible(shown)
        self._lines[1].setVisible(shown)
        self._handles[1].setVisible(shown and not self._panel_overlays)
        if not shown:
            return
        self._lines[1].setGeometry(width - room, 0, 1, height)
        self.panel.setGeometry(QRect(width - room + 1, 0, room - 1, height))
        self._handles[1].setGeometry(width - room - 3, 0, _HANDLE, height)

    def _drag_sidebar(self, x: int) -> None:
        self._sidebar_width = max(SIDEBAR_MIN, min(SIDEBAR_MAX, x))
        self.arrange()

    def _drag_panel(self, x: int) -> None:
        self._panel_width = max(PANEL_MIN, min(self.width() // 2, self.width() - x))
        self.arrange()


class _Scrim(QWidget):
    """Dims the chat under an overlay; a click closes the overlay."""

    pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), current_theme().qcolor("scrim_light"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()


class _Handle(QWidget):
    """The line between two parts can be taken with the mouse."""

    dragged = Signal(int)

    def __init__(self, parent: QWidget, side: int) -> None:
        super().__init__(parent)
        self._side = side
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            parent = self.parentWidget()
            if parent is not None:
                self.dragged.emit(parent.mapFromGlobal(event.globalPosition().toPoint()).x())

    def event(self, event: QEvent) -> bool:
        # Drawn by the line below it; here there is nothing to paint.
        return True if event.type() == QEvent.Type.Paint else super().event(event)
