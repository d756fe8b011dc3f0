"""Killed at any moment, a session opens again: nothing shown a second ago is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kinet.core.conversation import replay
from kinet.core.events import (
    ApprovalResolved,
    MessageCompleted,
    Notice,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message, ToolCall
from kinet.core.pairing import INTERRUPTED, repair, unanswered
from kinet.session.recovery import after_a_crash
from tests.session.conftest import collect

ROOT = Path(__file__).parents[2]


class Dying:
    """The program, in a process of its own."""

    def __init__(self, home: Path, what: str) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "tests.session.dying_program", str(home), what],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.session_id = self.line()[1].split()[1]

    def line(self) -> tuple[float, str]:
        """The next line: when it was said, and what."""
        at, _, word = self.child.stdout.readline().strip().partition(" ")
        return float(at), word

    def kill(self) -> list[tuple[float, str]]:
        """Ends it without a chance to tidy up. What it had said meanwhile."""
        self.child.send_signal(signal.SIGKILL)
        rest = self.child.stdout.read()
        self.child.wait()
        lines = [line.partition(" ") for line in rest.splitlines()]
        return [(float(at), word) for at, _, word in lines]


async def test_killed_in_mid_stream_question_and_text_up_to_a_second_before_are_there(
    start, tmp_path
):
    program = Dying(tmp_path / "home", "stream")
    said = [program.line() for _ in range(90)]
    said += program.kill()
    end = said[-1][0]
    old = [word for at, word in said if at < end - 1]
    assert len(old) > 10
    world = await start()
    (row,) = world.sessions.list()
    assert row.state == "interrupted"
    session = world.sessions.open(program.session_id)
    question, answer = session.history()
    assert question.text == "question 0"
    assert f"piece{old[-1]} " in answer.text
    events = session.events()
    partial = [event for event in events if isinstance(event, MessageCompleted) and event.partial]
    assert partial[0].message == answer
    assert events[-1].reason == "failed"
    assert events[-1].error.kind == "interrupted"
    # Said once, by the end of the turn: no call was lost that a line would have to warn of.
    assert "ended in the middle of this turn" in events[-1].error.message
    assert [event for event in events if isinstance(event, Notice)] == []
    await collect(session.send("go on"))
    assert unanswered(session.history()) == ()


@pytest.mark.parametrize("what", ["tool", "approval"])
async def test_killed_in_a_call_its_outcome_is_said_to_be_unknown(start, tmp_path, what):
    program = Dying(tmp_path / "home", what)
    program.line()
    program.kill()
    world = await start()
    session = world.sessions.open(program.session_id)
    assert [message.role for message in session.history()] == ["user", "assistant", "tool"]
    assert session.history()[2].text == INTERRUPTED
    events = session.events()
    assert any(isinstance(event, ApprovalResolved) for event in events) == (what == "approval")
    notice = next(event for event in events if isinstance(event, Notice))
    assert "one call is not known" in notice.text
    assert session.state == "idle"
    again = (await start()).sessions.open(program.session_id)
    assert again.events() == events


@pytest.mark.parametrize("turns", [0, 1, 3, 7, 12])
async def test_killed_between_any_two_events_every_finished_turn_is_whole(start, tmp_path, turns):
    program = Dying(tmp_path / "home", "turns")
    finished = [program.line()[1] for _ in range(turns)]
    finished += [word for _, word in program.kill()]
    world = await start()
    assert world.database.problems == []
    sound = world.database.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()[0])
    assert sound == "ok"
    if world.store.row(program.session_id) is None:
        assert finished == []
        return
    session = world.sessions.open(program.session_id)
    history = session.history()
    assert unanswered(history) == ()
    texts = [message.text for message in history]
    for word in finished:
        assert f"answer to question {word.split()[1]}" in texts
    assert repair(history) == history


def crash(*events):
    conversation = replay(events)
    ending = after_a_crash(conversation, events, "half", "thought")
    for event in ending:
        conversation.apply(event)
    return conversation, ending


ASKED = (TurnStarted("s"), MessageCompleted(Message("user", "go")))
TWO_CALLS = MessageCompleted(
    Message("assistant", "", (ToolCall("1", "look"), ToolCall("2", "look")))
)


def test_a_finished_turn_needs_nothing():
    assert crash(*ASKED, TurnFinished("completed"))[1] == []
    assert after_a_crash(replay([]), [], "", "") == []


def test_a_call_that_had_ended_keeps_its_result():
    done = ToolFinished("1", "look", content="seen", model_content="seen")
    conversation, _ = crash(*ASKED, TWO_CALLS, ToolStarted("1", "look"), done)
    results = [message.text for message in conversation.messages if message.role == "tool"]
    assert results == ["seen", INTERRUPTED]
    assert unanswered(conversation.messages) == ()


def test_a_call_of_a_sub_agent_is_ended_too():
    inner = ToolStarted("inner", "look", parent="1")
    _, ending = crash(*ASKED, TWO_CALLS, ToolStarted("1", "dispatch_agent"), inner)
    ended = {event.call_id: event.parent for event in ending if isinstance(event, ToolFinished)}
    assert ended == {"1": "", "2": "", "inner": "1"}


def test_reasoning_that_was_not_finished_is_kept():
    conversation, _ = crash(*ASKED)
    assert conversation.messages[-1] == Message("assistant", "half", reasoning="thought")
    assert conversation.state == "idle"


def test_an_answer_that_had_only_thought_is_not_empty():
    ending = after_a_crash(replay(ASKED), ASKED, "", "thought")
    assert ending[0].message == Message("assistant", INTERRUPTED, reasoning="thought")


def test_recovering_twice_changes_nothing():
    events = [*ASKED, TWO_CALLS]
    _, ending = crash(*events)
    assert crash(*events, *ending)[1] == []
