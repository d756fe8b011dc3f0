"""Draws formulas in a thread and keeps the pictures: until one is there its source is shown."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from urllib.parse import quote, unquote

from PySide6.QtCore import QObject, QThreadPool, QTimer, Signal
from PySide6.QtGui import QFont

from kinet.markup.formulas import Drawing, draw_formula
from kinet.ui.transcript.blocks.formula_objects import Room, room_of

# More than one screen can hold: what is seen and forgotten would be drawn again for ever. A block
# has 6 KB at most, so a thousand formulas; a drawing takes some KB.
KEPT = 4_000
_ROOMS = 200
# Milliseconds. What is drawn within this time is told at once: each telling looks at all entries.
_GATHER = 30
_NAMES = re.compile(r'src="(formula:[^"]+)"')
# (LaTeX, in a line of its own, size, colour)
Key = tuple[str, bool, int, str]


class FormulaShelf(QObject):
    """Drawings by formula, size and colour."""

    # How far a formula may reach into the line below it, in sizes of its letters.
    shared = 0.25
    # Formulas that were asked for have been drawn.
    drawn = Signal()
    _made = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drawings: OrderedDict[Key, Drawing | None] = OrderedDict()
        # Made last: while an answer comes its open part is laid out again and again.
        self._rooms: OrderedDict[tuple[object, ...], Room] = OrderedDict()
        self._waiting: set[Key] = set()
        self._made.connect(self._keep)
        self._tell = QTimer(self)
        self._tell.setSingleShot(True)
        self._tell.setInterval(_GATHER)
        self._tell.timeout.connect(self.drawn)

    @property
    def is_idle(self) -> bool:
        """True when no formula is being drawn, and all that are have been told."""
        return not self._waiting and not self._tell.isActive()

    def tag(self, tex: str, display: bool, size: int, color: str) -> str:
        """The tag of a formula's picture; "" while there is none: then its source is shown."""
        key = (tex, display, size, color)
        if key in self._drawings:
            self._drawings.move_to_end(key)
            return f'<img src="{_name(key)}">' if self._drawings[key] is not None else ""
        if key not in self._waiting:
            self._waiting.add(key)
            QThreadPool.globalInstance().start(lambda: self._draw(key))
        return ""

    def rooms(
        self, html: str, font: QFont, lines: Mapping[int, int], width: int, ratio: float
    ) -> dict[str, Room]:
        """The formulas that a text names, no wider than `width`, by the names of their pictures.

        `lines` are the heights of lines by the size of letters.
        """
        made: dict[str, Room] = {}
        for name in set(_NAMES.findall(html)):
            key = _key(name)
            drawing = self._drawings.get(key)
            if drawing is None:
                continue
            # Of the words beside it, which are larger in a heading.
            size = key[2]
            sized = QFont(font)
            sized.setPixelSize(size)
            line = lines.get(size, round(1.6 * size))
            looks = (name, sized.key(), line, width, ratio)
            room = self._rooms.get(looks)
            if room is None:
                room = room_of(drawing, sized, line, width, ratio, self.shared * size)
                self._rooms[looks] = room
                while len(self._rooms) > _ROOMS:
                    self._rooms.popitem(last=False)
            made[name] = room
        return made

    def _draw(self, key: Key) -> None:
        """In a thread: nothing of the window is touched."""
        tex, display, size, color = key
        self._made.emit(key, draw_formula(tex, display=display, size=size, color=color))

    def _keep(self, key: Key, drawing: Drawing | None) -> None:
        self._waiting.discard(key)
        self._drawings[key] = drawing
        while len(self._drawings) > KEPT:
            self._drawings.popitem(last=False)
        if drawing is not None and not self._tell.isActive():
            self._tell.start()


def source_of(name: str) -> str:
    """The Markdown of the formula whose picture has this name; "" for any other name."""
    if not name.startswith("formula:"):
        return ""
    tex, display, _, _ = _key(name)
    return f"$${tex}$$" if display else f"${tex}$"


def _name(key: Key) -> str:
    tex, display, size, color = key
    return f"formula:{int(display)},{size},{color.lstrip('#')},{quote(tex, safe='')}"


def _key(name: str) -> Key:
    display, size, color, tex = name.removeprefix("formula:").split(",", 3)
    return unquote(tex), display == "1", int(size), f"#{color}"
