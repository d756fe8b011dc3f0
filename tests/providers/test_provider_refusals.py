"""What a server refuses by name is left out, and nothing else that bears the same name."""

from __future__ import annotations

from typing import Any

import pytest

from kinet.core.messages import Message, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile, WireProtocol
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.transport.complaints import Complaint
from kinet.providers.transport.refusals import Refusals

SIGNED = [{"type": "thinking", "thinking": "first look", "signature": "c2ln"}]
SEALED = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}]
CALL = ToolCall("c1", "look", '{"strict": true, "temperature": 3, "thinking": "mine"}')


def body_after(protocol: WireProtocol, words: str, **more: Any) -> dict[str, Any]:
    """The next request after a server complained with these words."""
    address = "http://127.0.0.1:11434/v1" if more.pop("ollama", False) else "http://s.test/v1"
    profile = ModelProfile("p", address, more.pop("model", "gpt-5"), protocol=protocol)
    vendor = {"anthropic": SIGNED, "responses": SEALED}
    request = ModelRequest(
        "You help.",
        (
            Message("user", "go"),
            Message("assistant", "", tool_calls=(CALL,), reasoning="first look", vendor=vendor),
            Message("tool", "seen", tool_call_id="c1"),
        ),
        (ToolSchema("look", "looks", {"properties": {"temperature": {"type": "number"}}}),),
        **more,
    )
    refusals = Refusals()
    provider = create_provider(profile, None, refusals=refusals)
    assert refusals.learn(Complaint(words), provider.build(request).body)
    return dict(provider.build(request).body)


def test_thinking_that_is_refused_leaves_earlier_thinking_whole():
    words = "thinking: Extra inputs are not permitted"
    body = body_after("anthropic", words, effort="high", model="claude-test")
    assert "thinking" not in body
    if blocks := [b for b in body["messages"][1]["content"] if b["type"] == "thinking"]:
        assert blocks[0]["thinking"] == "first look"
    assert body["messages"][1]["content"][-1]["input"]["thinking"] == "mine"


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic"])
def test_arguments_and_schemas_keep_what_bears_a_refused_name(protocol):
    body = body_after(
        protocol, "Unsupported parameter: 'temperature'", temperature=0.5, model="plain"
    )
    assert "temperature" not in body
    text = str(body)
    assert "temperature" in text.replace("\\", "")
    assert "strict" in text


def test_a_setting_that_stands_among_options_is_left_out_there():
    body = body_after(
        "openai",
        "invalid option: temperature not supported",
        ollama=True,
        temperature=0.5,
        model="plain",
    )
    assert "temperature" not in body["options"]
    assert body["messages"][-2]["tool_calls"][0]["function"]["arguments"]["temperature"] == 3


@pytest.mark.parametrize(
    "words",
    [
        "The encrypted content gAAA could not be verified.",
        "invalid_encrypted_content",
        "Encrypted content could not be decrypted or parsed.",
    ],
)
def test_reasoning_sealed_elsewhere_is_left_out(words):
    body = body_after("responses", words)
    assert [item.get("type") for item in body["input"]] == [
        None,
        "function_call",
        "function_call_output",
    ]


def test_thinking_signed_elsewhere_is_left_out_but_not_for_ever():
    told: list[frozenset[str]] = []
    refusals = Refusals(learnt=told.append)
    words = "messages.1.content.0: Invalid `signature` in `thinking` block"
    assert refusals.learn(Complaint(words), {"messages": [{}]})
    assert not refusals.learn(Complaint(words), {"messages": [{}]})
    assert frozenset().union(*told) == frozenset()
    body = body_after("anthropic", words, model="claude-test")
    assert [block["type"] for block in body["messages"][1]["content"]] == ["tool_use"]
