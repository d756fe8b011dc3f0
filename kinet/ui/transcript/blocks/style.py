"""What the transcript draws with: fonts, colours and lengths of one theme at one zoom."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPalette, QPixmap, QTextCharFormat

from kinet.markup.look import FormulaTag, Look, no_formula
from kinet.ui.look.theme import SIZES, Theme, code_families, ui_families
from kinet.ui.transcript.blocks.formula_shelf import FormulaShelf

MARGIN = 24
TOP = 20
BOTTOM = 16


class Style:
    """Everything about looks that painting needs, made once per theme and zoom."""

    def __init__(
        self,
        theme: Theme,
        zoom: int | None = None,
        ratio: float = 1.0,
        formulas: FormulaShelf | None = None,
    ) -> None:
        self.theme = theme if zoom is None else replace(theme, zoom=zoom)
        self.zoom = self.theme.zoom
        self.ratio = ratio
        self.formulas = formulas
        self._unpictured: Style | None = None
        self._colors: dict[str, QColor] = {}
        self._formats: dict[str, QTextCharFormat] = {}
        self._fonts: dict[tuple[str, bool, bool, bool], QFont] = {}
        self._metrics: dict[tuple[str, bool, bool, bool], QFontMetricsF] = {}
        self.look = self._look("answer", "text")
        self.quiet_look = self._look("ui", "text_2")
        self.palette = QPalette()
        self.palette.setColor(QPalette.ColorRole.Text, self.color("text"))
        self.palette.setColor(QPalette.ColorRole.Dark, self.color("border"))
        self.quiet_palette = QPalette(self.palette)
        self.quiet_palette.setColor(QPalette.ColorRole.Text, self.color("text_2"))

    @property
    def unpictured(self) -> Style:
        """The same looks with each formula as its source: for what is read and not looked at."""
        if self.formulas is None:
            return self
        if self._unpictured is None:
            self._unpictured = Style(self.theme, None, self.ratio)
        return self._unpictured

    def px(self, length: int) -> int:
        """A length that grows with the text."""
        return round(length * self.zoom / 100)

    def room(self, length: int) -> int:
        """A height that must hold text: it grows with the text and never shrinks."""
        return max(length, self.px(length))

    def color(self, token: str) -> QColor:
        """The colour of a token of the theme."""
        found = self._colors.get(token)
        if found is None:
            found = self._colors[token] = self.theme.qcolor(token)
        return found

    def syntax(self, name: str) -> QTextCharFormat:
        """The format of a kind of code."""
        found = self._formats.get(name)
        if found is None:
            found = QTextCharFormat()
            found.setForeground(QColor(self.theme.syntax.get(name, self.theme.color("text"))))
            self._formats[name] = found
        return found

    def font(
        self, size: str = "ui", *, bold: bool = False, mono: bool = False, digits: bool = False
    ) -> QFont:
        """A font of the theme at this zoom."""
        key = (size, bold, mono, digits)
        found = self._fonts.get(key)
        if found is None:
            found = self.theme.font(size, bold=bold, mono=mono, digits=digits)
            # A glyph's place must not be rounded, else words drift apart at 150 %.
            found.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
            self._fonts[key] = found
        return found

    def advance(
        self,
        text: str,
        size: str = "ui",
        *,
        bold: bool = False,
        mono: bool = False,
        digits: bool = False,
    ) -> float:
        """How wide a text is."""  # fmt: skip
        key = (size, bold, mono, digits)
        found = self._metrics.get(key)
        if found is None:
            font = self.font(size, bold=bold, mono=mono, digits=digits)
            found = self._metrics[key] = QFontMetricsF(font)
        return found.horizontalAdvance(text)

    def elided(
        self,
        text: str,
        width: float,
        size: str = "ui",
        *,
        bold: bool = False,
        mono: bool = False,
        digits: bool = False,
    ) -> str:
        """The text, or as much as fits with an ellipsis."""
        text = text[:1000]
        if self.advance(text, size, bold=bold, mono=mono, digits=digits) <= width:
            return text
        metrics = self._metrics[(size, bold, mono, digits)]
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)

    def icon(self, name: str, token: str, size: int = 16) -> QPixmap:
        """An icon, sharp on this screen."""
        return self.theme.pixmap(name, token, size, self.ratio)

    def _look(self, base: str, color: str) -> Look:
        sizes = {name: (self.theme.pixels(name), self.theme.line_height(name)) for name in SIZES}
        sizes["inline"] = (max(8, self.px(SIZES[base][0] - 1)), sizes[base][1])
        return Look(
            sizes=sizes,
            colors=self.theme.colors,
            code_family=",".join(f"'{family}'" for family in code_families()),
            gap=self.px(10),
            base=base,
            color=color,
            formula=self._formula_tag(self.theme.color(color)),
        )

    def _formula_tag(self, color: str) -> FormulaTag:
        shelf = self.formulas
        if shelf is None:
            return no_formula
        return lambda tex, display, size: shelf.tag(tex, display, size, color)

    def families(self, mono: bool) -> list[str]:
        """Font families in order."""
        return list(code_families() if mono else ui_families())
