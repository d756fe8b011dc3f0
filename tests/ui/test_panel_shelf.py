"""Hidden sessions are spared a change of looks, and have the look of now when they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from kinet.core.events import MessageCompleted, TurnFinished
from kinet.core.messages import Message
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.look.theme import current_theme
from kinet.ui.main_window import MainWindow
from tests.support.fake_program import Events, FakeProgram, FakeSession, Row
from tests.support.shell_window import shell_window
from tests.support.window import until

pytestmark = pytest.mark.window


class Styled(QObject):
    """Counts the changes of style of a widget."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.StyleChange
        return False


def _two(tmp_path: Path) -> FakeProgram:
    return FakeProgram(tmp_path, [Row("one", "The first"), Row("two", "The second")])


def _opened(window: MainWindow, name: str) -> ChatPanel:
    window.open_session(name)
    assert window.panel.session_id == name
    return window.panel


async def test_a_hidden_session_takes_on_a_look_once_when_it_is_shown(tmp_path: Path) -> None:
    async with shell_window(_two(tmp_path)) as window:
        first = _opened(window, "one")
        second = _opened(window, "two")
        edit = first.composer.edit
        before, styled = edit.font().pixelSize(), Styled(edit)
        for zoom in (120, 150, 200):
            window.look.set_zoom(zoom)
        assert second.composer.edit.font().pixelSize() == current_theme().pixels("answer")
        assert edit.font().pixelSize() == before
        seldom = styled.count
        assert _opened(window, "one") is first
        assert edit.font().pixelSize() == current_theme().pixels("answer")
        assert edit.font().pixelSize() > before
        assert first.transcript.stage.flow.style.theme == current_theme()
        assert first.isVisible()
        assert first.window() is window
        assert styled.count <= seldom + 3
        window.look.set_zoom(100)


async def test_a_session_at_work_stays_in_its_window(tmp_path: Path) -> None:
    program = _two(tmp_path)

    async def works(session: FakeSession, text: str, approver: object) -> Events:
        yield MessageCompleted(Message("assistant", "Working."))
        await session.stopped.wait()
        yield TurnFinished("stopped")

    program.script = works
    async with shell_window(program) as window:
        first = _opened(window, "one")
        first.send("Go")
        await until(lambda: first.runner.running)
        _opened(window, "two")
        window.look.set_zoom(150)
        assert first.window() is window
        assert first.composer.edit.font().pixelSize() == current_theme().pixels("answer")
        first.stop()
        await until(lambda: not first.runner.running)
        window.look.set_zoom(100)


async def test_a_session_that_was_put_away_can_be_let_go(tmp_path: Path) -> None:
    async with shell_window(_two(tmp_path)) as window:
        first = _opened(window, "one")
        _opened(window, "two")
        window.look.set_zoom(150)
        window.desk.forget("one")
        assert first not in window.desk.panels
        again = _opened(window, "one")
        assert again is not first
        assert again.isVisible()
        window.look.set_zoom(100)
