"""Prompts of servers in the composer: offered after a slash, read before they are sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from kinet.mcp.prompts import OfferedPrompt, PromptArgument
from kinet.ui.main_window import MainWindow
from kinet.ui.writing.completion_menu import CompletionMenu
from tests.support.fake_program import FakeProgram
from tests.support.fake_servers import FakeServers, Server
from tests.support.shell_window import shell_window
from tests.support.window import until
from tests.ui.test_servers_view import Page

REVIEW = OfferedPrompt("Review_all", "Reviews it", (PromptArgument("path", True),))
DOCS = Server("docs", state="ready", prompts=(REVIEW,))


@pytest.fixture
def program(app: object, tmp_path: Path) -> FakeProgram:
    program = FakeProgram(tmp_path)
    program.services.servers = FakeServers([DOCS, Server("off", state="failed", prompts=(REVIEW,))])
    return program


async def known(window: MainWindow, program: FakeProgram) -> None:
    """Something happened to a server, and it was read."""
    program.services.servers.change("docs")
    await until(window.core.servers.prompts)


async def test_a_prompt_is_offered_called_and_read_before_it_is_sent(program: FakeProgram) -> None:
    async with shell_window(program) as window:
        await known(window, program)
        edit = window.panel.composer.edit
        edit.setFocus()
        QTest.keyClicks(edit, "/docs")
        menu = window.panel.findChild(CompletionMenu)
        assert isinstance(menu, CompletionMenu)
        assert menu.titles() == ["/docs:Review_all"]
        commands = window.core.servers.prompts()
        assert [(it.name, it.detail) for it in commands] == [
            ("docs:Review_all", "Reviews it · docs (path)")
        ]
        QTest.keyClicks(edit, ":Review_all a.py")
        QTest.keyClick(edit, Qt.Key.Key_Return)
        await until(lambda: edit.text() == "Review all.")
        assert ("prompt", "docs", "Review_all", "a.py") in program.services.servers.done
        assert not window.panel.session_id, "nothing was sent"


async def test_the_row_of_a_server_says_how_they_are_called(app: object, qtbot: QtBot) -> None:
    many = tuple(OfferedPrompt(f"p{number}") for number in range(14))
    page = Page(qtbot, DOCS, Server("many", prompts=many), Server("none"))
    first = (await page.unfold("docs")).details
    second = (await page.unfold("many")).details
    third = (await page.unfold("none")).details
    assert first is not None
    assert second is not None
    assert third is not None
    assert first.prompts.text() == "Prompts, for the composer: /docs:Review_all"
    assert second.prompts.text().endswith("/many:p11 and 2 more")
    assert not third.prompts.isVisible()


@pytest.mark.parametrize("said", ["!rm -rf notes", "/compact", "!!ls"])
async def test_no_prompt_is_a_command(program: FakeProgram, said: str) -> None:
    program.services.servers.prompts.said = said
    async with shell_window(program) as window:
        await known(window, program)
        edit = window.panel.composer.edit
        edit.set_text("/docs:Review_all a.py")
        QTest.keyClick(edit, Qt.Key.Key_Return)
        await until(lambda: said in edit.text())
        assert edit.text() == f"/docs:Review_all\n\n{said}"


async def test_what_cannot_be_called_comes_back_with_the_reason(program: FakeProgram) -> None:
    program.services.servers.prompts.refusal = "Review_all needs path."
    async with shell_window(program) as window:
        await known(window, program)
        said: list[str] = []
        window.panel.problem.connect(said.append)
        edit = window.panel.composer.edit
        edit.set_text("/docs:Review_all x")
        QTest.keyClick(edit, Qt.Key.Key_Return)
        await until(lambda: said)
        assert said == ["Review_all needs path."]
        assert edit.text() == "/docs:Review_all x"
