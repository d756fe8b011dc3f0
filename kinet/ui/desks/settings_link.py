"""Carries changed settings into the open window: theme, zoom, the keys that send and stop."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.program import Program

_AT_START = (
    "general.send_key",
    "general.escape_stops",
    "appearance.contrast",
    "appearance.wide",
    "appearance.scrolling",
)


class SettingsLink(QObject):
    """Follows the settings from `start` on."""

    # From whatever thread a setting was changed in; heard in the window's.
    _heard = Signal(str)

    def __init__(self, program: Program, parts: WindowParts) -> None:
        super().__init__(parts.window)
        self._program, self._parts = program, parts
        self.escape_stops = "twice"

    def start(self) -> None:
        """Takes over what the settings say now, and follows them."""
        settings = self._program.settings
        self._heard.connect(self._changed)
        end = settings.on_change(self._heard.emit)
        self.destroyed.connect(lambda: end())
        for key in _AT_START:
            self._changed(key)
        self._parts.look.zoom_chosen.connect(self._keep_zoom)

    def serve(self) -> None:
        """Gives a new panel what holds for all."""
        self._changed("general.send_key")
        self._changed("appearance.scrolling")

    def _changed(self, key: str) -> None:
        parts, settings = self._parts, self._program.settings
        match key:
            case "general.send_key":
                sends = settings.get(key) == "enter"
                for panel in parts.desk.panels:
                    panel.composer.set_enter_sends(sends)
            case "general.escape_stops":
                self.escape_stops = str(settings.get(key))
            case "appearance.theme":
                parts.look.choose(str(settings.get(key)))
            case "appearance.zoom":
                parts.look.set_zoom(int(settings.get(key)))
            case "appearance.contrast":
                parts.look.set_contrast(bool(settings.get(key)))
            case "appearance.wide":
                parts.look.set_wide(bool(settings.get(key)))
            case "appearance.scrolling":
                for panel in parts.desk.panels:
                    panel.reading.set_scrolling(str(settings.get(key)))
            case _:
                parts.models.refresh()

    def _keep_zoom(self, zoom: int) -> None:
        settings = self._program.settings
        if settings.get("appearance.zoom") != zoom:
            when_kept(self, settings.keep("appearance.zoom", zoom), self._parts.toast.tell)
