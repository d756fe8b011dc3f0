"""The first picture of the window: the shell as it will look, drawn before it is built.

Building the real parts takes several times as long as an empty window; this takes their place for
that moment, line by line where they will be, so that nothing jumps when they come. It is one SVG:
pens and brushes would first set up all of Qt's enumerations, which takes longer than the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from kinet.paths import resources_dir
from kinet.ui.look.tokens import FIRST_FAMILY, Mode, icon_source

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_COLUMN, _MARGIN = 720, 24
_HEAD, _STATUS, _COMPOSER = 44, 32, 80


class FirstPicture(QWidget):
    """Stands where the frame of the window will stand; `sidebar` 0 means that it is away."""

    def __init__(self, mode: Mode, sidebar: int, text_size: int) -> None:
        super().__init__()
        self._mode, self._sidebar, self._text_size = mode, sidebar, text_size

    def paintEvent(self, event: QPaintEvent) -> None:
        size = (self.width(), self.height())
        source = shell_svg(first_colors(self._mode), self._sidebar, size, self._text_size)
        renderer = QSvgRenderer(QByteArray(source.encode()))
        painter = QPainter(self)
        renderer.render(painter, QRectF(0, 0, *size))
        painter.end()


@cache
def first_colors(mode: Mode) -> Mapping[str, str]:
    """The plain colours of the token file, read line by line: a whole parse would take longer."""
    column = 3 if mode == "dark" else 1
    text = (resources_dir() / "themes" / "kinet.toml").read_text(encoding="utf-8")
    out: dict[str, str] = {}
    for line in text.splitlines():
        name, _, rest = line.partition("=")
        values = rest.split('"')
        if rest.lstrip().startswith('["') and len(values) >= 5 and len(values[1]) == 7:
            out[name.strip()] = values[column]
    return out


def shell_svg(colors: Mapping[str, str], side: int, size: tuple[int, int], text_size: int) -> str:
    """The empty window as SVG, `side` pixels of it sidebar."""
    width, height = size
    parts = [_rect(0, 0, width, height, colors["canvas"])]
    if side:
        parts += _sidebar(colors, side, height, text_size)
    parts += _chat(colors, side, width, height, text_size)
    body = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{body}</svg>'
    )


def _sidebar(colors: Mapping[str, str], side: int, height: int, text_size: int) -> list[str]:
    quiet = colors["text_2"]
    parts = [
        _rect(0, 0, side - 1, height, colors["side"]),
        _rect(side - 1, 0, 1, height, colors["border"]),
        _rect(0, height - _HEAD, side - 1, 1, colors["border"]),
        _box(8, 80, side - 17, 32, 6, colors),
        _icon("icon-32", "", 16, 12, 20 / 32),
        _icon("sidebar", quiet, side - 33, 14),
        _icon("plus", colors["accent"], 16, 52),
        _icon("search", colors["text_3"], 16, 88),
    ]
    for place, name in enumerate(("settings", "memory", "keyboard")):
        parts.append(_icon(name, quiet, 16 + 32 * place, height - 29))
    parts.append(_text("Kinet", 40, 22, colors["text"], text_size, bold=True))
    parts.append(_text("New session", 40, 60, colors["text"], text_size, bold=True))
    parts.append(_text("Search", 40, 96, colors["text_3"], text_size))
    return parts


def _chat(
    colors: Mapping[str, str], side: int, width: int, height: int, text_size: int
) -> list[str]:
    quiet = colors["text_2"]
    room = width - side
    margin = max(_MARGIN, (room - _COLUMN) // 2)
    left, top, column = side + margin, height - _STATUS - _COMPOSER, room - 2 * margin
    start = side + (24 if side else 42)
    parts = [
        _rect(side, _HEAD - 1, room, 1, colors["border"]),
        _text("New session", start, 22, colors["text"], text_size, bold=True),
        _box(left, top, column, _COMPOSER, 12, colors),
        _icon("plus", quiet, left + 16, top + 50),
        _rect(left + column - 36, top + 44, 28, 28, colors["hover"], 6),
        _icon("send", colors["disabled"], left + column - 30, top + 50),
    ]
    parts.append(_icon("more", quiet, width - 30, 14))
    if not side:
        parts.append(_icon("sidebar", quiet, 16, 14))
    return parts


def _rect(x: int, y: int, width: int, height: int, color: str, radius: int = 0) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{color}"/>'


def _box(x: int, y: int, width: int, height: int, radius: int, colors: Mapping[str, str]) -> str:
    return (
        f'<rect x="{x + 0.5}" y="{y + 0.5}" width="{width - 1}" height="{height - 1}" '
        f'rx="{radius}" fill="{colors["raised"]}" stroke="{colors["control_border"]}"/>'
    )


def _text(text: str, x: int, middle: int, color: str, size: int, *, bold: bool = False) -> str:
    weight = 600 if bold else 400
    # The middle of a line of text lies about a third of its size above the base line.
    base = middle + round(size * 0.36)
    return (
        f'<text x="{x}" y="{base}" font-family="{FIRST_FAMILY}" font-size="{size}" '
        f'font-weight="{weight}" fill="{color}">{text}</text>'
    )


def _icon(name: str, color: str, x: int, y: int, scale: float = 1.0) -> str:
    source = icon_source(name).replace("currentColor", color)
    head, _, body = source.partition(">")
    shared = " ".join(part for part in head.split() if part.startswith(("fill=", "stroke")))
    inner = body.removesuffix("</svg>").rstrip().removesuffix("</svg>")
    return f'<g transform="translate({x} {y}) scale({scale})" {shared}>{inner}</g>'
