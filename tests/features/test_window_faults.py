"""Faults that such windows are known for, one scenario each, on the real window."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.core.approval import Approver
from kinet.core.events import (
    Event,
    MessageCompleted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.markup.visible import shown as shown_text
from kinet.ui.look.theme import code_families, ui_families
from kinet.ui.main_window import MainWindow
from kinet.ui.transcript.entries.steps_group import StepGroup
from tests.support.fake_program import Events, FakeProgram, FakeSession
from tests.support.shell_window import plays, shell_window
from tests.support.window import until

LONG = "\n\n".join(f"Paragraph {number} of a long answer that goes on." for number in range(300))


def said(text: str) -> list[Event]:
    """A turn with one answer."""
    return [MessageCompleted(Message("assistant", text)), TurnFinished("completed")]


async def shown(window: MainWindow, text: str = "Go.") -> Any:
    """Sends, waits for the end, and gives the transcript."""
    window.panel.send(text)
    await until(lambda: not window.panel.runner.running)
    await until(window.panel.transcript.is_idle)
    return window.panel.transcript


def program(tmp_path: Path, text: str) -> FakeProgram:
    """A program that gives this answer."""
    made = FakeProgram(tmp_path)
    made.script = plays(said(text))
    return made


def streams(pieces: list[str], gate: asyncio.Event | None = None) -> Any:
    """A script that streams, and waits in the middle where there is a gate."""

    async def script(session: FakeSession, text: str, approver: Approver) -> Events:
        for number, piece in enumerate(pieces):
            if gate is not None and number == len(pieces) // 2:
                await gate.wait()
            yield TextDelta(piece)
            await asyncio.sleep(0)
        yield MessageCompleted(Message("assistant", "".join(pieces)))
        yield TurnFinished("completed")

    return script


async def test_01_only_the_open_block_is_laid_out_again_while_text_streams(tmp_path: Path) -> None:
    gate = asyncio.Event()
    made = FakeProgram(tmp_path)
    made.script = streams([LONG[start : start + 200] for start in range(0, len(LONG), 200)], gate)
    async with shell_window(made) as window:
        window.panel.send("Go.")
        await until(lambda: window.panel.transcript.block_count() > 100)
        await until(window.panel.transcript.is_idle)
        entry = window.panel.transcript.stage.flow.entries[-1]
        before = [id(piece.document) for piece in entry.pieces[:-2] if piece.document is not None]
        gate.set()
        await until(lambda: not window.panel.runner.running)
        after = [id(piece.document) for piece in entry.pieces if piece.document is not None]
        assert set(before) <= set(after)


async def test_02_what_is_not_seen_keeps_no_document(tmp_path: Path) -> None:
    async with shell_window(program(tmp_path, LONG)) as window:
        transcript = await shown(window)
        flow, bar = transcript.stage.flow, transcript.verticalScrollBar()
        flow.cache.limit = 60
        # Far more of it has been on screen than is kept.
        for place in range(0, 5_000, 500):
            bar.setValue(place)
            await until(transcript.is_idle)
        kept = sum(
            piece.document is not None
            for entry in flow.entries
            if hasattr(entry, "blocks") and entry.blocks is not None
            for piece in entry.blocks.pieces
        )
        assert kept <= flow.cache.limit + 5


async def test_03_a_session_opens_without_laying_out_what_is_above(tmp_path: Path) -> None:
    async with shell_window(program(tmp_path, LONG)) as window:
        transcript = await shown(window)
        events = window.panel.session.events() * 40
        transcript.load([TurnStarted("s"), *events])
        await until(transcript.is_idle)
        entries = transcript.stage.flow.entries
        laid_out = [e for e in entries if getattr(e, "blocks", None) is not None]
        assert len(laid_out) < 10 < len(entries)


async def test_07_reading_above_is_not_pulled_down_and_following_goes_on(tmp_path: Path) -> None:
    gate = asyncio.Event()
    made = FakeProgram(tmp_path)
    made.script = streams([LONG[start : start + 100] for start in range(0, len(LONG), 100)], gate)
    async with shell_window(made) as window:
        window.panel.send("Go.")
        transcript = window.panel.transcript
        await until(lambda: transcript.block_count() > 60)
        await until(transcript.is_idle)
        assert transcript.following
        QTest.keyClick(transcript, Qt.Key.Key_PageUp)
        await until(transcript.is_idle)
        before = transcript.verticalScrollBar().value()
        gate.set()
        await until(lambda: not window.panel.runner.running)
        await until(transcript.is_idle)
        assert transcript.verticalScrollBar().value() == before
        QTest.keyClick(transcript, Qt.Key.Key_End)
        await until(transcript.is_idle)
        bar = transcript.verticalScrollBar()
        assert bar.value() == bar.maximum()


async def test_08_a_fold_that_opens_above_moves_nothing_that_is_read(tmp_path: Path) -> None:
    code = "```\n" + "line\n" * 200 + "```\n\n"
    async with shell_window(program(tmp_path, code + LONG)) as window:
        transcript = await shown(window)
        transcript.load(window.panel.session.events())
        await until(transcript.is_idle)
        bar, stage = transcript.verticalScrollBar(), transcript.stage
        bar.setValue(0)
        await until(transcript.is_idle)
        bar.setValue(1500)
        await until(transcript.is_idle)
        entry = stage.flow.entries[1]
        number = entry.piece_at(1700 - stage.flow.top_of(1))
        before = stage.flow.top_of(1) + entry.piece_top(number) - bar.value()
        entry.blocks.fold(entry.piece(0).run, stage.flow.style, stage.flow.width)
        entry.measure()
        stage.flow.changed(entry)
        stage.refresh()
        await until(transcript.is_idle)
        after = stage.flow.top_of(1) + entry.piece_top(number) - bar.value()
        assert abs(after - before) <= 1


async def test_09_a_fence_is_code_from_its_first_line_and_stays_so(tmp_path: Path) -> None:
    gate = asyncio.Event()
    made = FakeProgram(tmp_path)
    made.script = streams(["```py\n", "x = 1\n", "y = 2\n", "```\n"], gate)
    async with shell_window(made) as window:
        window.panel.send("Go.")
        await until(lambda: "x = 1" in window.panel.transcript.plain_text())
        piece = window.panel.transcript.stage.flow.entries[-1].pieces[-1]
        assert piece.kind == "code"
        gate.set()
        await until(lambda: not window.panel.runner.running)
        assert window.panel.transcript.stage.flow.entries[1].pieces[0].kind == "code"


async def test_10_enter_that_ends_a_composition_does_not_send(tmp_path: Path) -> None:
    async with shell_window(program(tmp_path, "OK")) as window:
        edit = window.panel.composer.edit
        QApplication.sendEvent(edit, QInputMethodEvent("ni", []))
        QTest.keyClick(edit, Qt.Key.Key_Return)
        assert window.panel.session is None
        event = QInputMethodEvent()
        event.setCommitString("你")
        QApplication.sendEvent(edit, event)
        QTest.keyClick(edit, Qt.Key.Key_Return)
        assert window.panel.session is None
        assert "你" in edit.text()


async def test_11_escape_in_a_composition_stops_no_turn(tmp_path: Path) -> None:
    gate = asyncio.Event()
    made = FakeProgram(tmp_path)
    made.script = streams(["one ", "two "], gate)
    async with shell_window(made) as window:
        window.panel.send("Go.")
        await until(lambda: window.panel.runner.running)
        edit = window.panel.composer.edit
        edit.setFocus()
        for _ in range(2):
            QApplication.sendEvent(edit, QInputMethodEvent("ni", []))
            QTest.keyClick(edit, Qt.Key.Key_Escape)
        assert window.panel.runner.running
        assert not window.panel.session.stopped.is_set()
        gate.set()
        await until(lambda: not window.panel.runner.running)


async def test_20_half_a_character_never_reaches_the_screen(tmp_path: Path) -> None:
    async with shell_window(program(tmp_path, "a \ud83d b 👩‍👩‍👧‍👦 " * 40)) as window:
        transcript = await shown(window)
        transcript.selection.all()
        transcript.selection.text().encode("utf-8", "replace")
        text = transcript.stage.flow.entries[1].piece(0).document.toPlainText()
        assert "a \ufffd b" in text
        # Qt would let none through either; what is handed to it has none already.
        assert shown_text("a \ud83d b") == "a \ufffd b"
        assert "👩‍👩‍👧‍👦" in text


@pytest.mark.parametrize("text", ["One 🚀 and ✅ here.", "中文、日本語、한국어 mixed with Latin."])
async def test_21_22_emoji_and_cjk_keep_the_height_of_the_line(tmp_path: Path, text: str) -> None:
    async with shell_window(program(tmp_path, f"{text}\n\nPlain words here.")) as window:
        transcript = await shown(window)
        pieces = transcript.stage.flow.entries[1].pieces
        line = transcript.stage.flow.style.theme.line_height("answer")
        assert [piece.height for piece in pieces] == [line, line]
        for families in (ui_families(), code_families()):
            assert any("CJK" in name for name in families)


async def test_23_direction_is_per_paragraph_and_code_is_left_to_right(tmp_path: Path) -> None:
    source = "שלום עולם\n\nHello.\n\n```\nשלום = 1\n```"
    async with shell_window(program(tmp_path, source)) as window:
        transcript = await shown(window)
        pieces = transcript.stage.flow.entries[1].pieces
        right = Qt.LayoutDirection.RightToLeft
        sides = [piece.document.firstBlock().textDirection() == right for piece in pieces]
        assert sides == [True, False, False]


async def test_24_two_prices_are_no_formula(tmp_path: Path) -> None:
    source = "It costs $5 or $6, `$a$` too; but $x^2$ is one."
    async with shell_window(program(tmp_path, source)) as window:
        transcript = await shown(window)
        await until(transcript.is_idle)
        text = transcript.stage.flow.entries[1].piece(0).document.toPlainText()
        assert "$5 or $6" in text
        assert "$a$" in text
        assert text.count("\ufffc") == 1


async def test_25_copied_code_is_the_code(tmp_path: Path) -> None:
    code = "if a:\u00a0\n\tb = '\u2028'\n\n\n    c\n"
    async with shell_window(program(tmp_path, f"See:\n\n```py\n{code}```\n")) as window:
        transcript = await shown(window)
        entry = transcript.stage.flow.entries[1]
        style = transcript.stage.flow.style
        hit = next(h for h in entry.hits(style, 720) if h.action == "copy-code")
        transcript._actor.act(entry, hit)
        assert QGuiApplication.clipboard().text() == code.removesuffix("\n")


async def test_26_a_selection_outlives_the_stream_and_spans_messages(tmp_path: Path) -> None:
    gate = asyncio.Event()
    made = FakeProgram(tmp_path)
    made.script = streams(["First words.\n\n", "More.\n\n", "And **more**.\n\n", "End."], gate)
    async with shell_window(made) as window:
        window.panel.send("Question?")
        transcript = window.panel.transcript
        await until(lambda: "First words." in transcript.plain_text())
        transcript.selection.all()
        before = transcript.selection.range()
        gate.set()
        await until(lambda: not window.panel.runner.running)
        assert transcript.selection.range() == before
        QTest.keyClick(transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        copied = QGuiApplication.clipboard().text()
        assert "Question?" in copied
        assert "And **more**." in copied


async def test_27_wide_code_scrolls_in_its_card_and_never_the_conversation(tmp_path: Path) -> None:
    source = "```\n" + "x" * 600 + "\n```\n\n" + "word" * 400
    async with shell_window(program(tmp_path, source)) as window:
        transcript = await shown(window)
        assert transcript.horizontalScrollBar().maximum() == 0
        pieces = transcript.stage.flow.entries[1].pieces
        assert pieces[0].run.content_width > 2000
        assert pieces[0].document.firstBlock().layout().lineCount() == 1
        assert pieces[1].document.size().width() <= 720


async def test_28_html_is_text_and_nothing_is_loaded(tmp_path: Path) -> None:
    source = "<b>bold</b> <img src='http://evil.test/x.png'> ![x](http://evil.test/y.png)"
    async with shell_window(program(tmp_path, source)) as window:
        transcript = await shown(window)
        text = transcript.stage.flow.entries[1].piece(0).document.toPlainText()
        assert "<b>bold</b> <img src='http://evil.test/x.png'>" in text
        assert "[x] evil.test" in text


async def test_29_steps_fold_into_one_line_and_failures_stay_visible(tmp_path: Path) -> None:
    events: list[Event] = []
    for number in range(6):
        call = f"c{number}"
        events += [
            ToolStarted(call, "read_file", {"path": f"file{number}.txt"}),
            ToolFinished(call, "read_file", number == 3, "3 lines", f"text {number}"),
        ]
    made = FakeProgram(tmp_path)
    made.script = plays([*events, *said("Done.")])
    async with shell_window(made) as window:
        transcript = await shown(window)
        group = next(e for e in transcript.stage.flow.entries if isinstance(e, StepGroup))
        assert not group.open
        assert group.height == 36
        assert "1 failed" in group.spoken()
        group.toggle()
        assert group.height > 36 + 6 * 28


async def test_30_long_output_is_never_poured_into_the_conversation(tmp_path: Path) -> None:
    output = "".join(f"row {number}\n" for number in range(50_000))
    made = FakeProgram(tmp_path)
    made.script = plays(
        [
            ToolStarted("c", "shell", {"command": "cat big"}),
            ToolFinished("c", "shell", False, "50,000 lines", output, output[:400]),
            *said("Done."),
        ]
    )
    async with shell_window(made) as window:
        transcript = await shown(window)
        assert transcript.stage.flow.height < 800
        transcript.open_step(0)
        detail = window.parts.steps.detail
        await until(lambda: len(detail.output.rows) >= 50_000)
        assert detail.full_text() == output


async def test_31_escape_codes_and_progress_bars_are_read_not_shown(tmp_path: Path) -> None:
    output = "10 %\r50 %\r100 %\n\x1b[31mred\x1b[0m \x1b]0;title\x07end\x00\n"
    made = FakeProgram(tmp_path)
    made.script = plays(
        [
            ToolStarted("c", "shell", {"command": "make"}),
            ToolFinished("c", "shell", False, "", output, output),
            *said("It was \x1b[31mred\x1b[0m."),
        ]
    )
    async with shell_window(made) as window:
        transcript = await shown(window)
        transcript.open_step(0)
        detail = window.parts.steps.detail
        await until(lambda: len(detail.output.rows) >= 2)
        words = "\n".join(row.text for row in detail.output.rows)
        assert "\x1b" not in words
        assert words.startswith("100 %")
        assert "red end" in words
        answer = transcript.stage.flow.entries[-2]
        assert answer.piece(0).document.toPlainText() == "It was red."
