"""The moment between the first picture of the window and its parts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.app import first_window
from kinet.runtime import create_runtime
from kinet.ui.kit import tasks
from kinet.ui.main_window import MainWindow
from tests.support.fake_program import FakeProgram


async def test_what_is_typed_before_the_composer_is_there_is_in_it_afterwards(
    tmp_path: Path,
) -> None:
    window = MainWindow(FakeProgram(tmp_path), "light")  # type: ignore[arg-type]
    window.show()
    QTest.keyClicks(window, "read the notes")
    await window.ready()
    try:
        assert window.panel.composer.text() == "read the notes"
    finally:
        await tasks.cancel_all()
        window.hide()
        window.deleteLater()


async def test_the_close_of_the_window_does_not_stop_the_loop_of_whoever_made_it(
    tmp_path: Path, app: QApplication
) -> None:
    before = app.quitOnLastWindowClosed()
    app.setQuitOnLastWindowClosed(True)
    try:
        window = first_window(create_runtime(tmp_path))
        window.deleteLater()
        assert not app.quitOnLastWindowClosed()
    finally:
        app.setQuitOnLastWindowClosed(before)
