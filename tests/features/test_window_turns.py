"""The main job in the real window: a task, tools on a real folder, approvals, stop, come back."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from kinet.core.events import ToolFinished
from kinet.core.messages import Message
from tests.support.live_window import live_window
from tests.support.scripted_server import (
    Gate,
    ScriptedServer,
    asks_for,
    fails,
    for_ever,
    hangs,
    says,
)
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in it."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "notes.txt").write_text("eggs\nmilk\n", encoding="utf-8")
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data folder."""
    return tmp_path / "home"


async def test_a_task_reads_and_edits_a_file_after_the_person_allowed_it(
    home: Path, folder: Path
) -> None:
    script = (
        asks_for("read_file", path="notes.txt"),
        asks_for("edit_file", path="notes.txt", old_string="milk", new_string="oat milk"),
        says("I changed **milk** to oat milk."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Use oat milk")
            await live.question()
            label = live.panel.status_row.label
            await until(lambda: label.text() == "1 request needs your answer")
            await live.allow()
            await live.ended()
            assert "I changed **milk** to oat milk." in live.text
            assert [record.state for record in live.panel.runner.steps.records()] == [
                "done",
                "done",
            ]
            assert live.panel.state == ""
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "eggs\noat milk\n"
    assert server.problems == []
    assert len(server.requests) == 3


async def test_a_denied_edit_changes_nothing_and_is_told_to_the_model(
    home: Path, folder: Path
) -> None:
    script = (
        asks_for("write_file", path="new.txt", content="x"),
        says("Then I leave it."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Write a file")
            await live.answer("denyButton")
            await live.ended()
            assert live.panel.runner.steps.records()[0].state == "denied"
    assert not (folder / "new.txt").exists()
    assert server.bodies[1]["messages"][-1]["role"] == "tool"


async def test_the_step_panel_holds_a_long_result_whole_and_the_model_gets_its_ends(
    home: Path, folder: Path
) -> None:
    code = "import sys; sys.stdout.write('a' * 25000 + 'b' * 25000)"
    (folder / "long.py").write_text(code, encoding="utf-8")
    script = (asks_for("shell", command="python3 long.py"), says("That was long."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Run it")
            await live.allow()
            await live.ended()
            await until(live.panel.transcript.is_idle)
            live.panel.transcript.open_step(-1)
            assert live.window.parts.frame.panel_shown
            shown = live.window.parts.steps.detail.full_text()
            assert shown.count("a") >= 25_000
            assert shown.count("b") >= 25_000
            finished = [e for e in live.panel.session.events() if isinstance(e, ToolFinished)]
            assert len(finished[0].content) >= 50_000
    whole = finished[0].content
    assert shown == whole
    sent = server.bodies[1]["messages"][-1]["content"]
    assert sent.startswith(whole[:3_000])
    assert sent.endswith(whole[-3_000:])
    note = sent[3_000:-3_000]
    assert f"{len(whole) - 6_000:,}" in note
    assert len(note) < 300


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_stop_ends_an_endless_turn_and_the_next_message_is_accepted(
    home: Path, folder: Path, protocol: str
) -> None:
    with ScriptedServer(for_ever("grep", pattern="milk{n}")) as server:
        async with live_window(
            home, server_url=server.base_url, folder=folder, protocol=protocol
        ) as live:
            await live.say("Search for ever")
            await until(lambda: len(server.requests) >= 3)
            live.press("stopButton")
            await live.ended()
            assert live.panel.state == "stopped"
            assert live.panel.status_row.label.text().startswith("Stopped")
            server.replies(says("Fine."))
            seen = len(server.requests)
            await live.say("And now?")
            await until(lambda: len(server.requests) > seen)
            live.panel.stop()
            await live.ended()
    assert server.problems == []


async def test_stop_closes_a_silent_connection(home: Path, folder: Path) -> None:
    with ScriptedServer(hangs("I think")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Hello")
            await until(lambda: "I think" in live.text)
            live.press("stopButton")
            await live.ended()
            await until(server.requests[0].closed.is_set)
            assert "I think" in live.text


async def test_what_was_said_is_there_after_a_restart_and_goes_on(home: Path, folder: Path) -> None:
    with ScriptedServer(says("Four."), says("Six.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("What is two and two?")
            session_id = live.panel.session_id
            before = live.text
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            assert live.window.parts.sidebar.model.shown_ids() == [session_id]
            live.window.open_session(session_id)
            await until(live.panel.transcript.is_idle)
            assert live.text == before
            await live.ask("And three and three?")
            assert "Six." in live.text
    roles = [message["role"] for message in server.bodies[1]["messages"]]
    assert roles.count("user") >= 2
    assert server.problems == []


async def test_messages_sent_while_a_turn_runs_wait_and_follow_in_order(
    home: Path, folder: Path
) -> None:
    gate = Gate()
    with ScriptedServer(says("One", gate, " done."), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            for text in ("second", "third"):
                live.type(text)
                live.press("sendButton")
            assert live.panel.composer.queue.texts() == ["second", "third"]
            gate.open()
            await until(lambda: "Three." in live.text)
            await live.ended()
            asked = [m.text for m in live.panel.session.history() if m.role == "user"]
            assert asked == ["first", "second", "third"]
            assert live.panel.composer.queue.texts() == []


async def test_a_refused_key_is_said_in_words_and_the_question_stays(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(fails(401), says("Now it works.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Hello there")
            assert live.panel.state == "failed"
            assert "Hello there" in live.text
            live.panel.retry()
            await until(lambda: "Now it works." in live.text)
            await live.ended()


async def test_the_same_turn_leaves_the_same_history_as_a_bare_session(
    home: Path, folder: Path, tmp_path: Path
) -> None:
    def script() -> tuple[object, ...]:
        return (asks_for("read_file", path="notes.txt"), says("Two lines."))

    def plain(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
        return [(message.role, message.text) for message in messages]

    from kinet.runtime import create_runtime

    with ScriptedServer(*script(), *script()) as server:  # type: ignore[arg-type]
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("How many lines?")
            shown = plain(live.panel.session.history())
        runtime = create_runtime(
            home=tmp_path / "other", base_url=server.base_url, model="scripted", cwd=folder
        )
        session = runtime.open_session()
        async for _ in session.send("How many lines?"):
            pass
        bare = plain(session.history())
        await runtime.close()
    assert shown == bare


async def test_an_unsent_text_survives_a_restart_and_stays_with_its_session(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Hello")
            session_id = live.panel.session_id
            live.type("half a thought")
            live.press("newSessionButton")
            assert live.panel.composer.text() == ""
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            assert live.panel.composer.text() == ""
            live.window.open_session(session_id)
            assert live.panel.composer.text() == "half a thought"


async def test_a_session_goes_to_the_trash_and_comes_back_with_undo(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Hello")
            session_id = live.panel.session_id
            live.window.core.changes.delete(session_id)
            assert live.window.parts.sidebar.model.shown_ids() == []
            live.window.parts.toast._pressed()
            assert live.window.parts.sidebar.model.shown_ids() == [session_id]
            # It is read in a thread.
            await until(lambda: live.panel.session_id == session_id)


async def test_without_a_model_the_welcome_page_shows_and_the_text_is_kept(
    home: Path, folder: Path
) -> None:
    async with live_window(home, folder=folder) as live:
        await until(lambda: live.window.findChild(QWidget, "welcomePage") is not None)
        live.type("my first task")
        live.press("sendButton")
        assert live.panel.composer.text() == "my first task"
        assert live.panel.session is None
        assert live.panel.status_row.label.text() == "No model chosen"


async def test_the_loop_turns_while_a_turn_runs(home: Path, folder: Path) -> None:
    words = [f"word{number} " for number in range(2_000)]
    turns: list[float] = []
    with ScriptedServer(says(*words)) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            from PySide6.QtCore import QTimer

            timer = QTimer()
            timer.timeout.connect(lambda: turns.append(time.monotonic()))
            timer.start(5)
            await live.ask("Talk")
            timer.stop()
            await until(live.panel.transcript.is_idle)
            assert "word1999" in live.text
    assert len(turns) > 5
