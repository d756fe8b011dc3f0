"""Summaries that a person asks for: by hand, and of a branch that is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kinet.core.conversation import SUMMARY_FAILED
from kinet.core.events import ContextCompacted, Event, MessageCompleted, Notice, TurnStarted
from kinet.core.messages import Message, ToolCall
from kinet.engine.context.tokens import Calibration, size_of_message, size_of_text
from kinet.engine.direct import DirectEngine
from tests.support.chat import Chat
from tests.support.replies import Reply, fails, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.turns import PROFILE, last, turn

SUMMARY = "## Goal\nGo on."
WINDOW = 20_000


def _filled() -> Chat:
    chat = Chat(profile=replace(PROFILE, window=WINDOW))
    for number in range(24):
        chat.conversation.messages += [
            Message("user", f"Question {number}. " + "word " * 200),
            Message("assistant", f"Answer {number}."),
        ]
    return chat


async def _by_hand(chat: Chat, *script: Reply) -> tuple[ScriptedProvider, list[Event]]:
    """`/compact`: the whole context, its last message asks nothing."""
    provider = ScriptedProvider(*script)
    request = chat.request(provider)
    request = replace(request, user=request.history[-1], history=request.history[:-1])
    events: list[Event] = []
    chat.conversation.apply(TurnStarted("session"))
    async for event in chat.engine.compact(request):
        chat.conversation.apply(event)
        events.append(event)
    return provider, events


@pytest.mark.usefixtures("wire")
async def test_compacting_by_hand_asks_for_a_summary_also_while_it_rests_after_a_failed_one():
    chat = _filled()
    provider, events = await _by_hand(chat, fails(400))
    (compacted,) = [event for event in events if isinstance(event, ContextCompacted)]
    assert compacted.reason.startswith(SUMMARY_FAILED)
    assert chat.conversation.carry().summary_rests
    chat.conversation.messages += _filled().conversation.messages
    provider, events = await _by_hand(chat, says(SUMMARY))
    assert len(provider.requests) == 1
    (compacted,) = [event for event in events if isinstance(event, ContextCompacted)]
    assert compacted.reason == "asked for by hand"
    assert SUMMARY in compacted.summary
    assert last(events).reason == "completed"
    # It was of use: by itself it is tried again, too.
    assert not chat.conversation.carry().summary_rests


@pytest.mark.usefixtures("wire")
async def test_one_that_fails_again_by_hand_is_told_and_rests_anew():
    chat = _filled()
    await _by_hand(chat, fails(400))
    chat.conversation.turns += 3
    chat.conversation.messages += _filled().conversation.messages
    provider, events = await _by_hand(chat, fails(400))
    assert len(provider.requests) == 1
    told = [event.text for event in events if isinstance(event, Notice)]
    assert any("without a summary" in text for text in told)
    chat.conversation.turns += 2
    assert chat.conversation.carry().summary_rests


def _branch(words: str, many: int) -> tuple[Message, ...]:
    out: list[Message] = []
    for number in range(many):
        call = ToolCall(f"c{number}", "write_file", f'{{"path": "{words[:20]}{number}.txt"}}')
        out += [
            Message("user", words * 40),
            Message("assistant", words * 40, tool_calls=(call,)),
            Message("tool", words * 40, tool_call_id=call.id, name="write_file"),
        ]
    return tuple(out)


@pytest.mark.usefixtures("wire")
@pytest.mark.parametrize("words", ["a few words ", "很多汉字", "много слов "])
@pytest.mark.parametrize("window", [0, 2_000, 8_000, 200_000])
async def test_of_a_long_branch_so_much_is_summed_up_as_fits_the_window(words, window):
    calibration = Calibration()
    engine = DirectEngine(calibration)
    provider = ScriptedProvider(says("What was done."))
    request = turn(provider, profile=replace(PROFILE, window=window))
    events = await engine.branch_summary(request, _branch(words, 400))
    (asked,) = provider.requests
    size = size_of_text(asked.system) + size_of_message(asked.messages[0])
    # An unknown window is taken for one of 60,000.
    assert calibration.estimate(PROFILE.model, size) <= (window or 60_000) * 0.8
    (told,) = [event.message for event in events if isinstance(event, MessageCompleted)]
    assert "What was done." in told.text
    assert calibration.estimate(PROFILE.model, size_of_text(told.text)) <= (window or 60_000) // 3


@pytest.mark.usefixtures("wire")
async def test_a_short_branch_is_summed_up_whole():
    provider = ScriptedProvider(says("What was done."))
    request: Any = turn(provider, profile=replace(PROFILE, window=8_000))
    await DirectEngine().branch_summary(
        request,
        (Message("user", "Begin."), Message("assistant", "Middle."), Message("user", "End.")),
    )
    asked = provider.requests[0].messages[0].text
    assert all(word in asked for word in ("Begin.", "Middle.", "End."))
