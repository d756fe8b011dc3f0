"""Applies a look to the whole application: palette, style sheet, fonts, zoom, light or dark."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from kinet.ui.look.contrast import with_contrast
from kinet.ui.look.theme import (
    Theme,
    load_fonts,
    load_theme,
    mode_of,
    palette,
    set_changing,
    set_current,
    stylesheet,
)

ZOOM_MIN, ZOOM_MAX = 80, 200
WIDE_COLUMN = 960
# The property of a window that no look is applied to.
APART = "apart"


class Look(QObject):
    """The choice (light, dark, system) and the zoom, as they are now."""

    # Another look is about to be applied: what is hidden may get out of the way.
    changing = Signal()
    changed = Signal(object)  # Theme
    zoom_chosen = Signal(int)

    def __init__(self, app: QApplication, choice: str = "system", zoom: int = 100) -> None:
        super().__init__(app)
        self._app = app
        self.choice, self.zoom = choice, zoom
        self.contrast = self.wide = False
        self.theme: Theme | None = None
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._system_changed)

    def apply(self) -> None:
        """Draws everything in the chosen look."""
        theme = load_theme(mode_of(self.choice), self.zoom)
        if self.contrast:
            theme = with_contrast(theme)
        if self.wide:
            theme = replace(theme, column=WIDE_COLUMN)
        if theme == self.theme:
            return
        self.theme = theme
        self.changing.emit()
        set_current(theme)
        set_changing(True)
        try:
            self._dress(theme)
        finally:
            set_changing(False)
        self.changed.emit(theme)

    def choose(self, choice: str) -> None:
        """Light, dark or as the system says."""
        self.choice = choice
        self.apply()

    def set_contrast(self, contrast: bool) -> None:
        """With or without the stronger colours."""
        self.contrast = contrast
        self.apply()

    def set_wide(self, wide: bool) -> None:
        """Lets conversations be wider, or as wide as reads best."""
        self.wide = wide
        self.apply()

    def set_zoom(self, percent: int) -> None:
        """Text size in percent, brought into its limits."""
        self.zoom = max(ZOOM_MIN, min(ZOOM_MAX, percent))
        self.apply()
        self.zoom_chosen.emit(self.zoom)

    def zoom_by(self, percent: int) -> None:
        """Makes text larger or smaller by so many points of percent."""
        self.set_zoom(self.zoom + percent)

    def load_other_fonts(self) -> None:
        """The fonts that the first frame does without."""
        load_fonts()

    def _dress(self, theme: Theme) -> None:
        self._app.setFont(theme.font("ui"))
        self._app.setPalette(palette(theme))
        sheet = stylesheet(theme)
        # Set on the application, Qt gives it to each widget once for every widget above it.
        for window in self._app.topLevelWidgets():
            if window.parentWidget() is None and not window.property(APART):
                window.setStyleSheet(sheet)

    def _system_changed(self) -> None:
        if self.choice == "system":
            self.apply()
