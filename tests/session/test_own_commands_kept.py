"""Commands of the person's own that are kept: named, found, exported, branched, interrupted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from kinet.core.approval import ApprovalRequest
from kinet.core.conversation import replay
from kinet.core.events import (
    ApprovalRequested,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from kinet.core.own_command import NAME
from kinet.runtime import create_runtime
from kinet.session.archive import import_from, text_source
from kinet.session.export import exported
from kinet.session.recovery import after_a_crash
from tests.session import dying_program
from tests.session.own_commands import alive, is_end, run, runtime, session, work

__all__ = ["runtime", "session", "work"]


async def test_a_session_that_begins_with_a_command_is_named_after_it_until_something_is_said(
    session, runtime, tmp_path, work
):
    await run(session, "!!echo secret")
    assert session.title == ""
    await run(session, "!git   status")
    assert session.title == "!git status"
    await runtime.close()
    again = create_runtime(tmp_path / "home", cwd=work)
    session = again.open_session(session.id)
    assert session.title == "!git status"
    session._name_after("Look at the fruit")
    assert session.title == "Look at the fruit"
    await again.close()


async def test_a_reopened_session_has_the_very_same_conversation(runtime, session, tmp_path, work):
    await run(session, "!echo one")
    await run(session, "!!echo two")
    before = session.history()
    await runtime.close()
    again = create_runtime(tmp_path / "home", cwd=work)
    session = again.open_session(session.id)
    assert session.history() == before
    assert [message.command.private for message in before] == [False, True]
    await again.close()


async def test_its_words_and_its_output_are_found_and_a_model_finds_only_what_it_may(
    runtime, session
):
    await run(session, "!echo quince")
    await run(session, "!!echo medlar")
    await session.close()
    index = runtime._parts().sessions
    assert {hit.call_id for hit in index.search("quince")}
    assert {hit.call_id for hit in index.search("medlar")}
    recall = await session._state.parts.memory.recall("quince medlar", None)
    assert "a command of the person's own: quince" in recall
    assert "medlar" not in recall


@pytest.mark.parametrize("form", ["md", "html"])
async def test_an_export_to_be_read_says_whose_it_is_and_how_it_ended(session, form):
    await run(session, "!echo '```fig```'")
    await run(session, "!!echo '<b>kept'; exit 2")
    text = exported(form, session.title, session.history())
    assert "You ran a command (exit 0)" in text
    assert "You ran a command (exit 2, kept from the model)" in text
    assert "fig" in text
    assert ("````" in text) == (form == "md")
    assert ("<b>kept" in text) == (form == "md")


@pytest.mark.parametrize("form", ["json", "jsonl"])
async def test_an_export_brought_back_is_the_same_conversation(runtime, session, form):
    await run(session, "!echo one; exit 3")
    await run(session, "!!echo two")
    before = session.history()
    text = exported(form, session.title, before)
    report = import_from(text_source(text), session._state.parts.store, None)
    (new,) = report.new
    brought = runtime.open_session(new)
    assert [replace(message, id="") for message in brought.history()] == [
        replace(message, id="") for message in before
    ]
    assert len(await brought.branch_points()) == 2
    # It is a step that can be shown, and read again, like one that was run here.
    shown = [(event.content, event.preview) for event in brought.events() if is_end(event)]
    assert shown == [("one\n[exit code 3]", "exit 3"), ("two", "exit 0")]


async def test_going_back_leaves_it_on_its_branch_and_the_branch_has_it_again(session):
    await run(session, "!echo one")
    await run(session, "!echo two")
    first, second = session.history()
    await session.go_back(second.id)
    assert session.history() == (first,)
    await run(session, "!echo three")
    third = session.history()[1]
    assert [point.count for point in await session.branch_points()] == [1, 2]
    await session.switch_branch(third.id, -1)
    assert session.history() == (first, second)


async def test_killed_in_the_middle_it_is_marked_when_the_session_opens(tmp_path, work):
    home = tmp_path / "home"
    program = subprocess.Popen(  # noqa: ASYNC220 - a child of the test, ended by it
        [sys.executable, dying_program.__file__, str(home), "command", str(work)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert program.stdout is not None
    _, _, session_id = program.stdout.readline().split()
    _, shell = program.stdout.readline().split()
    program.send_signal(signal.SIGKILL)
    program.wait()
    program.stdout.close()
    again = create_runtime(home, cwd=work)
    # It is in the list, though nothing was ever said in it.
    assert [(row.id, row.message_count) for row in again.sessions.list()] == [(session_id, 1)]
    session = again.open_session(session_id)
    (message,) = session.history()
    assert message.command.status == "interrupted, outcome unknown"
    end = session.conversation.last_end
    assert end is not None
    assert end.reason == "stopped"
    assert "Kinet ended while this command ran" in end.detail
    await again.close()
    # The command's watchers end it when the program is gone.
    until = time.monotonic() + 2
    while alive(int(shell)) and time.monotonic() < until:  # noqa: ASYNC110 - another program ends it
        await asyncio.sleep(0.02)
    assert not alive(int(shell))


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([], "completed"),
        ([ApprovalRequested(ApprovalRequest("q", "t", NAME, "command", "Run?"))], "stopped"),
        ([ToolStarted("t", NAME, {"command": "make"})], "stopped"),
        ([ToolStarted("t", NAME, {"command": "make"}), ToolFinished("t", NAME)], "completed"),
    ],
)
def test_wherever_the_program_died_in_it_the_turn_is_ended_and_no_model_is_to_go_on(events, reason):
    before = [TurnStarted("s", "t"), *events]
    conversation = replay(before)
    after = after_a_crash(conversation, before, "", "")
    for event in after:
        conversation.apply(event)
    assert not conversation.interrupted
    assert conversation.pending == {}
    assert (after[-1].reason, after[-1].error) == (reason, None)
    began = any(isinstance(event, ToolStarted) for event in events)
    assert [item.kind for item in conversation.messages] == ["command"] * began
