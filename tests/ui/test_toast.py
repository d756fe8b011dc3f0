"""The toast: read whole, whatever the room."""

from __future__ import annotations

import gc

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from kinet.ui.kit.toast import HEIGHT, Toast
from kinet.ui.look.look import Look
from tests.support.window import until


def test_a_message_without_room_for_one_line_goes_on_in_the_next(app: QApplication) -> None:
    window = QWidget()
    window.resize(900, 600)
    toast = Toast(window)
    window.show()
    words = "The folder could not be read: permission denied. Choose another one, or change it."
    toast.tell(words)
    assert toast.height() == HEIGHT
    window.resize(300, 600)
    toast.place()
    assert toast.height() > HEIGHT
    assert toast.geometry().left() >= 16
    assert toast.geometry().right() <= 300 - 16
    label = toast._label
    assert label.height() >= label.heightForWidth(label.width())
    toast.tell("Deleted", "Undo", lambda: None)
    assert toast.height() == HEIGHT


def test_it_stands_above_a_composer_that_becomes_higher(app: QApplication) -> None:
    window = QWidget()
    window.resize(900, 600)
    read, other = QWidget(window), QWidget(window)
    read.setGeometry(0, 44, 900, 440)
    other.setGeometry(0, 44, 900, 500)
    toast = Toast(window)
    window.show()
    toast.stand_on(read)
    toast.tell("Answer copied")
    assert toast.geometry().bottom() < read.geometry().bottom()
    read.resize(900, 240)
    assert toast.geometry().bottom() < read.geometry().bottom()
    toast.stand_on(other)
    assert toast.geometry().bottom() > 500
    read.resize(900, 100)
    read.deleteLater()
    app.sendPostedEvents(read, QEvent.Type.DeferredDelete)
    assert toast.geometry().bottom() > 500
    window.close()


def test_a_message_on_screen_stays_whole_when_its_words_grow(app: QApplication) -> None:
    window = QWidget()
    window.resize(420, 600)
    toast = Toast(window)
    look = Look(app, "light")
    look.apply()
    window.show()
    toast.tell("Kept with the message, not sent. Edit brings it back.", "Undo", lambda: None)
    look.set_zoom(150)
    label = toast._label
    assert label.height() >= label.heightForWidth(label.width())
    assert toast.geometry().right() <= 420 - 16
    look.set_zoom(100)
    window.close()


def test_a_toast_ends_with_its_window_and_with_what_it_stands_on(
    app: QApplication, qtbot: QtBot
) -> None:
    """While Qt takes a window apart events still come to what is left of the toast."""
    with qtbot.captureExceptions() as faults:
        window = QWidget()
        read = QWidget(window)
        toast = Toast(window)
        toast.stand_on(read)
        toast.tell("Copied")
        window.show()
        QApplication.sendPostedEvents()
        delete(read)
        toast.place()
        del toast, read
        gc.collect()
        delete(window)
    assert faults == []


async def test_the_keyboard_finds_it_waiting_and_goes_back_to_where_it_came_from(
    app: QApplication,
) -> None:
    window = QWidget()
    window.resize(900, 600)
    field, other = QLineEdit(window), QPushButton("Other", window)
    other.move(0, 60)
    done: list[str] = []
    toast = Toast(window)
    window.show()
    window.activateWindow()
    await until(window.isActiveWindow)
    field.setFocus()
    toast.tell("Deleted", "Undo", lambda: done.append("undone"), seconds=30)
    button = toast.findChild(QPushButton)
    assert button is not None
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert not toast._timer.isActive()
    other.setFocus()
    assert toast._timer.isActive()
    field.setFocus()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Return)
    assert done == ["undone"]
    assert not toast.isVisible()
    assert field.hasFocus()
    window.deleteLater()


def test_one_that_is_to_stay_stays_when_the_pointer_leaves_it(app: QApplication) -> None:
    window = QWidget()
    window.resize(900, 600)
    toast = Toast(window)
    window.show()
    toast.tell("The disk is full.", seconds=0)
    app.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert not toast._timer.isActive()
    toast.tell("Saved")
    app.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert toast._timer.isActive()
    window.deleteLater()
