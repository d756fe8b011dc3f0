"""Commands that the person runs in a session: real ones, in a real folder and a real store."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from kinet.core.approval import Decision
from kinet.core.errors import SettingsError
from kinet.core.events import (
    ApprovalRequested,
    Event,
    FilesChanged,
    Notice,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.own_command import OwnCommand
from kinet.runtime import create_runtime
from tests.session.own_commands import alive, end_of, run, runtime, session, work
from tests.support.approvers import ScriptedApprover, Undecided

__all__ = ["runtime", "session", "work"]


async def test_a_command_runs_without_a_model_and_its_events_are_those_of_a_turn(session, work):
    (work / "a.txt").write_text("one\n")
    events = await run(session, "!cat a.txt")
    kinds = [type(event) for event in events if not isinstance(event, ToolProgress)]
    assert kinds == [TurnStarted, ToolStarted, ToolFinished, TurnFinished]
    ended = end_of(events)
    assert (ended.content, ended.preview, ended.is_error) == ("one", "exit 0", False)
    assert ended.details["exit_code"] == 0
    assert events[-1].reason == "completed"
    (message,) = session.history()
    assert (message.role, message.kind, message.text) == ("user", "command", "one")
    assert message.command == OwnCommand("cat a.txt", "exit 0")


@pytest.mark.parametrize(
    ("text", "content", "preview"),
    [
        ("!true", "[no output, exit code 0]", "exit 0"),
        ("!echo out; exit 3", "out\n[exit code 3]", "exit 3"),
        ("!kill -9 $$", "[ended by signal 9]", "exit -9"),
        ("!echo 你好 привет 🎉", "你好 привет 🎉", "exit 0"),
    ],
)
async def test_how_it_ended_is_told(session, text, content, preview):
    ended = end_of(await run(session, text))
    assert (ended.content, ended.preview) == (content, preview)
    assert ended.is_error == (preview != "exit 0")


async def test_a_program_that_is_not_there_is_told_as_the_shell_tells_it(session):
    ended = end_of(await run(session, "!no-such-program-here"))
    assert "no-such-program-here: command not found" in ended.content
    assert ended.preview == "exit 127"


async def test_bytes_that_are_no_text_are_shown_and_break_nothing(session):
    ended = end_of(await run(session, "!printf 'a\\000\\377\\033[31mred'"))
    assert ended.content.startswith("a")
    assert "red" in ended.content
    ended.content.encode("utf-8")


async def test_a_huge_output_is_whole_in_its_file_and_has_two_ends_for_the_model(session, tmp_path):
    ended = end_of(await run(session, "!seq 1 400000"))
    assert ended.details["kept_whole"]
    assert "characters omitted here" in ended.model_content
    assert len(ended.model_content) < 9_000
    part = await session.outputs.part(ended.call_id, 1_000_000, 20)
    assert part is not None
    assert len(part) == 20
    saved = tmp_path / "saved.txt"
    assert await session.outputs.save(ended.call_id, saved)
    assert saved.read_text() == "".join(f"{number}\n" for number in range(1, 400_001))
    assert not await session.outputs.save("no such call", saved)
    with pytest.raises(OSError, match="no-such-folder"):
        await session.outputs.save(ended.call_id, tmp_path / "no-such-folder" / "a.txt")


async def test_the_folder_a_command_ends_in_begins_the_next_one(session, work):
    (work / "sub").mkdir()
    assert "[now in sub]" in end_of(await run(session, "!cd sub")).content
    assert end_of(await run(session, "!pwd")).content.startswith(str((work / "sub").resolve()))


async def test_a_command_without_a_folder_is_refused_in_words_and_nothing_is_stored(tmp_path):
    runtime = create_runtime(tmp_path / "home")
    try:
        session = runtime.sessions.create(folder=None)
        with pytest.raises(SettingsError, match="needs a folder") as refused:
            await run(session, "!ls")
        assert "Choose a folder" in refused.value.sentence()
        assert session.history() == ()
        assert session.state == "idle"
        assert list(runtime.sessions.list()) == []
    finally:
        await runtime.close()


async def test_what_is_never_run_is_not_run_for_the_person_either(session):
    with pytest.raises(SettingsError, match="never run") as refused:
        await run(session, "!rm -rf /")
    assert "terminal of your own" in refused.value.sentence()
    assert session.history() == ()
    assert (await run(session, "!echo on"))[-1].reason == "completed"


@pytest.mark.parametrize("text", ["!cat .env", "!echo x > .git/config", "!cp ~/.ssh/id_rsa ."])
async def test_a_protected_place_is_asked_about_and_a_no_runs_nothing(session, work, text):
    (work / ".env").write_text("KEY=1\n")
    approver = ScriptedApprover(Decision(False))
    events = await run(session, text, approver)
    (asked,) = approver.asked
    assert asked.body == text[1:]
    assert asked.reason
    assert asked.scopes == ("once",)
    assert not any(isinstance(event, ToolStarted) for event in events)
    assert events[-1].reason == "stopped"
    assert "not run" in events[-1].detail
    assert session.history() == ()


async def test_a_yes_runs_it(session, work):
    (work / ".env").write_text("KEY=1\n")
    approver = ScriptedApprover(Decision(True))
    assert end_of(await run(session, "!cat .env", approver)).content == "KEY=1"


async def test_a_rule_of_the_persons_own_that_says_no_is_asked_about(runtime, session, work):
    book = runtime._parts().rule_book
    book.remember("shell", {"command": "echo hm"}, str(work), Decision(False, "folder"))
    approver = ScriptedApprover(Decision(True))
    await run(session, "!echo hm", approver)
    assert "rule" in approver.asked[0].reason
    # With nobody to ask it is no.
    events = await run(session, "!echo hm")
    assert events[-1].reason == "stopped"


async def test_a_question_is_closed_by_a_stop(session):
    approver = Undecided()
    running = asyncio.create_task(run(session, "!cat .env", approver))
    await approver.waiting.wait()
    assert session.state == "waiting"
    session.stop()
    events = await running
    assert isinstance(events[1], ApprovalRequested)
    assert events[-1].reason == "stopped"
    assert session.state == "idle"


async def test_a_stop_keeps_what_was_printed_and_leaves_no_process(session):
    printed = asyncio.Event()
    pids: list[int] = []
    events = []

    async with aclosing(
        session.run_command(OwnCommand("echo $$; sleep 600 & echo $!; wait"))
    ) as stream:
        async for event in stream:
            events.append(event)
            if isinstance(event, ToolProgress):
                pids += [int(word) for word in event.text.split()]
            if len(pids) == 2 and not printed.is_set():
                printed.set()
                session.stop()
    ended = end_of(events)
    assert ended.preview == "stopped"
    assert ended.content == f"{pids[0]}\n{pids[1]}\n[stopped]"
    assert events[-1].reason == "stopped"
    await session.close()
    assert not any(alive(pid) for pid in pids)


async def test_leaving_the_iteration_ends_it_and_keeps_a_legal_history(session):
    async with aclosing(session.run_command(OwnCommand("echo a; sleep 600"))) as stream:
        async for event in stream:
            if isinstance(event, ToolProgress):
                break
    assert session.state == "idle"
    (message,) = session.history()
    assert message.command == OwnCommand("echo a; sleep 600", "stopped")


async def test_while_it_runs_another_command_and_a_message_wait_in_the_queue(session):
    notices: list[Event] = []
    async with aclosing(session.run_command(OwnCommand("echo a; sleep 600"))) as stream:
        async for event in stream:
            if isinstance(event, ToolProgress):
                notices += await run(session, "!echo later")
                session.enqueue("And a message.")
                session.stop()
    assert isinstance(notices[0], Notice)
    assert [(item.text, item.command) for item in session.queue] == [
        ("!echo later", True),
        ("And a message.", False),
    ]
    assert session.state == "paused"


async def test_a_queued_command_is_a_command_after_a_restart_too(runtime, session, tmp_path, work):
    await run(session, "!true")
    session.enqueue("!echo later", command=True)
    session.enqueue("!not a command")
    await runtime.close()
    again = create_runtime(tmp_path / "home", cwd=work)
    session = again.open_session(session.id)
    assert [item.command for item in session.queue] == [True, False]
    session.edit_queued(session.queue[0].id, "!echo sooner")
    assert session.queue[0].command
    await again.close()


async def test_a_queued_command_leaves_the_queue_when_it_has_run(runtime, session, tmp_path, work):
    await run(session, "!true")
    session.enqueue("!echo later", command=True)
    taken = session.take_next()
    assert taken is not None
    await run(session, taken.text)
    await runtime.close()
    again = create_runtime(tmp_path / "home", cwd=work)
    assert again.open_session(session.id).queue == []
    await again.close()


async def test_what_it_changed_on_disk_is_told_and_can_be_undone_and_done_again(session, work):
    (work / "a.txt").write_text("one\n")
    events = await run(session, "!echo two >> a.txt; echo new > b.txt")
    (changed,) = [event for event in events if isinstance(event, FilesChanged)]
    assert sorted(changed.paths) == ["a.txt", "b.txt"]
    await session.changes.undo()
    assert (work / "a.txt").read_text() == "one\n"
    assert not (work / "b.txt").exists()
    await session.changes.redo()
    assert (work / "a.txt").read_text() == "one\ntwo\n"
    assert (work / "b.txt").read_text() == "new\n"


async def test_what_a_stopped_command_changed_can_be_undone(session, work):
    async with aclosing(
        session.run_command(OwnCommand("echo new > b.txt; echo done; sleep 600"))
    ) as stream:
        async for event in stream:
            if isinstance(event, ToolProgress):
                session.stop()
    await session._cleaned_up()
    await session.changes.undo()
    assert not (work / "b.txt").exists()


async def test_what_a_stopped_command_changed_is_told_within_its_turn_however_long_the_look_takes(
    session, monkeypatch
):
    journal, ended = session._state.parts.journal, asyncio.Event()
    look = journal.after

    async def slow_look(ticket):
        await ended.wait()
        return await look(ticket)

    monkeypatch.setattr(journal, "after", slow_look)
    events: list[Event] = []
    async with aclosing(
        session.run_command(OwnCommand("echo new > b.txt; echo done; sleep 600"))
    ) as stream:
        async for event in stream:
            events.append(event)
            if isinstance(event, ToolProgress):
                session.stop()
            if isinstance(event, ToolFinished):
                ended.set()
    kinds = [type(event) for event in events if not isinstance(event, ToolProgress)]
    assert kinds == [TurnStarted, ToolStarted, ToolFinished, FilesChanged, TurnFinished]
    assert events[-2].paths == ("b.txt",)
