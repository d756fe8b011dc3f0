"""Where no sandbox works, mode all is confirmed once in a session and leaves a mark."""

from __future__ import annotations

from pathlib import Path

from kinet.ui.desks.unsandboxed_question import UnsandboxedQuestion
from kinet.ui.main_window import MainWindow
from tests.support.fake_program import FakeProgram, FakeSession
from tests.support.window import until
from tests.ui.test_window_shell import shell


def question(window: MainWindow) -> UnsandboxedQuestion | None:
    found = window.findChild(UnsandboxedQuestion)
    return found if found is not None and found.isVisible() else None


def session_of(window: MainWindow, problem: str) -> FakeSession:
    session = window.panel.open_session()
    assert isinstance(session, FakeSession)
    session.no_sandbox = problem
    return session


def word(window: MainWindow) -> str:
    return window.panel.composer.box.mode.text()


async def test_without_a_sandbox_it_is_asked_and_the_mark_stays_until_another_mode(
    tmp_path: Path,
) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        session = session_of(window, "bubblewrap is not installed")
        models = window.parts.models
        models.choose_mode("all")
        await until(lambda: question(window))
        asked = question(window)
        assert asked is not None
        assert asked.stay.isDefault()
        assert not session.unsandboxed
        assert word(window) == "Allow everything"
        asked.allow.click()
        await until(lambda: session.unsandboxed)
        assert word(window) == "Everything, no sandbox"
        models.refresh()
        assert word(window) == "Everything, no sandbox"
        models.choose_mode("ask")
        assert not session.unsandboxed
        assert word(window) == "Ask before changes"


async def test_a_no_leaves_commands_asking(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        session = session_of(window, "bubblewrap is not installed")
        window.parts.models.choose_mode("all")
        await until(lambda: question(window))
        asked = question(window)
        assert asked is not None
        asked.stay.click()
        await until(lambda: question(window) is None)
        assert session.mode == "all"
        assert not session.unsandboxed


async def test_with_a_sandbox_nothing_is_asked(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        session = session_of(window, "")
        window.parts.models.choose_mode("all")
        await window.parts.models._ask_for_unsandboxed(window.panel)
        assert question(window) is None
        assert not session.unsandboxed
