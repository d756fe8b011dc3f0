"""Each kind of control shows the pointer, the keyboard, that it is pressed, and that it waits."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QDoubleSpinBox,
    QLineEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.chat.header import FolderChip
from kinet.ui.chat.starters_page import StarterButton
from kinet.ui.chat.status_row import ContextGauge
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import IconButton, MenuButton
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.switch import Switch
from kinet.ui.kit.text_field import TextField
from kinet.ui.look.theme import current_theme
from kinet.ui.sessions.sidebar import Sidebar
from kinet.ui.writing.composer import SendButton, StopButton
from tests.support.window import apply_look, grab, until

# Each makes one control, or the whole and the control in it.
Maker = Callable[[QWidget], QWidget | tuple[QWidget, QWidget]]


def _choice(page: QWidget) -> QWidget:
    box = ChoiceBox("Key", page)
    box.addItems(["Enter", "Ctrl+Enter"])
    return box


def _gauge(page: QWidget) -> QWidget:
    gauge = ContextGauge(page)
    gauge.set_use(4_000, 128_000)
    return gauge


def _new_session(page: QWidget) -> tuple[QWidget, QWidget]:
    sidebar = Sidebar(page)
    return sidebar, sidebar.new_button


def _segment(page: QWidget, value: str) -> tuple[QWidget, QWidget]:
    segments = Segments([("a", "Text"), ("b", "Form")], "Seen as", page)
    segments.set_theme(current_theme())
    segments.choose("a")
    return segments, segments.buttons[value]


def _checked(button: QAbstractButton) -> QAbstractButton:
    button.setCheckable(True)
    button.setChecked(True)
    return button


BUTTONS: dict[str, Maker] = {
    **{
        f"button {kind}": lambda page, kind=kind: TextButton("Save", page, kind=kind)
        for kind in ("", "primary", "danger", "quiet", "link")
    },
    "icon": lambda page: IconButton("copy", "Copy", parent=page),
    "menu": lambda page: MenuButton("model", "Lumen", "Model", page),
    "switch off": lambda page: Switch("Rules", page),
    "switch on": lambda page: _checked(Switch("Rules", page)),
    "check box off": lambda page: QCheckBox("Keep", page),
    "check box on": lambda page: _checked(QCheckBox("Keep", page)),
    "radio off": lambda page: QRadioButton("Lumen", page),
    "radio on": lambda page: _checked(QRadioButton("Lumen", page)),
    "segment": lambda page: _segment(page, "b"),
    "starter": lambda page: StarterButton("Explain this.", page),
    "folder": FolderChip,
    "new session": _new_session,
    "gauge": _gauge,
    "send": SendButton,
    "stop": StopButton,
}
# What is chosen answers to the pointer too, but cannot be pressed to any effect.
CHOSEN: dict[str, Maker] = {"segment on": lambda page: _segment(page, "a")}
FIELDS: dict[str, Maker] = {
    "line": lambda page: QLineEdit("words", page),
    "choice": _choice,
    "number": QSpinBox,
    "money": QDoubleSpinBox,
    "text": lambda page: TextField("Text", page),
}
# These are never switched off.
_ALWAYS_ON = ("starter", "folder", "new session", "gauge", "stop")


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("kind", [*BUTTONS, *CHOSEN, *FIELDS])
async def test_each_state_of_a_control_looks_different(
    app: QApplication, mode: str, kind: str
) -> None:
    if mode == "dark":
        apply_look(app, mode)
    page = QWidget()
    page.setProperty("surface", "canvas")
    first = QLineEdit(page)
    made = (BUTTONS | CHOSEN | FIELDS)[kind](page)
    whole, control = made if isinstance(made, tuple) else (made, made)
    column = QVBoxLayout(page)
    column.addWidget(first)
    column.addWidget(whole)
    page.show()
    page.activateWindow()
    await until(page.isActiveWindow)
    first.setFocus()
    seen: dict[str, QImage] = {"rest": grab(control)}
    over = control.viewport() if isinstance(control, QAbstractScrollArea) else control
    QTest.mouseMove(over, QPoint(8, over.height() // 2))
    await until(over.underMouse)
    seen["hover"] = grab(control)
    if kind in BUTTONS:
        assert isinstance(control, QAbstractButton)
        control.setDown(True)
        seen["pressed"] = grab(control)
        control.setDown(False)
    QTest.mouseMove(first)
    await until(lambda: not over.underMouse())
    if control.focusPolicy() & Qt.FocusPolicy.TabFocus:
        QTest.keyClick(first, Qt.Key.Key_Tab)
        control.setFocus(Qt.FocusReason.TabFocusReason)
        seen["focus"] = grab(control)
        control.clearFocus()
    if kind not in _ALWAYS_ON:
        control.setEnabled(False)
        seen["disabled"] = grab(control)
    alike = [
        f"{one} = {other}"
        for one, other in itertools.combinations(seen, 2)
        if seen[one] == seen[other]
    ]
    page.deleteLater()
    assert alike == []
