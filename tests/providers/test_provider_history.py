"""Messages are built on from request to request, and are what they would be if built anew."""

from __future__ import annotations

import copy
import random

import pytest

from kinet.core.messages import ImagePart, Message, TextPart, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.protocols.chat_history import ChatHistory
from kinet.providers.vendors import vendor_named

TOOLS = tuple(ToolSchema(name, "does it", {}) for name in ("look", "a.b"))
PICTURE = ImagePart("https://pictures.test/one.png")


def grown(chance: random.Random, steps: int) -> list[list[Message]]:
    """A conversation step by step: calls, results, notes, answers, new questions, pictures."""
    history: list[Message] = [Message("user", "facts", memory=True), Message("user", "go")]
    out = [list(history)]
    for step in range(steps):
        kind = chance.choice(("calls", "calls", "answer", "note", "broken"))
        if kind == "answer":
            history += [Message("assistant", f"answer {step}"), Message("user", f"go on {step}")]
        elif kind == "note":
            history += [Message("assistant", "half"), Message("user", "[note]", kind="note")]
        else:
            arguments = '{"at": 1}' if kind == "calls" else '{"at": '
            calls = tuple(
                ToolCall(
                    chance.choice((f"c{step}-{n}", f"c{n}")),
                    chance.choice(("look", "a.b")),
                    arguments,
                    invalid=kind == "broken",
                )
                for n in range(chance.randint(1, 3))
            )
            calls = tuple({call.id: call for call in calls}.values())
            history.append(Message("assistant", "", tool_calls=calls, reasoning="hm"))
            for call in calls:
                content = (TextPart("seen"), PICTURE) if chance.random() < 0.2 else "seen"
                history.append(Message("tool", content, tool_call_id=call.id))
        out.append(list(history))
    return out


@pytest.mark.parametrize(
    "vendor", ["openai", "deepseek", "mistral", "gemini", "llamacpp", "generic"]
)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_built_on_equals_what_is_built_anew(vendor, seed):
    row = vendor_named(vendor)
    profile = ModelProfile("p", "http://server.test/v1", "m", vendor=vendor)
    going_on = ChatHistory(profile, row)
    for messages in grown(random.Random(seed), 25):
        request = ModelRequest("You help.", tuple(messages), TOOLS)
        built, names = going_on.of(request)
        anew, _ = ChatHistory(profile, row).of(request)
        assert built == anew
        assert names.own(names.wire("a.b")) == "a.b"
    assert len(going_on._built) == 1


def test_an_earlier_request_is_not_changed_by_a_later_one():
    provider = create_provider(ModelProfile("p", "https://api.openai.com/v1", "m"), None)
    steps = grown(random.Random(3), 12)
    kept = []
    for messages in steps:
        body = provider.build(ModelRequest("You help.", tuple(messages), TOOLS)).body
        kept.append((body, copy.deepcopy(body)))
    assert all(body == copied for body, copied in kept)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: (m[0], Message("user", "edited"), *m[2:]),
        lambda m: m[:2],
        lambda m: (*m, Message("system", "late")),
        lambda m: (*m, Message("tool", "stray", tool_call_id="nobody")),
        lambda m: (*m, Message("assistant", "", tool_calls=(ToolCall("x", "look"),))),
        lambda m: (
            *m,
            Message("assistant", "", tool_calls=(ToolCall("x", "new one"),)),
            Message("tool", "r", tool_call_id="x"),
        ),
    ],
)
def test_a_history_that_was_changed_is_built_anew(change):
    profile = ModelProfile("p", "http://server.test/v1", "m")
    row = vendor_named("generic")
    going_on = ChatHistory(profile, row)
    messages = tuple(grown(random.Random(1), 6)[-1])
    going_on.of(ModelRequest("You help.", messages, TOOLS))
    request = ModelRequest("You help.", change(messages), TOOLS)
    assert going_on.of(request)[0] == ChatHistory(profile, row).of(request)[0]


def test_a_marked_gateway_never_collects_marks():
    provider = create_provider(
        ModelProfile("p", "https://openrouter.ai/api/v1", "anthropic/claude-test"), None
    )
    for messages in grown(random.Random(2), 12):
        body = provider.build(ModelRequest("You help.", tuple(messages), TOOLS)).body
        assert str(body).count("cache_control") <= 4
