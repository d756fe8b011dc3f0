"""A run of 200 steps: each message is looked at once, so that a step costs the same at its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kinet.engine.context import context, segments
from tests.support.chat import Chat
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Look
from tests.support.turns import PROFILE, last

STEPS = 200


@pytest.mark.parametrize(
    ("module", "name"), [(context, "size_of_message"), (segments, "_sent")], ids=["size", "hash"]
)
async def test_each_message_of_a_long_run_is_measured_and_hashed_once(monkeypatch, module, name):
    calls = 0
    original = getattr(module, name)

    def counting(message: Any) -> Any:
        nonlocal calls
        calls += 1
        return original(message)

    monkeypatch.setattr(module, name, counting)
    provider = ScriptedProvider(
        [asks_for("look", word=str(number)).counting(100) for number in range(STEPS)],
        says("Done.").counting(100),
    )
    chat = Chat(tools=(Look(),), profile=replace(PROFILE, window=10_000_000))
    events = await chat.send(provider)
    assert last(events).reason == "completed"
    assert len(provider.requests) == STEPS + 1
    messages = len(chat.conversation.messages)
    # An answer is looked at once more for an estimate of what it took.
    assert messages - 2 <= calls <= 2 * messages


async def test_the_requests_of_a_long_run_are_those_of_the_whole_history():
    provider = ScriptedProvider(
        [asks_for("look", word=str(number)) for number in range(20)], says("Done.")
    )
    chat = Chat(tools=(Look(),), memory_text="Facts.")
    await chat.send(provider, "First.")
    await chat.send(provider, "Second.")
    for request in provider.requests:
        begun = request.messages[request.turn_start]
        assert begun.role == "user"
        assert begun.text in ("First.", "Second.")
    assert provider.requests[-1].messages[1:] == tuple(chat.conversation.messages[:-1])
