"""Skills in the real window: chosen after a slash, sent, shown as chips, taken away."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from kinet.ui.writing.completion_menu import CompletionMenu
from tests.skills.skill_kit import ten_skills, write_skill
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Nobody's own skills are read.
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    place = tmp_path / "work"
    place.mkdir()
    return place


def menu(live: LiveWindow) -> CompletionMenu:
    found = live.panel.findChild(CompletionMenu)
    assert isinstance(found, CompletionMenu)
    return found


async def focused(live: LiveWindow) -> None:
    live.window.activateWindow()
    live.panel.composer.edit.setFocus()
    await until(live.panel.composer.edit.hasFocus)


def system(body: dict) -> str:
    return str(body["messages"][0]["content"])


async def test_a_skill_is_chosen_after_a_slash_sent_and_shown_as_a_chip(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    with ScriptedServer(says("One."), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await focused(live)
            edit, chips = live.panel.composer.edit, live.panel.composer.skills
            QTest.keyClicks(edit, "/")
            await until(lambda: "/tidy-notes" in menu(live).titles(), what="skills are offered")
            assert "/by-model" not in menu(live).titles(), "that one is for the model alone"
            QTest.keyClicks(edit, "rev")
            await until(lambda: menu(live).titles() == ["/review-change"])
            assert not chips.isVisible()
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert edit.text() == "/review-change ", "arguments may follow"
            QTest.keyClicks(edit, "main deep")
            QTest.keyClick(edit, Qt.Key.Key_Return)
            await until(lambda: live.panel.runner.running or server.bodies)
            await live.ended()
            first = system(server.bodies[0])
            assert "Review the branch main." in first
            assert "- tidy-notes: Puts notes in order" in first
            assert chips.names == ("review-change",)
            assert chips.isVisible()
            assert "The skill review-change is active from now on" in live.text
            await live.ask("And now?")
            assert system(server.bodies[1]) == first
            chip = chips._chips[0]
            QTest.mouseClick(chip.close_button, Qt.MouseButton.LeftButton)
            assert not chips.isVisible()
            await live.ask("Without it")
            assert "Review the branch" not in system(server.bodies[2])


async def test_the_model_loads_a_skill_and_the_step_shows_it(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    script = (asks_for("skill", name="run-checks", arguments="src"), says("Done."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Check it")
            assert "with src and read" in str(server.bodies[1]["messages"][-1])
            assert live.panel.composer.skills.names == ()
            live.panel.transcript.open_step(-1)
            detail = live.window.findChild(object, "stepDetail")
            assert "run-checks" in detail.full_text()


async def test_a_project_s_skills_come_with_its_trust(tmp_path: Path, folder: Path) -> None:
    write_skill(folder / ".claude/skills", "local", "Do the local thing.")
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.ask("/local now")
            assert "local thing" not in str(server.bodies[0])
            assert "The skill local is not used" in live.text
            await until(lambda: live.panel.findChild(QWidget, "trustButton") is not None)
            live.press("trustButton")
            await live.ask("/local now")
            assert "Do the local thing." in system(server.bodies[1])
            assert "- local: Does local." in system(server.bodies[1])


async def test_chips_are_there_again_after_a_restart(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    ten_skills(home)
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("/hanyu README")
            id_ = live.panel.session_id
            first = system(server.bodies[0])
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.open_session(id_)
            assert live.panel.composer.skills.names == ("hanyu",)
            await live.ask("Go on")
            assert system(server.bodies[1]) == first
