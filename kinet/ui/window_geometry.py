"""Where the window stood: kept per data folder, brought back onto a screen that is there."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from kinet.ui.window_frame import PANEL_WIDTH, SIDEBAR_WIDTH, WindowFrame

DEFAULT_SIZE = (1200, 800)
MINIMUM_SIZE = (720, 520)


def describe(window: QMainWindow, frame: WindowFrame) -> str:
    """Place, size and widths of the parts as text."""
    rect = window.normalGeometry() if window.isMaximized() else window.geometry()
    sidebar, panel = frame.widths
    return json.dumps(
        {
            "rect": [rect.x(), rect.y(), rect.width(), rect.height()],
            "maximized": window.isMaximized(),
            "sidebar": sidebar,
            "sidebar_shown": frame.sidebar_shown,
            "panel": panel,
        }
    )


def restore(text: str, window: QMainWindow, frame: WindowFrame) -> None:
    """Brings the window back to what `describe` wrote; what is missing or odd is the default."""
    window.resize(*DEFAULT_SIZE)
    raw = _read(text)
    rect = raw.get("rect")
    if isinstance(rect, list) and len(rect) == 4 and all(type(item) is int for item in rect):
        window.setGeometry(clamp(QRect(*rect)))
    widths = [raw.get("sidebar"), raw.get("panel")]
    sidebar, panel = (
        value if type(value) is int else default
        for value, default in zip(widths, (SIDEBAR_WIDTH, PANEL_WIDTH), strict=True)
    )
    frame.set_widths(sidebar, panel)
    if raw.get("sidebar_shown") is False:
        frame.show_sidebar(False)
    if raw.get("maximized") is True:
        window.showMaximized()


def clamp(rect: QRect) -> QRect:
    """`rect`, moved and made smaller so that it lies on one screen that is there."""
    screen = QGuiApplication.screenAt(rect.center()) or QGuiApplication.primaryScreen()
    if screen is None:
        return rect
    room = screen.availableGeometry()
    width = min(max(rect.width(), MINIMUM_SIZE[0]), max(room.width(), MINIMUM_SIZE[0]))
    height = min(max(rect.height(), MINIMUM_SIZE[1]), max(room.height(), MINIMUM_SIZE[1]))
    x = max(room.left(), min(rect.x(), room.right() - width + 1))
    y = max(room.top(), min(rect.y(), room.bottom() - height + 1))
    return QRect(x, y, width, height)


def _read(text: str) -> dict[str, Any]:
    try:
        raw = json.loads(text or "{}")
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}
