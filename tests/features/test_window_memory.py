"""Memory in the real window: one cheap call after a turn, a receipt, and what is done with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QWidget

from kinet.core.profile import ModelProfile, Price
from kinet.memory.facts import FactBook
from kinet.settings.store import SettingsStore
from kinet.ui.preferences.fact_editor import FactEditor
from kinet.ui.preferences.setting_fields import FieldRow
from kinet.ui.transcript.entries.receipt import ReceiptEntry
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import Gate, ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


def proposes(*facts: dict[str, Any], before: tuple[Any, ...] = ()) -> Any:
    """The answer of a model that was asked for facts; each rests on the first message."""
    whole = [{"from": 1, "importance": 3, "topic": "", "replaces": None, **fact} for fact in facts]
    return says(*before, json.dumps({"facts": whole}, ensure_ascii=False)).counting(400, 40)


RUST = {"text": "Writes Rust at work.", "about": "person", "quote": "I write Rust at work"}
TESTS = {"text": "Tests run with pytest.", "about": "project", "quote": "tests run with pytest"}
SAID = "I write Rust at work, and here the tests run with pytest."


def prepare(home: Path, server: ScriptedServer, *, notice: bool = True) -> None:
    """A saved profile, and a cheap model of it for facts."""
    settings = SettingsStore(home)
    settings.save_profile(ModelProfile("Server", server.base_url, "big", window=128_000))
    settings.set("memory.notice", notice)
    settings.set("memory.model", "cheap")
    settings.set_price("cheap", Price(1.0, 1.0, 1.0, 1.0))


def asked_for_facts(server: ScriptedServer) -> list[dict[str, Any]]:
    return [body for body in server.bodies if body["model"] == "cheap"]


def receipts(live: LiveWindow) -> list[ReceiptEntry]:
    entries = live.panel.transcript.stage.flow.entries
    return [entry for entry in entries if isinstance(entry, ReceiptEntry)]


async def receipt(live: LiveWindow) -> ReceiptEntry:
    await until(lambda: receipts(live), what="the receipt is told")
    await until(lambda: receipts(live)[-1].known is not None)
    return receipts(live)[-1]


def acts(live: LiveWindow, entry: ReceiptEntry) -> list[tuple[str, str]]:
    flow = live.panel.transcript.stage.flow
    return [(hit.action, hit.value) for hit in entry.hits(flow.style, flow.width)]


def click(live: LiveWindow, entry: ReceiptEntry, action: str, number: int = 0) -> None:
    """Clicks a word of the receipt where it is on screen."""
    transcript = live.panel.transcript
    stage = transcript.stage
    transcript.jump_to_bottom()
    found = [h for h in entry.hits(stage.flow.style, stage.flow.width) if h.action == action]
    rect = found[number].rect
    place = stage.flow.place_of(entry)
    for y in range(transcript.viewport().height()):
        number_there, inner = stage.entry_at(QPoint(transcript.viewport().width() // 2, y))
        if (number_there, inner.y()) == (place, 0):
            left = (transcript.viewport().width() - stage.flow.width) // 2
            at = QPoint(left + rect.center().x(), y + rect.center().y())
            QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=at)
            return
    raise AssertionError("the receipt is not on screen")


def book(home: Path) -> list[tuple[str, str, bool]]:
    return [
        (fact.text, fact.scope, fact.confirmed) for fact in FactBook(home / "facts.json").list()
    ]


async def test_facts_are_noticed_once_and_every_act_on_them_holds(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Noted."), proposes(RUST, TESTS)) as server:
        prepare(home, server)
        async with live_window(home, folder=tmp_path) as live:
            await live.ask(SAID)
            entry = await receipt(live)
            assert len(asked_for_facts(server)) == 1
            assert book(home) == [
                ("Writes Rust at work.", "person", False),
                ("Tests run with pytest.", "project", False),
            ]
            rust, tests = (fact.id for fact in entry.facts)
            assert acts(live, entry) == [
                ("fact-keep", rust), ("fact-edit", rust), ("fact-project", rust),
                ("fact-forget", rust), ("fact-keep", tests), ("fact-edit", tests),
                ("fact-forget", tests),
            ]  # fmt: skip
            # The call is in the total of the session, with its price.
            assert live.panel.session is not None
            assert live.panel.session.conversation.cost >= 440 / 1e6
            assert "$" in entry.cost
            click(live, entry, "fact-keep")
            assert book(home)[0][2]
            click(live, entry, "fact-project")
            assert book(home)[0][1] == "project"
            click(live, entry, "fact-forget", 1)
            assert [fact[0] for fact in book(home)] == ["Writes Rust at work."]
            assert ("fact-restore", tests) in acts(live, entry)
            click(live, entry, "fact-restore")
            assert len(book(home)) == 2
            click(live, entry, "fact-edit")
            editor = live.window.findChild(FactEditor)
            assert isinstance(editor, FactEditor)
            edit = editor.findChild(QPlainTextEdit)
            assert isinstance(edit, QPlainTextEdit)
            QTest.keyClicks(edit, "Writes Rust and C.")
            QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            assert book(home)[0][0] == "Writes Rust and C."
            assert "Remembered: Writes Rust and C." in live.text


async def test_a_receipt_works_by_keyboard_and_after_reopening(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Noted."), proposes(RUST, TESTS)) as server:
        prepare(home, server)
        async with live_window(home, folder=tmp_path) as live:
            await live.ask(SAID)
            entry = await receipt(live)
            session_id = live.panel.session_id
            click(live, entry, "fact-forget", 1)
        async with live_window(home, folder=tmp_path) as live:
            live.window.desk.open(session_id)
            entry = await receipt(live)
            tests = entry.facts[1].id
            assert acts(live, entry)[-1] == ("fact-restore", tests)
            assert len(asked_for_facts(server)) == 1
            transcript = live.panel.transcript
            transcript.setFocus()
            transcript.jump_to_bottom()
            focus = None
            for _ in range(30):
                QTest.keyClick(transcript, Qt.Key.Key_Tab)
                focus = transcript.artist.highlights.focus
                if focus is not None and focus[1].action == "fact-restore":
                    break
            assert focus is not None
            assert focus[1].action == "fact-restore"
            QTest.keyClick(transcript, Qt.Key.Key_Return)
            assert [fact[0] for fact in book(home)][-1] == "Tests run with pytest."


async def test_nothing_is_asked_until_it_is_switched_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Noted.")) as server:
        prepare(home, server, notice=False)
        async with live_window(home, folder=tmp_path) as live:
            await live.ask(SAID)
            await live.ask("And?")
        assert asked_for_facts(server) == []
        assert not (home / "facts.json").exists()


@pytest.mark.parametrize(("model", "asked"), [("", "small"), ("tiny", "tiny")])
async def test_another_profile_and_its_model_are_asked_for_facts_where_chosen(
    tmp_path: Path, model: str, asked: str
) -> None:
    home = tmp_path / "home"
    with (
        ScriptedServer(says("Noted."), says("Yes.")) as talks,
        ScriptedServer(proposes(RUST), proposes()) as notices,
    ):
        prepare(home, talks)
        settings = SettingsStore(home)
        settings.save_profile(ModelProfile("Other", notices.base_url, "small", window=128_000))
        settings.set("models.default_profile", "Server")
        async with live_window(home, folder=tmp_path) as live:
            live.window.parts.models.open_settings("memory")
            dialog = live.find(QWidget, "settingsDialog")
            profile, name = (
                dialog.findChild(FieldRow, f"setting_memory.{key}").editor.widget
                for key in ("profile", "model")
            )
            assert isinstance(profile, QComboBox)
            assert isinstance(name, QLineEdit)
            profile.setCurrentIndex(profile.findText("Other"))
            name.setText(model)
            name.editingFinished.emit()
            dialog.accept()
            await live.ask(SAID)
            await receipt(live)
            assert [body["model"] for body in notices.bodies] == [asked]
            assert [body["model"] for body in talks.bodies] == ["big"], "the talk stays where it is"
            assert book(home) == [("Writes Rust at work.", "person", False)]


async def test_an_unsaved_profile_is_never_asked_for_facts(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Noted.")) as server:
        SettingsStore(home).set("memory.notice", True)
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            await live.ask(SAID)
            await live.ask("And?")
        assert len(server.requests) == 2


async def test_two_calls_never_run_at_once_and_a_receipt_never_stands_within_a_turn(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    gate, turn = Gate(), Gate()
    with ScriptedServer(
        says("One."), proposes(RUST, before=(gate,)), says("Two ", turn, "ends.")
    ) as server:
        prepare(home, server)
        async with live_window(home, folder=tmp_path) as live:
            await live.ask(SAID)
            await until(lambda: len(asked_for_facts(server)) == 1)
            await live.say("Next.")
            await until(lambda: len(server.requests) == 3)
            gate.open()
            await until(lambda: len(book(home)) == 1)
            assert receipts(live) == []
            turn.open()
            await live.ended()
            await receipt(live)
            await until(lambda: len(asked_for_facts(server)) == 2)
            text = live.text
            assert text.index("Two ends.") < text.index("Remembered: Writes Rust")


async def test_a_model_that_answers_nonsense_is_told_and_nothing_is_kept(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Noted."), says("I would rather not.").counting(10, 5)) as server:
        prepare(home, server)
        async with live_window(home, folder=tmp_path) as live:
            told: list[str] = []
            live.panel.problem.connect(told.append)
            await live.ask(SAID)
            await until(lambda: told)
            assert "Nothing new was taken into memory" in told[0]
            assert receipts(live) == []
            assert live.panel.session is not None
            await until(lambda: live.panel.session.conversation.cost > 0)  # type: ignore[union-attr]
