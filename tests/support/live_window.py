"""A real window over a real runtime, against a scripted server: what a person does, by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from kinet.app import create_window, end_window
from kinet.runtime import create_runtime
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.main_window import MainWindow
from kinet.ui.writing.completion_menu import CompletionMenu
from tests.support.window import until


class LiveWindow:
    """One window and the acts of the person in front of it."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    @property
    def panel(self) -> ChatPanel:
        """The session on screen."""
        return self.window.panel

    def find(self, kind: type[Any], name: str) -> Any:
        """The widget of this name in the session on screen, or anywhere in the window."""
        found = self.panel.findChild(kind, name) or self.window.findChild(kind, name)
        assert found is not None, f"there is no {name}"
        return found

    def type(self, text: str) -> None:
        """Writes into the composer."""
        self.find(QWidget, "composer").set_text(text)

    def press(self, name: str) -> None:
        """Clicks the button of this name."""
        button = self.find(QWidget, name)
        assert button.isEnabled(), f"{name} cannot be pressed"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    async def say(self, text: str) -> None:
        """Writes and sends; returns when the turn runs."""
        self.type(text)
        self.press("sendButton")
        await until(lambda: self.panel.runner.running, what="the turn starts")

    async def ask(self, text: str) -> None:
        """Writes, sends, and waits for the end of the turn."""
        await self.say(text)
        await self.ended()

    async def ended(self) -> None:
        """Returns when no turn runs on screen."""
        await until(lambda: not self.panel.runner.running, what="the turn ends")

    async def question(self) -> QWidget:
        """The approval card, when it is there."""
        await until(lambda: self.panel.approvals.cards(), what="a question is asked")
        card: QWidget = self.panel.approvals.cards()[0]
        return card

    async def allow(self) -> None:
        """Presses "Allow once" on the card."""
        await self.answer("approveButton")

    async def answer(self, name: str) -> None:
        """Presses the button of this name on the card, as soon as the card takes an answer."""
        card = await self.question()
        button = card.findChild(QPushButton, name)
        assert button is not None, f"the card has no {name}"
        # A card takes no answer in its first moment.
        await until(lambda: self._answered(button, card), what="the card is answered")

    def _answered(self, button: QPushButton, card: QWidget) -> bool:
        if card not in self.panel.approvals.cards():
            return True
        button.click()
        return False

    @property
    def menu(self) -> CompletionMenu:
        """The menu of completions of the panel on screen."""
        found = self.panel.findChild(CompletionMenu)
        assert isinstance(found, CompletionMenu)
        return found

    async def focus_composer(self) -> None:
        """Puts the caret into the composer."""
        self.window.activateWindow()
        self.panel.composer.edit.setFocus()
        await until(self.panel.composer.edit.hasFocus)

    @property
    def text(self) -> str:
        """The whole conversation as it is shown."""
        return self.panel.transcript.plain_text()


@asynccontextmanager
async def live_window(
    home: Path,
    *,
    server_url: str = "",
    folder: Path | None = None,
    theme: str = "light",
    **values: Any,
) -> AsyncIterator[LiveWindow]:
    """Opens the window on `home`; closes window and runtime in order at the end."""
    runtime = create_runtime(
        home=home,
        base_url=server_url,
        model="scripted" if server_url else "",
        cwd=folder,
        theme=theme,
        **values,
    )
    window = create_window(runtime)
    window.show()
    try:
        await window.ready()
        assert window.problem == ""
        assert window.panel.body.transcript is not None
        yield LiveWindow(window)
    finally:
        window.desk.save_drafts()
        await end_window(window, runtime)
        window.deleteLater()
