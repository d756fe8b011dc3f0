"""A window whose parts cannot be made says so, and offers a way on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from kinet.app import end_window, first_window
from kinet.runtime import create_runtime
from kinet.ui.sessions import sidebar
from kinet.ui.window import window_core
from tests.support.window import until

pytestmark = pytest.mark.window


async def test_parts_that_cannot_be_made_are_said_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, object]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: told.append(context))

    class Broken:
        def __init__(self) -> None:
            raise RuntimeError("no such icon")

    runtime = create_runtime(home=tmp_path / "home", theme="dark")
    window = first_window(runtime)
    window.show()
    QTest.keyClicks(window, "typed early")
    try:
        monkeypatch.setattr(window_core, "Sidebar", Broken)
        await window.ready()
        assert "no such icon" in window.problem
        words = window.findChild(QLabel, "unbuiltWords")
        assert words is not None
        assert words.isVisible()
        for part in ("no such icon", "kinet run", str(tmp_path / "home"), "typed early"):
            assert part in words.text()
        again = window.findChild(QPushButton, "buildAgainButton")
        assert again is not None
        assert again.hasFocus()
        # The fault itself is reported like any other.
        await until(lambda: told)
        monkeypatch.setattr(window_core, "Sidebar", sidebar.Sidebar)
        QTest.keyClick(again, Qt.Key.Key_Return)
        await window.ready()
        assert window.problem == ""
        assert window.is_built
        assert window.panel.composer.text() == "typed early"
    finally:
        await end_window(window, runtime)
        window.deleteLater()


async def test_a_window_that_could_not_be_made_can_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)

    def broken(*_: object) -> None:
        raise OSError("disk gone")

    runtime = create_runtime(home=tmp_path / "home", theme="light")
    window = first_window(runtime)
    window.show()
    closed: list[bool] = []
    window.closed.connect(lambda: closed.append(True))
    try:
        monkeypatch.setattr(window_core, "WindowFrame", broken)
        await window.ready()
        button = window.findChild(QPushButton, "quitUnbuiltButton")
        assert button is not None
        button.click()
        assert closed == [True]
    finally:
        await end_window(window, runtime)
        window.deleteLater()
