"""The shell of the window over a program that is not there: geometry, keys, look, names."""

from __future__ import annotations

import ast
import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

import kinet.ui
from kinet.core.approval import ApprovalRequest, Approver
from kinet.core.errors import StoreError
from kinet.core.events import MessageCompleted, TextDelta, TurnFinished
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.ui.chat.starters_page import StartersPage
from kinet.ui.frame.first_picture import first_colors, shell_svg
from kinet.ui.frame.window_geometry import Geometry, clamp, read
from kinet.ui.kit import tasks
from kinet.ui.kit.input_filters import guard_wheel
from kinet.ui.look.theme import load_theme
from kinet.ui.main_window import MainWindow
from kinet.ui.palette.palette import Palette
from kinet.ui.window.close_question import CloseQuestion
from tests.support.fake_program import Events, FakeProgram, FakeSession, Row
from tests.support.window import until


@asynccontextmanager
async def shell(program: FakeProgram, width: int = 1200) -> AsyncIterator[MainWindow]:
    """A window that is built and filled."""
    window = MainWindow(program, "light")  # type: ignore[arg-type]
    window.build()
    window.resize(width, 800)
    window.show()
    await window.ready()
    try:
        yield window
    finally:
        for panel in window.desk.panels:
            panel.stop()
        await tasks.cancel_all()
        window.hide()
        window.deleteLater()


def place(window: MainWindow, widget: QWidget) -> QRect:
    """Where a widget is in the window."""
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


async def waits_for_stop(session: FakeSession, text: str, approver: Approver) -> Events:
    """A turn that talks until it is stopped."""
    yield TextDelta("Still ")
    await session.stopped.wait()
    yield MessageCompleted(Message("assistant", "Still"), partial=True)
    yield TurnFinished("stopped")


async def asks(session: FakeSession, text: str, approver: Approver) -> Events:
    """A turn with one question."""
    request = ApprovalRequest("r1", "c1", "shell", "command", "Run this command?", "ls")
    decision = await approver.ask(request)
    yield MessageCompleted(Message("assistant", f"allowed: {decision.allowed}"))
    yield TurnFinished("completed")


async def test_the_parts_stand_on_the_lines_of_the_mock_up(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        box = place(window, window.panel.composer.box)
        assert (box.left(), box.right() + 1) == (370, 1090)
        assert (box.bottom() + 1, box.height()) == (768, 80)
        assert place(window, window.panel.status_row).height() == 32
        assert place(window, window.panel.header).height() == 44
        window.parts.frame.show_panel(True)
        await until(lambda: place(window, window.panel.composer.box).left() == 284)
        assert place(window, window.panel.composer.box).right() + 1 == 776


async def test_the_window_of_a_model_is_looked_up_beside_the_loop_and_shown_then(
    tmp_path: Path,
) -> None:
    program = FakeProgram(tmp_path)
    known: list[int] = []
    on_loop: list[bool] = []

    def look(profile: ModelProfile) -> int:
        on_loop.append(threading.current_thread() is threading.main_thread())
        known.append(32_000)
        return 32_000

    program.window = lambda profile: known[0] if known else None  # type: ignore[method-assign]
    program.services.window_of = look
    shown: list[int] = []
    async with shell(program) as window:
        show = window.panel.set_model
        window.panel.set_model = lambda has, size: (shown.append(size), show(has, size))
        await until(lambda: bool(known))
        known.clear()
        window.parts.models.refresh()
        await until(lambda: shown[-2:] == [0, 32_000])
    assert on_loop
    assert not any(on_loop)


async def test_in_a_narrow_window_the_panel_lies_over_the_chat(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path), 760) as window:
        frame = window.parts.frame
        assert not frame.sidebar_shown
        assert window.panel.header.sidebar_button.isVisible()
        wide = window.panel.width()
        frame.show_panel(True)
        assert window.panel.width() == wide
        assert frame.panel.width() == 439
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert not frame.panel_shown


async def test_a_message_can_be_sent_when_the_window_is_ready(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path)
    async with shell(program) as window:
        window.panel.composer.edit.set_text("Hello")
        QTest.keyClick(window.panel.composer.edit, Qt.Key.Key_Return)
        await until(lambda: "OK" in window.panel.transcript.plain_text())
        await until(lambda: not window.panel.runner.running)
        assert window.panel.composer.text() == ""
        assert window.parts.sidebar.model.shown_ids() == [window.panel.session_id]
        assert window.windowTitle() == "Hello — Kinet"


