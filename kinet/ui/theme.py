"""How the window looks: colour tokens, fonts, icons, one palette and one style sheet."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from string import Template
from typing import Any, Literal

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
)
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
        """A font of the family lists; `digits` makes all digits equally wide."""
        font = QFont()
        font.setFamilies(list(code_families() if mono else ui_families()))
        font.setPixelSize(self.pixels(size))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
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


def system_mode() -> Mode:
    """Light or dark, as the desktop asks; light where it does not say."""
    hints = QGuiApplication.styleHints()
    return "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"


def mode_of(choice: str) -> Mode:
    """The look for the setting's word: light, dark or system."""
    if choice == "dark":
        return "dark"
    return "light" if choice == "light" else system_mode()


class _Current:
    theme: Theme | None = None


def current_theme() -> Theme:
    """The look that was applied last; the light one before that."""
    if _Current.theme is None:
        _Current.theme = load_theme("light")
    return _Current.theme


def set_current(theme: Theme) -> None:
    """Makes `theme` the one that `current_theme` and `icon` use."""
    _Current.theme = theme


def icon(name: str, color_token: str = "text_2", size: int = 16) -> QIcon:
    """An icon in a token's colour of the current look, drawn for usual screen ratios."""
    theme = current_theme()
    out = QIcon()
    for ratio in (1.0, 1.5, 2.0):
        out.addPixmap(theme.pixmap(name, color_token, size, ratio))
    return out


def window_icon() -> QIcon:
    """Kinet's own mark, fitted to whole pixels at small sizes."""
    out = QIcon()
    for size in (16, 32, 64, 128, 256):
        out.addPixmap(mark_pixmap(size, 1.0))
    return out


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


def palette(theme: Theme) -> QPalette:
    """What the style sheet does not reach: selections, placeholders, disabled text."""
    out = QPalette()
    role = QPalette.ColorRole
    for target, token in (
        (role.Window, "canvas"),
        (role.WindowText, "text"),
        (role.Base, "raised"),
        (role.AlternateBase, "subtle"),
        (role.Text, "text"),
        (role.Button, "raised"),
        (role.ButtonText, "text"),
        (role.BrightText, "danger"),
        (role.PlaceholderText, "text_3"),
        (role.Highlight, "selection"),
        (role.HighlightedText, "text"),
        (role.Link, "link"),
        (role.LinkVisited, "link"),
        (role.ToolTipBase, "tooltip"),
        (role.Accent, "accent"),
        (role.Mid, "border"),
        (role.Dark, "control_border"),
        (role.Light, "raised"),
        (role.Shadow, "border"),
    ):
        out.setColor(target, theme.qcolor(token))
    out.setColor(role.ToolTipText, QColor("#1B1B19" if theme.is_dark else "#FFFFFF"))
    for target in (role.WindowText, role.Text, role.ButtonText):
        out.setColor(QPalette.ColorGroup.Disabled, target, theme.qcolor("disabled"))
    return out


def stylesheet(theme: Theme) -> str:
    """The one style sheet of the application, from `resources/themes/kinet.qss`."""
    values: dict[str, str] = dict(theme.colors)
    values["tooltip_text"] = "#1B1B19" if theme.is_dark else "#FFFFFF"
    values |= {f"{name}_size": f"{theme.pixels(name)}px" for name in SIZES}
    values["ui_families"] = ", ".join(f'"{name}"' for name in ui_families())
    values["code_families"] = ", ".join(f'"{name}"' for name in code_families())
    values["row"] = str(max(20, theme.line_height("ui")))
    # A style sheet can only show files: these few marks are kept ready in both looks.
    marks = resources_dir() / "themes" / "marks"
    for name in ("chevron-down", "chevron-up", "check"):
        path = (marks / f"{name}-{theme.mode}.svg").as_posix()
        values["mark_" + name.replace("-", "_")] = path
    return Template(_style_source()).substitute(values)


@lru_cache(maxsize=1)
def _tokens() -> dict[str, Any]:
    with (resources_dir() / "themes" / "kinet.toml").open("rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=1)
def _style_source() -> str:
    return (resources_dir() / "themes" / "kinet.qss").read_text(encoding="utf-8")


@lru_cache(maxsize=128)
def _svg(name: str) -> str:
    return (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=512)
def _pixmap(name: str, color: str, size: int, ratio: float) -> QPixmap:
    device = max(1, round(size * ratio))
    out = QPixmap(device, device)
    out.fill(Qt.GlobalColor.transparent)
    source = _svg(name).replace("currentColor", color)
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
