"""What a person looks at in the window: formulas, pictures, one step after another, paper."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from kinet.core.events import Event, MessageCompleted, ToolFinished, ToolStarted, TurnFinished
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.markup.visible import unbroken
from kinet.ui.kit.tasks import breathe, running
from kinet.ui.main_window import MainWindow
from kinet.ui.transcript.blocks.picture_box import PictureBox
from kinet.ui.window import export_desk
from kinet.ui.window.export_desk import ExportDesk
from tests.support.fake_program import FakeProgram
from tests.support.shell_window import plays, shell_window
from tests.support.window import until
from tests.ui.transcript_kit import point_of

STEPS: list[Event] = []
for number in range(3):
    arguments = {"path": f"file{number}.txt"}
    STEPS += [
        ToolStarted(f"c{number}", "read_file", arguments),
        ToolFinished(f"c{number}", "read_file", False, "1 line", f"text {number}"),
    ]


def _ends(text: str) -> list[Event]:
    return [MessageCompleted(Message("assistant", text)), TurnFinished("completed")]


async def _sent(window: MainWindow) -> None:
    window.panel.send("Go.")
    await until(lambda: not window.panel.runner.running)
    await until(window.panel.transcript.is_idle)


async def test_a_formula_that_nobody_knows_is_shown_as_its_source(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path)
    text = "It is $5 and $6; $\\nosuchmacro{x}$ and $\\frac{1}{2}$ and $\\frac{1$ too."
    program.script = plays(_ends(text))
    async with shell_window(program) as window:
        await _sent(window)
        shown = window.panel.transcript.stage.flow.entries[1].piece(0).document.toPlainText()
        words = "It is $5 and $6; $\\nosuchmacro{x}$ and \ufffc and $\\frac{1$ too."
        assert unbroken(shown) == words
        assert text in window.panel.transcript.plain_text()


async def test_a_click_on_a_picture_opens_it_large_over_the_window(tmp_path: Path) -> None:
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(0x3451C6)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    url = "data:image/png;base64," + base64.b64encode(buffer.data().data()).decode()
    program = FakeProgram(tmp_path)
    asked = MessageCompleted(Message("user", (TextPart("See this."), ImagePart(url))))
    program.with_events("s9", [asked, *_ends("A blue one.")])
    async with shell_window(program) as window:
        window.open_session("s9")
        await until(window.panel.transcript.is_idle)
        transcript = window.panel.transcript
        flow = transcript.stage.flow
        hit = next(h for h in flow.entries[0].hits(flow.style, flow.width) if h.action == "picture")
        where = point_of(transcript, 0, hit.rect.center().x(), hit.rect.center().y())
        QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=where)
        box = window.findChild(PictureBox)
        assert box is not None
        assert box.isVisible()
        assert box.label.pixmap().width() == 400
        box.reject()
        await until(lambda: window.findChild(PictureBox) is None)


async def test_the_panel_goes_from_step_to_step(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path)
    program.script = plays([*STEPS, *_ends("Done.")])
    async with shell_window(program) as window:
        await _sent(window)
        window.panel.transcript.open_step(0)
        detail = window.parts.steps.detail
        seen = [detail.record.call_id]
        assert not detail._head.previous.isEnabled()
        for _ in range(2):
            detail._head.next.click()
            seen.append(detail.record.call_id)
        assert not detail._head.next.isEnabled()
        detail._head.previous.click()
        seen.append(detail.record.call_id)
        assert seen == ["c0", "c1", "c2", "c1"]
        assert detail.full_text() == "text 1"


async def test_printing_asks_for_a_printer_and_the_window_goes_on(tmp_path: Path) -> None:
    program = FakeProgram(tmp_path)
    program.script = plays(_ends("Done."))
    async with shell_window(program) as window:
        window.core.keys.actions["print"].trigger()
        assert window.parts.toast.text() == "There is nothing to print yet"
        await _sent(window)
        window.core.keys.actions["print"].trigger()
        dialog = window.findChild(QPrintDialog)
        assert dialog is not None
        assert dialog.isVisible()
        dialog.reject()
        await until(lambda: window.findChild(QPrintDialog) is None)


def _long_talk() -> tuple[Message, ...]:
    return tuple(Message("assistant", f"Answer {n}. " + "More words. " * 300) for n in range(60))


async def test_a_pdf_is_drawn_beside_the_window_and_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_desk, "_SLICE_SECONDS", 0.0)
    async with shell_window(FakeProgram(tmp_path)) as window:
        path = tmp_path / "talk.pdf"
        said: set[str] = set()
        ExportDesk(window.parts)._begin(path, "Talk", _long_talk())
        toast = window.parts.toast
        assert toast.text() == "Exporting…"
        while toast.text() != "Exported to talk.pdf":
            said.add(toast.text())
            window.panel.composer.edit.setPlainText(f"typed {len(said)}")
            await breathe()
        assert any(words.startswith("Page 2 of") for words in said)
        assert len(said) > 10
        assert path.read_bytes().startswith(b"%PDF")


async def test_a_pdf_that_is_drawn_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_desk, "_SLICE_SECONDS", 0.0)
    async with shell_window(FakeProgram(tmp_path)) as window:
        toast, folder = window.parts.toast, tmp_path / "out"
        folder.mkdir()
        ExportDesk(window.parts)._begin(folder / "talk.pdf", "Talk", _long_talk())
        await until(lambda: "page" in toast.text())
        button = toast.findChild(QPushButton)
        assert button.isVisible()
        assert button.text() == "Cancel"
        button.click()
        assert toast.text() == "Exporting was cancelled"
        await until(lambda: all(task.get_name() != "export" for task in running()))
        assert list(folder.iterdir()) == []
        assert toast.text() == "Exporting was cancelled"


async def test_what_is_told_meanwhile_is_not_covered_by_how_far_an_export_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_desk, "_SLICE_SECONDS", 0.0)
    async with shell_window(FakeProgram(tmp_path)) as window:
        toast = window.parts.toast
        ExportDesk(window.parts)._begin(tmp_path / "talk.pdf", "Talk", _long_talk())
        await until(lambda: "page" in toast.text())
        toast.tell("Something else", seconds=0)
        for _ in range(5):
            await breathe()
            assert toast.text() == "Something else"
        toast.hide()
        await until(lambda: "age" in toast.text())
        assert toast.findChild(QPushButton).isVisible()
        await until(lambda: toast.text() == "Exported to talk.pdf")
