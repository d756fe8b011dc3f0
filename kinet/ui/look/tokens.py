"""The ground of every look: colour tokens, text sizes, fonts, icons in a token's colour.

This much is needed for the first picture of the window, so nothing here touches Qt's large name
space of enumerations, which takes longer to set up than the picture takes to draw.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from kinet.paths import resources_dir

Mode = Literal["light", "dark"]

# Logical pixels at 100 %: (size, line height).
SIZES: Mapping[str, tuple[int, int]] = {
    "meta": (12, 16),
    "ui": (13, 20),
    "answer": (15, 24),
    "code": (13, 20),
    "output": (12, 20),
    "h3": (16, 24),
    "h2": (18, 24),
    "h1": (21, 28),
    "page": (20, 28),
}

_UI_FAMILIES = (
    "Inter",
    "Segoe UI Variable Text",
    "Segoe UI",
    ".AppleSystemUIFont",
    "Cantarell",
    "Ubuntu",
    "Noto Sans",
)
_CODE_FAMILIES = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "DejaVu Sans Mono")
# The script of the interface's language comes first, so that shared characters get its face.
_CJK_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "zh": ("Microsoft YaHei UI", "PingFang SC", "Noto Sans CJK SC"),
    "zh_tw": ("Microsoft JhengHei UI", "PingFang TC", "Noto Sans CJK TC"),
    "ja": ("Yu Gothic UI", "Hiragino Sans", "Noto Sans CJK JP"),
    "ko": ("Malgun Gothic", "Apple SD Gothic Neo", "Noto Sans CJK KR"),
}
# The bundled family of the interface.
FIRST_FAMILY = "Inter"
_EMOJI_FAMILIES = ("Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji")
_FONT_FILES = (
    "Inter-Regular.otf",
    "Inter-SemiBold.otf",
    "JetBrainsMono-Regular.ttf",
    "Inter-Italic.otf",
    "Inter-SemiBoldItalic.otf",
    "JetBrainsMono-SemiBold.ttf",
    "JetBrainsMono-Italic.ttf",
)


@dataclass(frozen=True)
class Theme:
    """One look: `mode`, and the tokens of `resources/themes/kinet.toml` for it.

    `zoom` is in percent and changes text sizes, never the frame of the window.
    """

    mode: Mode
    colors: Mapping[str, str]
    syntax: Mapping[str, str] = field(default_factory=dict)
    chart: tuple[str, ...] = ()
    zoom: int = 100
    contrast: bool = False
    # The widest a conversation gets, in logical pixels.
    column: int = 720

    @property
    def ring(self) -> int:
        """How thick a focus ring is."""
        return 3 if self.contrast else 2

    @property
    def is_dark(self) -> bool:
        """True for the dark look."""
        return self.mode == "dark"

    def color(self, name: str) -> str:
        """The token as "#rrggbb" or "#aarrggbb". KeyError for a name that is no token."""
        return self.colors[name]

    def qcolor(self, name: str) -> QColor:
        """The token as a QColor."""
        return QColor(self.colors[name])

    def pixels(self, size: str) -> int:
        """The text size (meta, ui, answer, code, output, h1 to h3, page) in logical pixels."""
        return max(8, round(SIZES[size][0] * self.zoom / 100))

    def line_height(self, size: str) -> int:
        """The line height of a text size, in whole logical pixels."""
        return max(10, round(SIZES[size][1] * self.zoom / 100))

    def font(
        self, size: str = "ui", *, bold: bool = False, mono: bool = False, digits: bool = False
    ) -> QFont:
        """A font of the family lists; `digits` makes all digits equally wide.

        Both faces would draw one sign for several (-> as an arrow, != as ≠, 4x4 with a cross): what
        is shown is what stands there.
        """
        font = QFont()
        font.setFamilies(list(code_families() if mono else ui_families()))
        font.setPixelSize(self.pixels(size))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        font.setFeature(QFont.Tag("calt"), 0)
        if digits:
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def pixmap(self, name: str, token: str, size: int = 16, ratio: float = 1.0) -> QPixmap:
        """The icon `resources/icons/<name>.svg` in a token's colour, sharp at `ratio`."""
        return _pixmap(name, self.colors.get(token, token), size, ratio)


def load_theme(mode: Mode, zoom: int = 100) -> Theme:
    """The tokens of the light or dark look."""
    column = 1 if mode == "dark" else 0
    raw = _tokens()
    colors = {
        name: value[column]
        for name, value in raw.items()
        if isinstance(value, list) and isinstance(value[0], str)
    }
    return Theme(mode, colors, dict(raw[f"syntax_{mode}"]), tuple(raw["chart"][column]), zoom)


def mark_pixmap(size: int, ratio: float) -> QPixmap:
    """Kinet's own mark at `size` logical pixels."""
    device = size * ratio
    name = "icon-16" if device <= 16 else "icon-32" if device <= 32 else "icon"
    return _pixmap(name, "", size, ratio)


def ui_families(language: str = "") -> tuple[str, ...]:
    """Font families of the interface and of answers, in order of preference."""
    return _UI_FAMILIES + _cjk(language) + _EMOJI_FAMILIES


def code_families(language: str = "") -> tuple[str, ...]:
    """Font families of code and tool output, in order of preference."""
    return _CODE_FAMILIES + _cjk(language) + ("monospace",)


def load_fonts(*, first_frame: bool = False) -> None:
    """Registers the bundled fonts; with `first_frame` only the two that its text needs."""
    folder = resources_dir() / "fonts"
    for name in _FONT_FILES[:2] if first_frame else _FONT_FILES:
        _load_font(str(folder / name))
    if not first_frame and sys.platform.startswith("linux"):
        QFontDatabase.setApplicationEmojiFontFamilies(["Noto Color Emoji"])


@lru_cache(maxsize=1)
def _tokens() -> dict[str, Any]:
    # Imported late: the first picture reads the few lines it needs by itself.
    import tomllib

    with (resources_dir() / "themes" / "kinet.toml").open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=128)
def icon_source(name: str) -> str:
    """The SVG text of an icon; `currentColor` stands for its colour."""
    return (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def _pixmap(name: str, color: str, size: int, ratio: float) -> QPixmap:
    device = max(1, round(size * ratio))
    out = QPixmap(device, device)
    out.fill(QColor(0, 0, 0, 0))
    source = icon_source(name).replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(source.encode()))
    painter = QPainter(out)
    renderer.render(painter, QRectF(0, 0, device, device))
    painter.end()
    out.setDevicePixelRatio(ratio)
    return out


def _cjk(language: str) -> tuple[str, ...]:
    chosen = language.lower().replace("-", "_")
    first = chosen if chosen in _CJK_FAMILIES else chosen.partition("_")[0]
    order = [first] if first in _CJK_FAMILIES else []
    order += [name for name in _CJK_FAMILIES if name not in order]
    return tuple(family for name in order for family in _CJK_FAMILIES[name])


@lru_cache(maxsize=16)
def _load_font(path: str) -> int:
    return QFontDatabase.addApplicationFont(path)
