"""Servers beside the conversation: woken by the first letter, told of once when one fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from kinet.ui.chat.banner import Banner
from kinet.ui.main_window import MainWindow
from tests.support.fake_program import FakeProgram
from tests.support.fake_servers import FakeServers, Server
from tests.support.shell_window import shell_window
from tests.support.window import until

WHY = "The program ended before it answered."


@pytest.fixture
def program(app: object, tmp_path: Path) -> FakeProgram:
    program = FakeProgram(tmp_path)
    program.services.servers = FakeServers([Server("docs"), Server("time", state="ready")])
    return program


def banner(window: MainWindow) -> Banner:
    found = window.panel.findChild(Banner)
    assert isinstance(found, Banner)
    return found


def done(program: FakeProgram, what: str) -> list[tuple[object, ...]]:
    return [act for act in program.services.servers.done if act[0] == what]


async def test_the_first_letter_wakes_the_servers_once_and_the_session_takes_them_over(
    program: FakeProgram,
) -> None:
    async with shell_window(program) as window:
        edit = window.panel.composer.edit
        assert done(program, "wake") == []
        QTest.keyClicks(edit, "  ")
        assert done(program, "wake") == [], "nothing is written yet"
        QTest.keyClicks(edit, "Hello")
        await until(lambda: done(program, "wake"))
        assert done(program, "wake") == [("wake", "new", program.home)]
        QTest.keyClick(edit, Qt.Key.Key_Return)
        await until(lambda: done(program, "leave"), what="the session holds them itself")
        assert done(program, "leave") == [("leave", "new")]
        QTest.keyClicks(edit, "And")
        await until(lambda: len(done(program, "wake")) == 2)
        assert done(program, "wake")[1][1] == window.panel.session_id


async def test_one_that_fails_is_told_of_once_until_it_worked_again(program: FakeProgram) -> None:
    servers = program.services.servers
    async with shell_window(program) as window:
        line = banner(window)
        servers.change("docs", state="failed", reason=WHY)
        await until(line.isVisible)
        assert line.label.whole_text() == f"The server docs does not work: {WHY}"
        assert not line.button.hasFocus(), "nobody is interrupted"
        line.hide()
        servers.change("time", state="starting")
        servers.change("docs", reason="Another word.")
        servers.change("time", state="ready")
        await until(lambda: not window.core.servers._reading)
        assert not line.isVisible(), "it was told"
        servers.change("docs", state="ready", reason="")
        await until(lambda: not window.core.servers._reading)
        servers.change("docs", state="failed", reason=WHY)
        await until(line.isVisible, what="it is another failure")
        servers.change("docs", state="ready", reason="")
        await until(lambda: not line.isVisible(), what="it works again")


async def test_several_that_fail_at_once_are_one_line(program: FakeProgram) -> None:
    servers = program.services.servers
    async with shell_window(program) as window:
        servers.servers = [Server(n, state="failed", reason=WHY) for n in ("docs", "time")]
        servers.change("docs")
        await until(banner(window).isVisible)
        words = banner(window).label.whole_text()
        assert words == f"2 servers do not work; time: {WHY}"


async def test_it_takes_no_other_line_s_place_and_leads_to_the_row(program: FakeProgram) -> None:
    servers = program.services.servers
    async with shell_window(program) as window:
        line, wanted = banner(window), []
        window.core.servers.server_wanted.disconnect()
        window.core.servers.server_wanted.connect(wanted.append)
        line.tell("offline", "The model cannot be reached.", "Try again", lambda: None)
        servers.change("docs", state="failed", reason=WHY)
        await until(lambda: window.core.servers._waiting)
        assert line.label.whole_text() == "The model cannot be reached."
        line.take_away("offline")
        window.core.servers.follow(window.panel)
        await until(line.isVisible, what="it waited for its turn")
        assert "The server docs does not work" in line.label.whole_text()
        QTest.mouseClick(line.button, Qt.MouseButton.LeftButton)
        assert wanted == ["docs"]


async def test_a_window_that_goes_hears_no_more_of_them(program: FakeProgram) -> None:
    servers = program.services.servers
    async with shell_window(program):
        assert servers.listeners == 1
    await until(lambda: servers.listeners == 0)
