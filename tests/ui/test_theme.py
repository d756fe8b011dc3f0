"""The tokens: contrast as computed, icons in a token's colour, fonts that are bundled."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo
from PySide6.QtWidgets import QApplication

from kinet.ui.look.theme import icon, load_theme, palette, stylesheet
from kinet.ui.look.tokens import Mode


def luminance(color: QColor) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    """The ratio of two colours."""
    light, dark = sorted((luminance(QColor(one)), luminance(QColor(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


TEXTS = [
    (text, surface)
    for surface in ("canvas", "side", "raised", "subtle", "chip", "code", "hover", "selected")
    for text in ("text", "text_2", "text_3")
] + [
    ("accent", "canvas"),
    ("accent", "selected"),
    ("accent", "accent_tint"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("on_accent", "accent_pressed"),
    ("link", "canvas"),
    ("success", "success_tint"),
    ("warning", "warning_tint"),
    ("danger", "danger_tint"),
    ("on_danger", "danger"),
    ("on_danger", "danger_hover"),
    ("on_danger", "danger_pressed"),
    ("text", "selection"),
    ("text", "diff_add_word"),
    ("text", "diff_del_word"),
    ("text", "diff_add"),
    ("text", "diff_del"),
    ("text", "find"),
    ("text", "warning_tint"),
    ("text_2", "warning_tint"),
    ("text", "danger_tint"),
    ("text", "success_tint"),
    *(
        (tone, surface)
        for tone in ("success", "warning", "danger", "link")
        for surface in ("canvas", "side", "raised", "code", "subtle", "hover", "selected")
    ),
]


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(("text", "surface"), TEXTS)
def test_text_can_be_read_on_its_surface(mode: Mode, text: str, surface: str) -> None:
    theme = load_theme(mode)
    assert contrast(theme.color(text), theme.color(surface)) >= 4.48


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("token", ["control_border", "focus", "scrollbar"])
def test_controls_stand_out(mode: Mode, token: str) -> None:
    theme = load_theme(mode)
    assert contrast(theme.color(token), theme.color("canvas")) >= 3


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_code_colours_can_be_read_on_code(mode: Mode) -> None:
    theme = load_theme(mode)
    for surface in ("code", "diff_add", "diff_del"):
        ground = theme.color(surface)
        assert all(contrast(color, ground) >= 4.5 for color in theme.syntax.values()), surface


def test_the_style_sheet_holds_no_unfilled_name(app: QApplication) -> None:
    for mode in ("light", "dark"):
        sheet = stylesheet(load_theme("dark" if mode == "dark" else "light", 150))
        assert "$" not in sheet
        assert "20px" in sheet


def test_the_bundled_fonts_are_used(app: QApplication) -> None:
    theme = load_theme("light")
    assert {"Inter", "JetBrains Mono"} <= set(QFontDatabase.families())
    assert QFontInfo(theme.font("answer")).family() == "Inter"
    assert QFontInfo(theme.font("code", mono=True)).family() == "JetBrains Mono"


def test_an_icon_has_the_token_s_colour(app: QApplication) -> None:
    theme = load_theme("light")
    image = theme.pixmap("stop", "danger", 16, 2.0).toImage()
    assert image.pixelColor(16, 16).name() == theme.color("danger").lower()
    assert not icon("search").isNull()


def test_the_palette_follows_the_tokens(app: QApplication) -> None:
    theme = load_theme("dark")
    assert palette(theme).window().color().name() == theme.color("canvas").lower()


def test_digits_can_be_equally_wide(app: QApplication) -> None:
    from PySide6.QtGui import QFontMetrics

    metrics = QFontMetrics(load_theme("light").font("meta", digits=True))
    assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("8888")