async def test_escape_stops_a_turn_only_when_pressed_twice(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path, script=waits_for_stop)) as window:
        window.panel.send("Talk")
        await until(lambda: window.panel.runner.running)
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert window.panel.status_row.label.text() == "Press Esc again to stop"
        assert window.panel.runner.running
        QTest.keyClick(window, Qt.Key.Key_Escape)
        await until(lambda: not window.panel.runner.running)
        assert window.panel.state == "stopped"


async def test_a_turn_goes_on_in_a_session_that_is_not_shown(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path, script=asks)) as window:
        window.panel.send("Do it")
        await until(lambda: window.panel.approvals.cards())
        first = window.panel
        window.desk.new()
        assert window.panel is not first
        item = window.parts.sidebar.model.item(first.session_id)
        assert item is not None
        assert item.state == "waiting"
        assert window.windowTitle().startswith("(1)")
        window.open_session(first.session_id)
        assert window.panel is first
        first.stop()


async def test_what_is_typed_while_a_question_waits_steers_the_turn(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path, script=asks)) as window:
        window.panel.send("Do it")
        await until(lambda: window.panel.approvals.cards())
        window.panel.composer.edit.set_text("only the first file")
        window.panel.desk.submit()
        session = window.panel.session
        assert isinstance(session, FakeSession)
        assert session.steered == ["only the first file"]
        assert window.panel.approvals.cards()


async def test_a_session_that_cannot_be_opened_is_said_and_nothing_else_changes(
    tmp_path: Path,
) -> None:
    program = FakeProgram(tmp_path, [Row("bad", "Broken"), Row("good", "Fine")])
    program.broken.add("bad")
    async with shell(program) as window:
        window.open_session("good")
        window.parts.sidebar.session_chosen.emit("bad")
        assert window.panel.session_id == "good"
        assert "This session cannot be read." in window.parts.toast.text()


async def test_f6_goes_through_the_parts_and_back(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path, [Row("a", "A")])) as window:
        window.activateWindow()
        await until(lambda: window.panel.findChild(StartersPage), what="first tasks are offered")
        window.panel.composer.edit.setFocus()
        seen = []
        for _ in range(3):
            window.core.keys.actions["next_region"].trigger()
            focus = QApplication.focusWidget()
            seen.append(focus.objectName() if focus is not None else "")
        assert seen == ["sessionList", "starterPrompt", "composer"]


