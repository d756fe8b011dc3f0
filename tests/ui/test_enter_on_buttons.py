"""Enter presses the button that has the keyboard, as Space does; once, and without other keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from kinet.ui.asking.answer_card import AnswerCard
from kinet.ui.chat.banner import Banner
from kinet.ui.desks.unsandboxed_question import UnsandboxedQuestion
from kinet.ui.kit.controls import IconButton, MenuButton
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.toast import Toast
from kinet.ui.look.theme import current_theme
from kinet.ui.window.close_question import CloseQuestion, Unfinished


def _buttons(within: QWidget) -> list[QAbstractButton]:
    found = within.findChildren(QAbstractButton)
    return [button for button in found if button.focusPolicy() & Qt.FocusPolicy.TabFocus]


def _banner(parent: QWidget) -> QWidget:
    banner = Banner(parent)
    banner.tell("offline", "There is no network.", "Try again", lambda: None)
    return banner


def _toast(parent: QWidget) -> QWidget:
    toast = Toast(parent)
    toast.tell("It was deleted.", "Undo", lambda: None)
    return toast


PARTS: dict[str, Callable[[QWidget], QWidget]] = {
    "word": lambda parent: TextButton("Look again", parent),
    "icon": lambda parent: IconButton("close", "Close", parent=parent),
    "menu": lambda parent: MenuButton("model", "Lumen", "Model", parent),
    "segments": lambda parent: Segments([("a", "One"), ("b", "Two")], "Which", parent),
    "answers": lambda parent: AnswerCard("Which?", ("October", "November"), current_theme()),
    "banner": _banner,
    "toast": _toast,
}


@pytest.mark.parametrize("part", PARTS)
def test_enter_presses_each_button_once(app: QApplication, qtbot: QtBot, part: str) -> None:
    page = QWidget()
    column = QVBoxLayout(page)
    made = PARTS[part](page)
    column.addWidget(made)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    buttons = [made] if isinstance(made, QAbstractButton) else _buttons(made)
    assert buttons
    for button in buttons:
        pressed: list[QAbstractButton] = []
        button.clicked.connect(lambda *_, of=button, into=pressed: into.append(of))
        made.setEnabled(True)
        button.setEnabled(True)
        made.show()
        button.setFocus()
        for key, held, acting in (
            (Qt.Key.Key_Return, True, Qt.KeyboardModifier.NoModifier),
            (Qt.Key.Key_Return, False, Qt.KeyboardModifier.ControlModifier),
            (Qt.Key.Key_Enter, False, Qt.KeyboardModifier.KeypadModifier),
        ):
            event = QKeyEvent(QEvent.Type.KeyPress, key, acting, "\r", held)
            QApplication.sendEvent(button, event)
        assert pressed == [button], button.accessibleName()


def test_in_a_dialog_enter_presses_what_has_the_keyboard(app: QApplication, qtbot: QtBot) -> None:
    page = QWidget()
    ends: list[int] = []
    qtbot.addWidget(page)
    question = CloseQuestion(Unfinished(True, ()), page)
    question.finished.connect(ends.append)
    question.open()
    stop = next(b for b in _buttons(question) if b.text() == "Stop and quit")
    stop.setFocus()
    QTest.keyClick(stop, Qt.Key.Key_Return)
    assert ends == [QDialog.DialogCode.Accepted]


def test_the_sandbox_is_not_given_up_by_enter(app: QApplication, qtbot: QtBot) -> None:
    page = QWidget()
    ends: list[int] = []
    qtbot.addWidget(page)
    question = UnsandboxedQuestion("bubblewrap is missing", page)
    question.finished.connect(ends.append)
    question.open()
    question.allow.setFocus()
    QTest.keyClick(question.allow, Qt.Key.Key_Return)
    assert ends == []
    QTest.keyClick(question.allow, Qt.Key.Key_Space)
    assert ends == [QDialog.DialogCode.Accepted]
