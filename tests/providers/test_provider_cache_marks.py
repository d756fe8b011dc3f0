"""Thirty steps with batches of 1 to 25 calls: each request finds what the one before wrote."""

from __future__ import annotations

from typing import Any

import pytest

from kinet.core.messages import Message, TextPart, ToolCall, ToolSchema
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


def chat_marks(messages: tuple[Message, ...], asked_before: int) -> list[int]:
    """Numbers of the messages that are marked for a gateway that passes marks on."""
    profile = ModelProfile(
        "gate", "https://openrouter.ai/api/v1", "anthropic/claude-test", vendor="openrouter"
    )
    request = ModelRequest("You help.", messages, TOOLS, asked_before=asked_before)
    sent = create_provider(profile, None).build(request).body["messages"]
    return [number for number, message in enumerate(sent) if "cache_control" in str(message)]


def test_behind_an_empty_reply_a_gateway_is_marked_where_the_request_before_ended():
    history = (
        Message("user", "one"),
        Message("assistant", "answer"),
        Message("user", "two"),
        # The reply was empty: nothing of it is here.
        Message("user", "[note]", kind="note"),
        Message("user", tuple(TextPart(f"part {n}") for n in range(30)), kind="steer"),
    )
    # The system text is message 0.
    assert chat_marks(history, 3) == [0, 3, 5]
    assert chat_marks(history, -1) == [0, 1, 5]


def test_behind_an_empty_reply_a_long_message_is_marked_where_the_request_before_ended():
    history = (
        Message("user", "one"),
        Message("assistant", "answer"),
        Message("user", "two"),
        Message("user", "[note]", kind="note"),
        Message("user", tuple(TextPart(f"part {n}") for n in range(30)), kind="steer"),
    )
    request = ModelRequest("You help.", history, TOOLS, turn_start=2, asked_before=3)
    messages = PROVIDER.build(request).body["messages"]
    marked = [n for n, block in enumerate(messages[-1]["content"]) if "cache_control" in block]
    # All three are one message there; "two" is its first block.
    assert marked == [0, 31]
