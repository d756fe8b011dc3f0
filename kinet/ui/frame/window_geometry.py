"""Where the window stood: kept per data folder, brought back onto a screen that is there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication

DEFAULT_SIZE = (1200, 800)
MINIMUM_SIZE = (720, 520)
SIDEBAR_WIDTH, SIDEBAR_MIN, SIDEBAR_MAX = 260, 200, 400
PANEL_WIDTH, PANEL_MIN = 400, 300
# Up to these widths of the window the part lies over the chat instead of beside it.
PANEL_OVERLAYS_BELOW = 960
SIDEBAR_OVERLAYS_BELOW = 761


@dataclass(frozen=True)
class Geometry:
    """Place and size of the window, and the widths of its parts. `rect` None: the default size."""

    rect: tuple[int, int, int, int] | None = None
    maximized: bool = False
    sidebar: int = SIDEBAR_WIDTH
    sidebar_shown: bool = True
    panel: int = PANEL_WIDTH

    def to_text(self) -> str:
        """What `read` takes."""
        return json.dumps(
            {
                "rect": self.rect,
                "maximized": self.maximized,
                "sidebar": self.sidebar,
                "sidebar_shown": self.sidebar_shown,
                "panel": self.panel,
            }
        )


def sidebar_room(chosen: int, window: int, zoom: int, panel: int = 0) -> int:
    """How wide the sidebar is in a window of this width, with a step panel of that width beside.

    One that nobody dragged grows with larger words, so that titles can be read, up to three tenths
    of what the panel leaves; where it lies over the chat up to a half.
    """
    if chosen != SIDEBAR_WIDTH or zoom <= 100:
        return chosen
    most = window // 2 if window < SIDEBAR_OVERLAYS_BELOW else (window - panel) * 3 // 10
    return max(chosen, min(SIDEBAR_MAX, chosen * zoom // 100, most))


def read(text: str) -> Geometry:
    """The geometry that `to_text` wrote; what is missing or odd is the default."""
    raw = _object(text)
    rect = raw.get("rect")
    whole = isinstance(rect, list) and len(rect) == 4 and all(type(n) is int for n in rect)
    sidebar, panel = raw.get("sidebar"), raw.get("panel")
    return Geometry(
        (rect[0], rect[1], rect[2], rect[3]) if isinstance(rect, list) and whole else None,
        raw.get("maximized") is True,
        max(SIDEBAR_MIN, min(SIDEBAR_MAX, sidebar)) if type(sidebar) is int else SIDEBAR_WIDTH,
        raw.get("sidebar_shown") is not False,
        max(PANEL_MIN, panel) if type(panel) is int else PANEL_WIDTH,
    )


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


def _object(text: str) -> dict[str, Any]:
    try:
        raw = json.loads(text or "{}")
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}
