"""After a crash the window says what ran and what is not known, and offers three ways on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from kinet.cli.main import main
from kinet.core.events import MessageCompleted, ToolFinished, ToolStarted, TurnStarted
from kinet.core.messages import Message, ToolCall
from kinet.session.unsent import DRAFTS
from kinet.store.database import FILE_NAME, Database
from kinet.store.drafts import DraftPiece
from kinet.store.sessions import NewSession, SessionStore
from kinet.ui.sessions.session_list import word_of
from kinet.ui.transcript.entries.entry import Hit
from kinet.ui.transcript.entries.error_card import ErrorEntry
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, fails, says
from tests.support.window import until

pytestmark = pytest.mark.window

CALLS = (
    ToolCall("c1", "read_file", '{"path": "a.txt"}'),
    ToolCall("c2", "write_file", '{"path": "b.txt", "content": "x"}'),
    ToolCall("c3", "shell", '{"command": "make"}'),
)


def die(home: Path) -> None:
    """A program that ended while the second of three calls ran."""
    store = SessionStore(Database(home / FILE_NAME))
    store.create(NewSession("dead", title="Build it"))
    store.put(
        "dead",
        [
            TurnStarted("dead", "m1"),
            MessageCompleted(Message("user", "Build it", id="m1")),
            MessageCompleted(Message("assistant", "I look first.", CALLS)),
            ToolStarted("c1", "read_file", {"path": "a.txt"}),
            ToolFinished("c1", "read_file", content="A", model_content="A"),
            ToolStarted("c2", "write_file", {"path": "b.txt"}),
        ],
        draft=[DraftPiece("text", "Half a wo")],
    ).result()
    store.database.close()


def card(live: LiveWindow) -> ErrorEntry:
    entries = live.panel.transcript.stage.flow.entries
    return [entry for entry in entries if isinstance(entry, ErrorEntry)][-1]


def offered(live: LiveWindow) -> dict[str, Hit]:
    flow = live.panel.transcript.stage.flow
    return {hit.action: hit for hit in card(live).hits(flow.style, flow.width)}


async def choose(live: LiveWindow, action: str) -> None:
    """Goes to a button of the card with Tab and presses it with Enter."""
    transcript = live.panel.transcript
    transcript.setFocus()
    transcript.jump_to_bottom()
    await until(transcript.is_idle)
    for _ in range(40):
        QTest.keyClick(transcript, Qt.Key.Key_Tab)
        focus = transcript.artist.highlights.focus
        if focus is not None and focus[1].action == action:
            QTest.keyClick(transcript, Qt.Key.Key_Return)
            return
    raise AssertionError(f"{action} is not reached by the keyboard")


async def test_what_ran_and_what_is_not_known_is_shown_and_the_turn_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    die(home)
    with ScriptedServer(says("It is built."), says("Once more.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            # Before it is opened: else nobody would know which of all sessions it was.
            row = live.window.parts.sidebar.model.item("dead")
            assert word_of(row, row.updated) == "Interrupted"
            live.window.desk.open("dead")
            assert live.panel.state == "interrupted"
            shown = card(live)
            assert shown.title == "This turn was interrupted"
            assert live.text.count("Kinet ended in the middle of this turn") == 1
            assert "The outcome of 2 calls is not known" in live.text
            assert "Done: read_file." in shown.hint
            assert "Not known how it ended: write_file" in shown.hint
            assert "Not begun: shell." in shown.hint
            assert list(offered(live)) == ["continue", "retry-step", "leave", "report"]
            # Nothing is run again by itself, and nothing says so.
            assert offered(live)["retry-step"].name == "Ask for the step again"
            assert offered(live)["retry-step"].tip.startswith("Sends a message that asks")
            assert offered(live)["continue"].tip.startswith("Sends a message that asks")
            assert server.requests == []
            assert "Half a wo" in live.text
            await choose(live, "continue")
            await until(lambda: "It is built." in live.text)
            sent = server.bodies[0]["messages"]
            results = {m["tool_call_id"]: m["content"] for m in sent if m["role"] == "tool"}
            assert results["c1"] == "A"
            assert "outcome unknown" in results["c2"]
            assert "where you were interrupted" in sent[-1]["content"]
            # A later turn has begun: the card offers nothing but a report any more.
            assert list(offered(live)) == ["report"]


async def test_the_step_is_asked_for_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    die(home)
    with ScriptedServer(says("Done again.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            live.window.desk.open("dead")
            await choose(live, "retry-step")
            await until(lambda: "Done again." in live.text)
            assert "Do the step again" in server.bodies[0]["messages"][-1]["content"]


async def test_a_turn_that_is_left_stays_left_over_restarts(tmp_path: Path) -> None:
    home = tmp_path / "home"
    die(home)
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            live.window.desk.open("dead")
            await choose(live, "leave")
            await until(lambda: "Left as it was." in live.text)
            assert list(offered(live)) == ["report"]
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            live.window.desk.open("dead")
            assert list(offered(live)) == ["report"]
            assert live.text.count("Left as it was.") == 1
        assert server.requests == []


async def test_a_failed_turn_is_saved_as_a_report_and_replayed_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "sk-canary-0123456789abcdef"
    monkeypatch.setenv("CANARY_KEY", key)
    bad = fails(400, json.dumps({"error": {"message": f"bad request for {key}"}}))
    path = tmp_path / "report.json"
    with ScriptedServer(bad) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path,
            api_key_env="CANARY_KEY",
        ) as live:  # fmt: skip
            await live.ask(f"Tell me about {key} and herons")
            kept: list[Any] = []
            await choose(live, "report")
            await until(lambda: kept or kept.extend(live.window.findChildren(QFileDialog)))
            kept[0].fileSelected.emit(str(path))
            kept[0].close()
        assert len(server.requests) == 1
    report = json.loads(path.read_text("utf-8"))
    assert key not in path.read_text("utf-8")
    assert report["recorded"] is True
    assert report["exchanges"][0]["status"] == 400
    assert "herons" in report["exchanges"][0]["request"]
    assert "127.0.0.1" not in json.dumps(report["profile"])
    done = await _run(main, ["replay", str(path), "--json"])
    out = capsys.readouterr().out
    assert done == 0
    assert json.loads(out.splitlines()[-1])["error"]["kind"] == "bad_request"


async def test_a_turn_of_an_earlier_run_gives_a_report_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    with ScriptedServer(fails(400, '{"error": {"message": "no"}}')) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            await live.ask("Hello")
            session_id = live.panel.session_id
    monkeypatch.setenv("KINET_HOME", str(home))
    from kinet.net.exchanges import RECORDINGS

    RECORDINGS._turns.clear()
    assert await _run(main, ["sessions", "report", session_id]) == 0
    text = capsys.readouterr().out
    assert json.loads(text)["recorded"] is False
    (tmp_path / "r.json").write_text(text, "utf-8")
    assert await _run(main, ["replay", str(tmp_path / "r.json")]) == 0
    assert "Now: failed (bad_request)" in capsys.readouterr().err


async def _run(command: Any, words: list[str]) -> int:
    """A command in a thread: it has a loop of its own."""
    return int(await asyncio.to_thread(command, words))


async def test_a_draft_stays_on_the_disk_until_its_message_is_there(tmp_path: Path) -> None:
    """Between the two a crash would lose both; a text that is there twice is no loss."""
    home = tmp_path / "home"

    def kept() -> str:
        live.window.program.keeper.keep(lambda: None).result()
        return (home / DRAFTS).read_text("utf-8")

    with ScriptedServer(says("Yes.")) as server:
        async with live_window(home, server_url=server.base_url) as live:
            live.type("Is it there?")
            live.panel.desk.save_draft()
            assert "Is it there?" in kept()
            live.press("sendButton")
            assert live.panel.composer.text() == ""
            assert "Is it there?" in kept()
            await live.ended()
            # What the timer does a moment later.
            live.panel.desk.save_draft()
            assert "Is it there?" not in kept()