async def test_zoom_changes_the_text_and_not_the_column(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        before = place(window, window.panel.composer.box).width()
        window.core.keys.actions["zoom_in"].trigger()
        assert window.look.theme is not None
        assert window.look.theme.zoom == 110
        await until(lambda: place(window, window.panel.composer.box).width() == before)
        window.core.keys.actions["zoom_reset"].trigger()


async def test_the_look_follows_the_setting_at_once(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        window.look.choose("dark")
        assert window.look.theme is not None
        assert window.look.theme.is_dark
        color = window.grab().toImage().pixelColor(5, 400).name()
        assert color == load_theme("dark").color("side").lower()
        window.look.choose("light")


async def test_every_button_has_a_name(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path)) as window:
        for button in window.findChildren(QAbstractButton):
            name = button.accessibleName() or button.text()
            assert name, f"{button.metaObject().className()} {button.objectName()} has no name"


async def test_the_names_that_others_rely_on_are_there(tmp_path: Path) -> None:
    names = (
        "sessionList", "newSessionButton", "searchField", "transcript", "composer", "sendButton",
        "stopButton", "contextGauge", "costLabel", "statusLabel", "findBar", "jumpToBottomButton",
        "queueList",
    )  # fmt: skip
    async with shell(FakeProgram(tmp_path)) as window:
        assert window.objectName() == "mainWindow"
        window.parts.steps.detail.show()
        for name in (*names, "stepDetail", "stepDetailOutput", "stepDetailInput"):
            assert window.findChild(QWidget, name) is not None, name


async def test_a_message_that_was_not_taken_comes_back_into_the_field(tmp_path: Path) -> None:
    class Refusing(FakeSession):
        async def send(self, *args: object, **values: object) -> Events:  # type: ignore[override]
            raise StoreError("The disk is full.", hint="Make room, then send again.")
            yield

    program = FakeProgram(tmp_path)
    async with shell(program) as window:
        window.panel.session = Refusing("s1", program)
        window.panel.send("a long thought")
        await until(lambda: window.panel.composer.text() == "a long thought")
        assert "The disk is full." in window.parts.toast.text()


@pytest.mark.parametrize("unsaved", ["", "The disk is full."])
async def test_what_is_said_above_the_conversation_is_not_said_by_a_toast_too(
    tmp_path: Path, unsaved: str
) -> None:
    class Full(FakeSession):
        async def afterwards(self) -> Events:  # type: ignore[override]
            raise StoreError("The disk is full.")
            yield

    program = FakeProgram(tmp_path)
    async with shell(program) as window:
        window.panel.session = Full("s1", program, unsaved=unsaved)
        window.panel.send("Hello")
        await until(lambda: not window.panel.runner.running, what="the turn ends")
        await settled()
        assert ("The disk is full." in window.parts.toast.text()) is not bool(unsaved)


async def settled() -> None:
    """What follows a turn has had its turns of the loop."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_palette_finds_sessions_and_commands_and_runs_them(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path, [Row("a", "Split ledger module"), Row("b", "Recipe")])
    async with shell(program) as window:
        window.core.keys.actions["palette"].trigger()
        palette = window.findChild(Palette, "commandPalette")
        assert palette is not None
        QTest.keyClicks(palette.field, "mod")
        assert palette.titles()[0] == "Split ledger module"
        assert "Switch model…" in palette.titles()
        QTest.keyClick(palette.field, Qt.Key.Key_Return)
        assert window.panel.session_id == "a"


async def test_closing_over_a_running_turn_asks_first(tmp_path: Path) -> None:
    async with shell(FakeProgram(tmp_path, script=waits_for_stop)) as window:
        closed: list[bool] = []
        window.closed.connect(lambda: closed.append(True))
        window.panel.send("Talk")
        await until(lambda: window.panel.runner.running)
        window.close()
        assert closed == []
        question = window.findChild(CloseQuestion)
        assert question is not None
        question.accept()
        assert closed == [True]


async def test_a_long_stream_leaves_the_process_alive_and_everything_shown(
    tmp_path: Path,
) -> None:
    async def talks(session: FakeSession, text: str, approver: Approver) -> Events:
        for number in range(5_000):
            yield TextDelta(f"w{number} ")
        words = " ".join(f"w{number}" for number in range(5_000))
        yield MessageCompleted(Message("assistant", words))
        yield TurnFinished("completed")

    async with shell(FakeProgram(tmp_path, script=talks)) as window:
        window.panel.send("Talk")
        await until(lambda: "w4999" in window.panel.transcript.plain_text())
        await until(lambda: not window.panel.runner.running)
        await until(window.panel.transcript.is_idle)


def test_a_wheel_over_a_box_without_focus_scrolls_the_page(app: QApplication) -> None:
    page = QWidget()
    column = QVBoxLayout(page)
    box = QComboBox()
    box.addItems(["a", "b", "c"])
    column.addWidget(box)
    area = QScrollArea()
    area.setWidget(page)
    guard_wheel(area)
    area.show()
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, -120), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(box, event)
    assert box.currentIndex() == 0


def test_geometry_is_read_as_written_and_nonsense_is_the_default() -> None:
    kept = Geometry((10, 20, 1000, 700), False, 300, False, 420)
    assert read(kept.to_text()) == kept
    for text in ("", "{", "[]", '{"rect": [1, 2], "sidebar": "wide", "panel": null}'):
        assert read(text) == Geometry()
    assert read('{"sidebar": 9000}').sidebar == 400


def test_a_window_far_off_comes_back_onto_a_screen(app: QApplication) -> None:
    rect = clamp(QRect(90_000, -5_000, 1200, 800))
    screen = QApplication.primaryScreen().availableGeometry()
    assert screen.intersects(rect)
    assert rect.top() >= screen.top()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_first_picture_has_the_colours_of_the_look(mode: str) -> None:
    theme = load_theme("dark" if mode == "dark" else "light")
    colors = first_colors(theme.mode)
    assert all(theme.color(name) == value for name, value in colors.items())
    svg = shell_svg(colors, 260, (1200, 800), 13)
    assert theme.color("side") in svg
    assert "currentColor" not in svg


def test_no_coroutine_and_no_slot_opens_a_loop_of_its_own() -> None:
    """`exec` and `processEvents` inside the window would leave other tasks stuck."""
    found = []
    for path in Path(kinet.ui.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            name = called.attr if isinstance(called, ast.Attribute) else ""
            if name in ("exec", "exec_", "processEvents"):
                found.append(f"{path.name}:{node.lineno}")
            if isinstance(node, ast.Name) and node.id in ("QEventLoop", "QMessageBox"):
                found.append(f"{path.name}:{node.lineno}")
    # Qt drags in no other way; tests/architecture has the reason.
    assert [place for place in found if not place.startswith("drag_out.py:")] == []
