"""The second half of the start: once, in a thread, at the first sign that the window is used."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.events import MessageCompleted, TurnFinished
from kinet.core.messages import Message
from kinet.ui.chat.chat_body import ChatBody
from kinet.ui.kit.warm_up import WarmUp
from kinet.ui.look.theme import current_theme
from kinet.ui.transcript.view import Transcript
from tests.support.fake_program import FakeProgram, FakeSession
from tests.support.shell_window import shell_window
from tests.support.window import until

pytestmark = pytest.mark.window


async def test_the_first_key_in_any_window_begins_it_and_it_is_done_once() -> None:
    threads: list[threading.Thread] = []
    room = QWidget()
    warm_up = WarmUp(lambda: threads.append(threading.current_thread()), room)
    warm_up.watch(room)
    other = QLineEdit()
    other.show()
    QTest.keyClick(other, Qt.Key.Key_X)
    await asyncio.sleep(0.05)
    # Nor does a window begin it that is closed already.
    assert threads == []
    room.show()
    other.clear()
    QTest.keyClick(other, Qt.Key.Key_A)
    QTest.mouseClick(other, Qt.MouseButton.LeftButton)
    await warm_up.wait()
    QTest.keyClick(other, Qt.Key.Key_B)
    await warm_up.wait()
    assert warm_up.is_done
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    assert other.text() == "ab"


async def test_what_fails_holds_nobody_and_is_tried_again() -> None:
    tries: list[int] = []
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, said: told.append(said))

    def act() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise ImportError("a file of the program is missing")

    # It would go with its room.
    room = QWidget()
    warm_up = WarmUp(act, room)
    await asyncio.wait_for(warm_up.wait(), 5)
    assert not warm_up.is_done
    assert [str(said["exception"]) for said in told] == ["a file of the program is missing"]
    await asyncio.wait_for(warm_up.wait(), 5)
    assert warm_up.is_done


async def test_a_card_that_comes_before_the_transcript_is_in_it_later() -> None:
    body = ChatBody()
    kept, gone = QLabel("kept"), QLabel("gone")
    body.add_card(kept)
    body.add_card(gone)
    body.remove_card(gone)
    transcript = Transcript(current_theme(), body)
    body.set_transcript(transcript)
    assert kept.parent() is transcript.viewport()
    assert gone.parent() is None
    body.remove_card(kept)
    assert kept.isHidden()


async def test_a_message_sent_at_once_is_shown_whole_with_its_question(
    tmp_path: Path,
) -> None:
    """The first key of a person may be Enter, over a text that was kept."""
    events: list[Any] = []

    async def script(session: FakeSession, text: str, approver: Any) -> Any:
        request = ApprovalRequest("a1", "c1", "shell", "command", "Run this command?", "make")
        events.append(await approver.ask(request))
        yield MessageCompleted(Message("assistant", "Made."))
        yield TurnFinished("completed")

    program = FakeProgram(tmp_path, script=script)
    release = threading.Event()
    program.warm_up = lambda: release.wait(10)  # type: ignore[method-assign]
    async with shell_window(program, used=False) as window:
        panel = window.panel
        assert panel.body.transcript is None
        panel.composer.edit.insertPlainText("make it")
        panel.composer.edit.setFocus()
        QTest.keyClick(panel.composer.edit, Qt.Key.Key_Return)
        assert panel.runner.running
        await asyncio.sleep(0.05)
        assert panel.body.transcript is None
        release.set()
        await until(lambda: panel.approvals.cards(), what="the question comes")
        card = panel.approvals.cards()[0]
        assert card.parent() is panel.transcript.viewport()
        card.answer(Decision(True))
        await until(lambda: not panel.runner.running, what="the turn ends")
        assert panel.transcript.plain_text() == "**You:** make it\n\nMade."


async def test_a_window_nobody_uses_makes_no_transcript_and_a_click_makes_it(
    tmp_path: Path,
) -> None:
    program = FakeProgram(tmp_path)
    async with shell_window(program, used=False) as window:
        await asyncio.sleep(0.05)
        assert (window.panel.body.transcript, program.warmed) == (None, 0)
        QTest.mouseClick(window.panel.header, Qt.MouseButton.LeftButton)
        await until(lambda: window.panel.body.transcript is not None)
        assert program.warmed == 1
        # A panel that comes later has one at once.
        assert window.desk.new().body.transcript is not None


async def test_no_command_makes_the_transcript_of_a_panel_in_which_nothing_was_said(
    tmp_path: Path,
) -> None:
    async with shell_window(FakeProgram(tmp_path), used=False) as window:
        actions = window.core.keys.actions
        for name in (
            "outline", "find", "find_next", "find_previous", "previous_question", "next_question",
            "copy_answer", "copy_code", "edit_last", "compare", "export", "retry", "toggle_panel",
            "next_region",
        ):  # fmt: skip
            actions[name].trigger()
            window.panel.find_bar.field.setText(name)
            assert window.panel.body.transcript is None, name
            if name == "outline":
                assert window.parts.toast.text() == "There are no messages yet"


async def test_what_was_typed_on_the_first_picture_begins_it(tmp_path: Path) -> None:
    from kinet.ui.main_window import MainWindow

    program = FakeProgram(tmp_path)
    window = MainWindow(program, "light")  # type: ignore[arg-type]
    window.show()
    QTest.keyClick(window, Qt.Key.Key_H)
    await window.filled()
    await until(lambda: program.warmed == 1)
    assert window.panel.composer.text() == "h"
    window.hide()
    window.deleteLater()
