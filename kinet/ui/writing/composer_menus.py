"""The menus of the composer: which model answers, what it may do unasked, how far a turn goes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from kinet.ui.kit.controls import MenuButton

# mode: (word on the button, sentence in the menu)
MODES: dict[str, tuple[str, str]] = {
    "ask": ("Ask before changes", "Asks before files change and before commands run"),
    "edits": ("Edits allowed", "Files in the folder may change unasked; commands ask"),
    "plan": ("Plan only", "Reads and searches, changes nothing"),
    "all": ("Allow everything", "Commands run unasked in a sandbox; what is forbidden stays so"),
}
# Shown as long as commands run unasked without a sandbox.
_UNSANDBOXED = "Everything, no sandbox"

# name, word on the button, sentence in the menu
PresetChoice = tuple[str, str, str]
USUAL_PRESET = "default"


class ComposerMenus(QObject):
    """Opens without a loop of its own, so that a running turn goes on."""

    model_chosen = Signal(str)
    mode_chosen = Signal(str)
    preset_chosen = Signal(str)
    models_requested = Signal()

    def __init__(
        self, model_button: MenuButton, mode_button: MenuButton, preset_button: MenuButton
    ) -> None:
        super().__init__(model_button)
        self._model_button, self._mode_button = model_button, mode_button
        self._preset_button = preset_button
        self._models: tuple[tuple[str, str], ...] = ()
        self._model = ""
        self._mode = "ask"
        self._presets: tuple[PresetChoice, ...] = ()
        self._preset = USUAL_PRESET
        model_button.clicked.connect(self.open_models)
        mode_button.clicked.connect(self.open_modes)
        preset_button.clicked.connect(self.open_presets)
        self.set_model("", ())
        self.set_mode("ask")
        self.set_preset(USUAL_PRESET, ())

    @property
    def model(self) -> str:
        """The profile in use, "" for none."""
        return self._model

    @property
    def mode_word(self) -> str:
        """The approval mode in use, in words."""
        return self._mode_button.text()

    def set_model(self, name: str, models: Sequence[tuple[str, str]]) -> None:
        """The profile in use, and all (name, detail) to choose from."""
        self._model, self._models = name, tuple(models)
        self._model_button.set_text(name or "No model yet")

    def set_mode(self, mode: str, *, unsandboxed: bool = False) -> None:
        """The approval mode in use; `unsandboxed` leaves a mark for as long as that is so."""
        self._mode = mode
        word = _UNSANDBOXED if unsandboxed else MODES.get(mode, (mode, ""))[0]
        self._mode_button.set_text(word)
        self._mode_button.set_tone("danger" if unsandboxed else "")

    def set_preset(self, name: str, presets: Sequence[PresetChoice]) -> None:
        """The preset in use, and all to choose from. One that narrows nothing takes no room."""
        self._preset, self._presets = name, tuple(presets)
        found = (item for item in presets if item[0] == name)
        _, word, detail = next(found, (name, name, ""))
        self._preset_button.set_text(word)
        self._preset_button.setToolTip(f"Preset: {word}. {detail}".strip())
        self._preset_button.setVisible(name != USUAL_PRESET)

    def open_models(self) -> None:
        """Opens the model menu above its button."""
        menu = _menu(self._model_button)
        group = QActionGroup(menu)
        for name, detail in self._models:
            action = _choice(menu, group, name, detail, name == self._model)
            action.triggered.connect(lambda _=False, n=name: self.model_chosen.emit(n))
        if self._models:
            menu.addSeparator()
        more = menu.addAction("Models and prices…")
        more.triggered.connect(lambda: self.models_requested.emit())
        _open_above(menu, self._model_button)

    def open_modes(self) -> None:
        """Opens the menu of approval modes above its button."""
        menu = _menu(self._mode_button)
        group = QActionGroup(menu)
        for mode, (word, detail) in MODES.items():
            action = _choice(menu, group, word, detail, mode == self._mode)
            action.triggered.connect(lambda _=False, m=mode: self.mode_chosen.emit(m))
        if self._presets:
            menu.addSeparator()
            word = next((word for key, word, _ in self._presets if key == self._preset), "")
            self._offer_presets(menu.addMenu(f"Preset: {word or self._preset}"))
        _open_above(menu, self._mode_button)

    def open_presets(self) -> None:
        """Opens the menu of presets above its button."""
        menu = _menu(self._preset_button)
        self._offer_presets(menu)
        _open_above(menu, self._preset_button)

    def _offer_presets(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        for name, word, detail in self._presets:
            action = _choice(menu, group, f"{word}: {detail}", "", name == self._preset)
            action.triggered.connect(lambda _=False, n=name: self.preset_chosen.emit(n))


def _menu(parent: QWidget) -> QMenu:
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    return menu


def _choice(menu: QMenu, group: QActionGroup, text: str, detail: str, checked: bool) -> QAction:
    action = menu.addAction(text)
    action.setCheckable(True)
    action.setChecked(checked)
    action.setToolTip(detail)
    group.addAction(action)
    return action


def _open_above(menu: QMenu, button: QWidget) -> None:
    menu.popup(button.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))
