"""What a person does with the conversation on screen: goes somewhere, keeps it, sends more."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from kinet.core.completion import Usage
from kinet.core.events import (
    Event,
    MessageCompleted,
    StepFinished,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from kinet.core.messages import Message, ToolCall
from kinet.ui.desks import step_desk
from kinet.ui.desks.link_question import LinkQuestion
from kinet.ui.main_window import MainWindow
from kinet.ui.palette.palette import Palette
from kinet.ui.window.export_desk import write_export
from kinet.ui.window.outline import outline_of
from tests.support.fake_program import FakeProgram
from tests.support.shell_window import plays, shell_window
from tests.support.window import until

WHOLE = "".join(f"line {number} of the output\n" for number in range(400))
NOTE = f"\n[… {len(WHOLE) - 1000:,} characters left out …]\n"
EVENTS: list[Event] = [
    MessageCompleted(
        Message("assistant", "", (ToolCall("c1", "shell", '{"command": "make"}'),)),
        usage=Usage(1200, 80, 900),
        cost=0.0042,
    ),
    ToolStarted("c1", "shell", {"command": "make"}),
    ToolFinished("c1", "shell", False, "400 lines", WHOLE, WHOLE[:500] + NOTE + WHOLE[-500:]),
    StepFinished(Usage(1200, 80), 0.0042),
    MessageCompleted(Message("assistant", "It is **built**, see $x^2$.\n\n- one\n- two")),
    TurnFinished("completed"),
]


async def _built(window: MainWindow) -> MainWindow:
    window.panel.send("Build it.")
    await until(lambda: not window.panel.runner.running)
    await until(window.panel.transcript.is_idle)
    return window


def _program(tmp_path: Path) -> FakeProgram:
    program = FakeProgram(tmp_path)
    program.script = plays(EVENTS)
    return program


async def test_find_opens_the_step_that_has_the_text_at_the_hit(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        assert window.panel.transcript.find_next("line 321 of") == (1, 1)
        detail = window.parts.steps.detail
        assert window.parts.frame.panel_shown
        assert detail.record is not None
        assert detail.record.call_id == "c1"
        assert detail.output.hit == 0
        assert detail.find_strip.field.text() == "line 321 of"


async def test_the_step_panel_is_made_soon_after_the_first_step_and_stays_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_desk, "SOON", 0)
    async with shell_window(_program(tmp_path)) as window:
        assert window.findChild(QWidget, "stepDetail") is None
        await _built(window)
        await until(lambda: window.findChild(QWidget, "stepDetail") is not None)
        assert not window.parts.frame.panel_shown
        assert not window.parts.steps.detail.isVisible()
        window.panel.transcript.open_step(-1)
        assert window.parts.steps.detail.isVisible()


async def test_the_outline_lists_the_messages_and_goes_to_one(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        titles = [(entry.detail, entry.title) for entry in outline_of(window.panel)]
        assert titles[0] == ("You", "Build it.")
        assert titles[1][1].startswith("It is built")
        window.core.keys.actions["outline"].trigger()
        palette = window.findChild(Palette, "outline")
        assert palette is not None
        assert len(palette.titles()) == 2
        palette.close_palette()


@pytest.mark.parametrize("form", ["md", "html", "json", "pdf"])
async def test_a_session_is_exported_from_the_window(tmp_path: Path, form: str) -> None:
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        messages = tuple(window.panel.session.conversation.messages)
        path = tmp_path / f"talk.{form}"
        assert write_export(path, "Talk", messages) == f"Exported to talk.{form}"
        data = path.read_bytes()
        assert data.startswith(b"%PDF") if form == "pdf" else b"Build it." in data
        assert b"src=" not in data
        told = write_export(tmp_path / "no" / f"x.{form}", "Talk", messages)
        assert "could not be written" in told


async def test_the_rest_of_an_output_is_attached_to_the_next_message(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        window.panel.transcript.open_step(-1)
        detail = window.parts.steps.detail
        detail.findChild(QAbstractButton, "sendRestButton").click()
        (item,) = window.panel.composer.attachments()
        assert item.text == WHOLE[500:-500]
        assert item.name == "Rest of Command make"


async def test_a_link_shows_its_whole_address_and_opens_only_after_its_button(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    address = "https://evil.test/login?next=" + "x" * 300
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        window.panel.transcript.link_activated.emit(address)
        question = window.findChild(LinkQuestion)
        assert question is not None
        assert opened == []
        question.reject()
        await until(lambda: window.findChild(LinkQuestion) is None)
        assert opened == []
        window.panel.transcript.link_activated.emit(address)
        window.findChild(QPushButton, "openLinkButton").click()
        assert opened == [QUrl(address).toString()]


async def test_a_link_that_a_step_printed_is_asked_about_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        window.panel.transcript.open_step(-1)
        window.parts.steps.detail.output.links.chosen.emit("https://a.test/log")
        assert window.findChild(LinkQuestion) is not None
        assert opened == []
        window.findChild(QPushButton, "openLinkButton").click()
        assert opened == ["https://a.test/log"]


async def test_a_step_tells_what_its_model_call_took(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        await _built(window)
        record = window.panel.runner.steps.record("c1")
        assert record is not None
        assert (record.usage, record.cost) == (Usage(1200, 80, 900), 0.0042)
        window.panel.transcript.open_step(0)
        detail = window.parts.steps.detail
        detail.tabs.setCurrentIndex(4)
        raw = detail._text(4)
        assert '"from_cache": 900' in raw
        assert "content_sha256" in raw
