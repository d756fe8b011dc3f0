"""A session without messages offers three first tasks that fit its folder, and sends none."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog

from kinet.local.tour_folder import starter_prompts
from kinet.ui.asking.trust_page import TrustPage
from kinet.ui.chat.starters_page import StartersPage
from kinet.ui.kit import tasks
from kinet.ui.look.theme import current_theme
from kinet.ui.main_window import MainWindow
from kinet.ui.welcome.welcome import WelcomePage
from kinet.workspace.starters import ANY_FOLDER, CODE, EMPTY, NO_FOLDER, UNREADABLE, Starters
from tests.support.fake_program import FakeProgram
from tests.support.focus_seen import walk
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, says
from tests.support.shell_window import shell_window
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def page(window: MainWindow) -> StartersPage | None:
    found = [item for item in window.panel.findChildren(StartersPage) if item.isVisible()]
    assert len(found) < 2
    return found[0] if found else None


def offered(window: MainWindow) -> tuple[str, ...]:
    shown = page(window)
    return () if shown is None else tuple(button.text() for button in shown.buttons)


def _looking() -> bool:
    return any(task.get_name() == "first tasks for the folder" for task in tasks.running())


async def offers(live: LiveWindow, starters: Starters) -> StartersPage:
    await until(lambda: offered(live.window) == starters.prompts, what="the tasks are offered")
    shown = page(live.window)
    assert shown is not None
    return shown


async def test_a_task_goes_into_the_composer_which_has_the_focus_and_nothing_is_sent(
    home: Path, project: Path
) -> None:
    with ScriptedServer(says("It is small.")) as server:
        async with live_window(home, server_url=server.base_url, folder=project) as live:
            edit = live.panel.composer.edit
            shown = await offers(live, CODE)
            await until(edit.hasFocus, what="the composer has the focus")
            button = shown.buttons[0]
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            assert live.panel.composer.text() == CODE.prompts[0]
            assert edit.textCursor().atEnd()
            assert edit.hasFocus()
            assert page(live.window) is None
            # An emptied draft is none.
            edit.selectAll()
            QTest.keyClick(edit, Qt.Key.Key_Delete)
            assert offered(live.window) == CODE.prompts
            assert edit.hasFocus()
            assert server.bodies == []
            await live.ask("Hello")
            live.panel.composer.set_content("")
            assert page(live.window) is None
            assert "It is small." in live.text
            assert live.panel.findChildren(StartersPage) == []
            live.window.desk.new()
            await offers(live, CODE)


async def test_the_keyboard_reaches_each_task_and_enter_presses_it(
    home: Path, project: Path
) -> None:
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, folder=project) as live:
            shown = await offers(live, CODE)
            await live.focus_composer()
            before: list[QAbstractButton] = []
            at = live.panel.composer.edit.previousInFocusChain()
            while at is not live.panel.header.more_button:
                if at in shown.buttons:
                    before.insert(0, at)
                at = at.previousInFocusChain()
            assert before == list(shown.buttons)
            assert live.panel.body.first_stop is shown.buttons[0]
            shown.buttons[2].setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(shown.buttons[2], Qt.Key.Key_Return)
            assert live.panel.composer.text() == CODE.prompts[2]
            assert live.panel.composer.edit.hasFocus()
            assert server.bodies == []
            assert [button.accessibleName() for button in shown.buttons] == list(CODE.prompts)
            assert all("nothing is sent" in item.accessibleDescription() for item in shown.buttons)


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_each_stop_is_named_and_seen(home: Path, theme: str) -> None:
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, theme=theme) as live:
            live.window.activateWindow()
            await until(lambda: page(live.window) is not None)
            stops, faults = await walk(live.window)
            assert faults == []
            assert all(any(prompt[:60] in stop for stop in stops) for prompt in NO_FOLDER.prompts)


async def test_another_folder_brings_other_tasks(home: Path, project: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url) as live:
            await until(lambda: page(live.window) is not None)
            assert offered(live.window) == ("Choose a folder…", *NO_FOLDER.prompts)
            live.press("starterFolder")
            (dialog,) = live.window.findChildren(QFileDialog)
            dialog.fileSelected.emit(str(project))
            dialog.close()
            await offers(live, CODE)
            live.window.core.parts.files.use_folder(tmp_path / "empty")
            await offers(live, EMPTY)


async def test_a_folder_that_is_opened_without_trust_gets_general_tasks(
    home: Path, project: Path
) -> None:
    (project / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, folder=project) as live:
            assert live.find(TrustPage, "trustPage").isVisible()
            assert page(live.window) is None
            live.press("openWithoutTrustButton")
            await offers(live, ANY_FOLDER)


async def test_a_folder_that_is_gone_is_said_to_be_so(home: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        gone = tmp_path / "gone"
        async with live_window(home, server_url=server.base_url, folder=gone) as live:
            shown = await offers(live, UNREADABLE)
            assert "cannot be read" in shown.accessibleName()
            assert len(shown.buttons) == 3


async def test_without_a_model_the_welcome_page_is_all_there_is(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path)
    models, program.settings.models = program.settings.models, []
    async with shell_window(program) as window:
        assert page(window) is None
        welcome = window.panel.findChild(WelcomePage)
        assert welcome is not None
        welcome.skip.click()
        # A task could not be sent either.
        assert window.panel.body.first_stop is window.panel.transcript
        program.settings.models = models
        window.core.parts.models.refresh()
        await until(lambda: page(window) is not None, what="the tasks are offered")


async def test_a_draft_that_was_kept_keeps_the_tasks_away(home: Path, project: Path) -> None:
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, folder=project) as live:
            live.type("half a tho")
        async with live_window(home, server_url=server.base_url, folder=project) as live:
            assert live.panel.composer.text() == "half a tho"
            assert page(live.window) is None
            live.type("")
            await offers(live, CODE)


async def test_what_is_found_too_late_is_not_shown(tmp_path: Path, project: Path) -> None:
    program = FakeProgram(tmp_path)
    program.folder = project
    release, began = threading.Event(), threading.Event()

    def slowly(folder: Path | None) -> Starters:
        if folder == project:
            began.set()
            release.wait(10)
            return CODE
        return EMPTY

    program.services.starters = slowly  # type: ignore[method-assign]
    async with shell_window(program) as window:
        await until(began.is_set)
        other = tmp_path / "other"
        other.mkdir()
        window.core.parts.files.use_folder(other)
        await until(lambda: offered(window) == EMPTY.prompts)
        release.set()
        await until(lambda: not _looking(), what="the slow look ends")
        assert offered(window) == EMPTY.prompts
        window.core.parts.files.use_folder(project)
        await until(lambda: offered(window) == CODE.prompts)
        window.core.parts.files.use_folder(other)
        await until(lambda: offered(window) == EMPTY.prompts)


async def test_the_sample_folder_has_tasks_that_the_tour_knows(home: Path) -> None:
    async with live_window(home) as live:
        live.window.core.parts.models.start_tour()
        # What will be in the code font stands there without its marks.
        first, *others = starter_prompts()
        shown_words = (first.replace("`", ""), *others)
        await until(lambda: offered(live.window) == shown_words, what="the tour's tasks")
        shown = page(live.window)
        assert shown is not None
        QTest.mouseClick(shown.buttons[0], Qt.MouseButton.LeftButton)
        assert live.panel.composer.text() == first
        assert "`" in first


async def test_the_composer_has_the_focus_when_the_tour_was_chosen(home: Path) -> None:
    async with live_window(home) as live:
        live.window.activateWindow()
        live.press("tourButton")
        await until(lambda: live.panel.session is not None, what="the tour is on screen")
        await until(live.panel.composer.edit.hasFocus, what="the composer has the focus")


@pytest.mark.parametrize(("width", "height", "zoom"), [(1200, 800, 100), (720, 480, 150)])
async def test_words_stand_whole_and_nothing_covers_the_composer(
    tmp_path: Path, width: int, height: int, zoom: int
) -> None:
    program = FakeProgram(tmp_path)
    program.folder = None
    async with shell_window(program) as window:
        window.look.set_zoom(zoom)
        window.resize(width, height)
        await until(lambda: page(window) is not None)
        shown = page(window)
        assert shown is not None
        panel = window.panel
        foot = shown.mapTo(panel, shown.rect().bottomLeft()).y()
        assert foot < panel.composer.mapTo(panel, panel.composer.rect().topLeft()).y()
        metrics = QFontMetrics(current_theme().font("ui"))
        await until(lambda: shown.horizontalScrollBar().maximum() == 0)
        for button in shown.buttons:
            room = button.width() - 32
            lines = -(-metrics.horizontalAdvance(button.text()) // room)
            assert button.height() >= lines * metrics.height()
            button.setFocus(Qt.FocusReason.TabFocusReason)
            shown.ensureWidgetVisible(button)
            top = button.mapTo(shown.viewport(), button.rect().topLeft()).y()
            assert 0 <= top <= shown.viewport().height() - button.height()


async def test_model_folder_and_approval_mode_are_read_in_a_new_session(
    home: Path, project: Path
) -> None:
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, folder=project) as live:
            await offers(live, CODE)
            for width in (1200, 720):
                live.window.resize(width, 600)
                said = (
                    live.panel.composer.box.model,
                    live.panel.composer.box.mode,
                    live.panel.header.folder,
                )
                for part, words in zip(said, ("", "Ask before changes", "project"), strict=True):
                    assert part.isVisible()
                    assert part.text()
                    assert words in part.text()
                    assert part.width() >= part.sizeHint().width()
