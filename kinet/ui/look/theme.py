"""How the window looks: the tokens as one palette and one style sheet, and the look in use."""

from __future__ import annotations

from functools import lru_cache
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPalette

from kinet.paths import resources_dir
from kinet.ui.look.tokens import SIZES as SIZES
from kinet.ui.look.tokens import Mode as Mode
from kinet.ui.look.tokens import Theme as Theme
from kinet.ui.look.tokens import code_families as code_families
from kinet.ui.look.tokens import load_fonts as load_fonts
from kinet.ui.look.tokens import load_theme as load_theme
from kinet.ui.look.tokens import mark_pixmap as mark_pixmap
from kinet.ui.look.tokens import ui_families as ui_families


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
    changing = False


def current_theme() -> Theme:
    """The look that was applied last; the light one before that."""
    if _Current.theme is None:
        _Current.theme = load_theme("light")
    return _Current.theme


def set_current(theme: Theme) -> None:
    """Makes `theme` the one that `current_theme` and `icon` use."""
    _Current.theme = theme


def is_changing() -> bool:
    """True while a look is being applied: sizes are those of neither look, and change again."""
    return _Current.changing


def set_changing(changing: bool) -> None:
    """Says whether a look is being applied."""
    _Current.changing = changing


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
    for name in ("chevron-down", "chevron-up", "chevron-left", "chevron-right", "check"):
        path = (marks / f"{name}-{theme.mode}.svg").as_posix()
        values["mark_" + name.replace("-", "_")] = path
    sheet = Template(_style_source()).substitute(values)
    ring = theme.color("focus")
    return sheet.replace(f"2px solid {ring}", f"{theme.ring}px solid {ring}")


@lru_cache(maxsize=1)
def _style_source() -> str:
    return (resources_dir() / "themes" / "kinet.qss").read_text(encoding="utf-8")
