"""The moment between the first picture of the window and its parts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest

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
