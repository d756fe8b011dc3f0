"""Run by a test: types a key into the settings of a real window, then asks the model with it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton

from tests.support.live_window import live_window
from tests.support.window import QtLoopPolicy, until


async def main(home: Path, folder: Path, key: str) -> None:
    """Everything by the person's own means: the field, the button, the composer."""
    async with live_window(home, folder=folder) as live:
        live.window.parts.models.open_settings("models")
        field: QLineEdit = live.find(QLineEdit, "apiKeyField")
        await until(lambda: field.isVisible() and field.isEnabled())
        QTest.keyClicks(field, key)
        save: QPushButton = live.find(QPushButton, "apiKeySaveButton")
        QTest.mouseClick(save, Qt.MouseButton.LeftButton)
        await until(lambda: not field.text(), what="the key is saved")
        live.window.parts.models.settings.dialog.close()
        await live.ask("Is my key good?")
        assert "It is." in live.text


if __name__ == "__main__":
    from PySide6.QtWidgets import QApplication

    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    asyncio.set_event_loop_policy(QtLoopPolicy(app))
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
