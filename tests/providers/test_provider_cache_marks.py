"""Thirty steps with batches of 1 to 25 calls: each request finds what the one before wrote."""

from __future__ import annotations

from typing import Any

import pytest

from kinet.core.messages import Message, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider

LOOK_BACK = 15
TOOLS = tuple(ToolSchema(name, "does it", {}) for name in ("grep", "read_file"))
PROVIDER = create_provider(
    ModelProfile("test", "https://api.anthropic.com", "claude-test", protocol="anthropic"), None
)


def marks(messages: tuple[Message, ...], turn_start: int) -> tuple[list[int], int, dict[str, Any]]:
    """Numbers of the marked blocks, the number of all marks, the body."""
    request = ModelRequest("You help.", messages, TOOLS, turn_start=turn_start)
    body = dict(PROVIDER.build(request).body)
    blocks = [block for message in body["messages"] for block in message["content"]]
    places = [number for number, block in enumerate(blocks) if "cache_control" in block]
    for number in places:
        assert blocks[number]["type"] not in ("thinking", "redacted_thinking")
        assert blocks[number].get("text", "-").strip()
    fixed = sum("cache_control" in item for item in (*body["tools"], *body["system"]))
    return places, len(places) + fixed, body


def batch(step: int, size: int, *, thinks: bool) -> list[Message]:
    """An answer with calls, and their results."""
    calls = tuple(ToolCall(f"toolu_{step}_{n}", "grep", '{"pattern": "x"}') for n in range(size))
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "", "signature": "c2ln"}]
    blocks += [{"type": "tool_use", "id": call.id, "name": "grep", "input": {}} for call in calls]
    vendor = {"anthropic": blocks} if thinks else {}
    answers = [Message("tool", "r", tool_call_id=call.id) for call in calls]
    return [Message("assistant", "", tool_calls=calls, vendor=vendor), *answers]


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize("start", [1, 2, 25])
def test_each_request_finds_a_written_prefix(start, thinks):
    history: list[Message] = [Message("user", "facts", memory=True), Message("user", "go")]
    turn_start = 1
    written: set[int] = set()
    for step in range(30):
        places, count, _ = marks(tuple(history), turn_start)
        assert count <= 4
        if step:
            assert any(0 <= mark - old <= LOOK_BACK for mark in places for old in written), step
        written |= set(places)
        if step % 10 == 9:
            history.append(Message("assistant", "Done so far."))
            turn_start = len(history)
            history.append(Message("user", "go on"))
        else:
            history += batch(step, 1 + (start + step * 7) % 25, thinks=thinks)


def test_the_newest_message_and_the_end_of_the_last_turn_are_marked():
    history = (
        Message("user", "one"),
        Message("assistant", "answer"),
        Message("user", "two"),
    )
    places, count, body = marks(history, 2)
    assert places == [1, 2]
    assert count == 4
    assert body["tools"][-1]["cache_control"] == {"type": "ephemeral"}
