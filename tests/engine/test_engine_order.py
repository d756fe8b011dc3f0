"""The order in which the events of a turn come, whatever happens in it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from kinet.core.events import TextDelta, event_type
from kinet.core.messages import Message
from kinet.engine.base import Limits, StopSignal
from kinet.tools.catalog import builtin_tools
from tests.support.approvers import denies_everything
from tests.support.chat import Chat
from tests.support.replies import Reply, asks_for, breaks, fails, hangs, says, says_and_asks
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Change, Look
from tests.support.turns import PROFILE

pytestmark = pytest.mark.usefixtures("wire")

ASKED = ["step_started", "tool_arguments_delta", "message_completed"]
SAID = ["step_started", "text_delta", "message_completed", "step_finished"]
END = ["turn_finished"]


def _kinds(events: list[Any]) -> list[str]:
    """The kinds in order; pieces of one text or one call count as one."""
    return [kind for kind, _ in itertools.groupby(map(event_type, events))]


def _dollar(model: str, usage: Any) -> tuple[float, bool]:
    return 1.0, False


async def _order(*script: Reply, **fields: Any) -> list[str]:
    chat = Chat(tools=(Look(), Change(), Big()))
    return _kinds(await chat.send(ScriptedProvider(*script), **fields))


async def test_c17_a_question_stands_between_the_message_and_the_call():
    answered = ["approval_requested", "approval_resolved"]
    call = ["tool_started", "tool_finished", "step_finished"]
    assert await _order(asks_for("change", word="a")) == [*ASKED, *answered, *call, *SAID, *END]


async def test_c17_a_denied_call_never_starts_and_is_answered():
    order = await _order(asks_for("change", word="a"), approver=denies_everything())
    call = ["approval_requested", "approval_resolved", "tool_finished", "step_finished"]
    assert order == [*ASKED, *call, *SAID, *END]


async def test_c17_a_broken_stream_is_paid_for_then_reset_then_asked_again():
    broken = ["step_started", "text_delta", "step_finished", "segment_reset", "text_delta"]
    order = await _order(breaks("Hel"), says("Hello."))
    assert order == [*broken, "message_completed", "step_finished", *END]


async def test_c17_an_empty_reply_is_told_before_the_nudge():
    empty = ["step_started", "step_finished", "notice", "message_completed"]
    assert await _order(says(), says("Here.")) == [*empty, *SAID, *END]


async def test_c17_a_stopped_text_is_kept_before_the_end():
    stop = StopSignal()

    def at_text(event: Any) -> None:
        if isinstance(event, TextDelta):
            stop.set()

    order = await _order(hangs("Half"), stop=stop, on=at_text)
    assert order == [*SAID, *END]


async def test_c17_a_failure_ends_the_turn_at_once():
    assert await _order(fails(400)) == ["step_started", *END]


async def test_c17_a_budget_asks_between_two_steps():
    order = await _order(asks_for("look", word="a"), price=_dollar, limits=Limits(budget_usd=1.0))
    call = ["tool_started", "tool_finished", "step_finished"]
    answered = ["approval_requested", "approval_resolved"]
    assert order == [*ASKED, *call, *answered, *SAID, *END]


async def test_c17_the_warning_of_a_cap_stands_before_its_step_and_the_line_before_the_end():
    order = await _order(asks_for("look", word="a"), says("So far."), limits=Limits(max_steps=2))
    call = ["tool_started", "tool_finished", "step_finished"]
    assert order == [*ASKED, *call, "message_completed", *SAID, "notice", *END]


async def test_c17_a_compaction_comes_after_the_final_text_and_before_the_end():
    chat = Chat(limits=Limits(compact_at=3_000))
    for number in range(8):
        role = "assistant" if number % 2 else "user"
        chat.conversation.messages.append(Message(role, f"{number} " + "word " * 600))  # type: ignore[arg-type]
    provider = ScriptedProvider(says("Answer."), says("## Goal\nGo on."))
    order = _kinds(await chat.send(provider))
    folded = ["compaction_started", "step_finished", "context_compacted"]
    assert order == [*SAID, *folded, *END]


async def test_c17_a_compaction_within_a_turn_comes_before_the_step_it_makes_room_for():
    chat = Chat(tools=(Big(),), profile=replace(PROFILE, window=10_000))
    provider = ScriptedProvider()
    rounds = iter([asks_for("big", characters=7_000, letter=letter) for letter in "abc"])

    def stream(request: Any) -> Any:
        if "memory of" in request.system:
            return ScriptedProvider(says("Did things.")).stream(request)
        return ScriptedProvider(next(rounds, says("Final."))).stream(request)

    provider.stream = stream  # type: ignore[method-assign]
    order = _kinds(await chat.send(provider))
    place = order.index("context_compacted")
    folded = ["compaction_started", "step_finished", "context_compacted", "step_started"]
    assert order[place - 2 : place + 2] == folded
    assert order[place - 3] == "step_finished"
    assert order[-1:] == END


async def test_c17_a_sub_agent_tells_its_calls_and_costs_within_its_own_call(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    provider = ScriptedProvider(
        asks_for("dispatch_agent", task="Look."),
        asks_for("read_file", path="a.txt"),
        says("Report."),
        says("Done."),
    )
    chat = Chat(tools=builtin_tools(), folder=tmp_path)
    # Its own start and that of its first call count as one; so do the costs of its two steps.
    call = ["tool_started", "tool_finished", "step_finished", "tool_finished", "step_finished"]
    assert _kinds(await chat.send(provider)) == [*ASKED, *call, *SAID, *END]


async def test_c17_an_answer_and_a_call_in_one_reply_come_in_the_order_they_were_said():
    order = await _order(says_and_asks("Look.", "look", word="a"))
    said = ["step_started", "text_delta", "tool_arguments_delta", "message_completed"]
    call = ["tool_started", "tool_finished", "step_finished"]
    assert order == [*said, *call, *SAID, *END]
