"""Messages are built on from request to request, and are what they would be if built anew."""

from __future__ import annotations

import copy
import random
import sys

import pytest

from kinet.core.messages import ImagePart, Message, TextPart, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile, WireProtocol
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.transport.body import BodyWriter, encoded
from kinet.providers.transport.complaints import Complaint
from kinet.providers.transport.http_provider import HttpProvider

TOOLS = tuple(ToolSchema(name, "does it", {}) for name in ("look", "a.b"))
SIGNED = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]
SEALED = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}]
PICTURE = ImagePart("https://pictures.test/one.png")


def grown(chance: random.Random, steps: int) -> list[list[Message]]:
    """A conversation step by step: calls, results, notes, answers, new questions, pictures."""
    history: list[Message] = [Message("user", "facts", memory=True), Message("user", "go")]
    out = [list(history)]
    for step in range(steps):
        kind = chance.choice(("calls", "calls", "answer", "note", "broken", "steer"))
        if kind == "answer":
            history += [Message("assistant", f"answer {step}"), Message("user", f"go on {step}")]
        elif kind == "steer":
            # Right behind results, or behind another question: of one role with what is before.
            history.append(Message("user", f"and also {step}"))
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
            vendor = {"anthropic": SIGNED, "responses": SEALED} if step % 3 == 0 else {}
            history.append(
                Message("assistant", "", tool_calls=calls, reasoning="hm", vendor=vendor)
            )
            for call in calls:
                content = (TextPart("seen"), PICTURE) if chance.random() < 0.2 else "seen"
                history.append(Message("tool", content, tool_call_id=call.id))
        out.append(list(history))
    return out


def profile_of(vendor: str) -> ModelProfile:
    """A profile of the vendor; each protocol and each way to build messages is among them."""
    address, model, protocol = PROFILES[vendor]
    return ModelProfile("p", address, model, vendor=vendor, protocol=protocol)


PROFILES: dict[str, tuple[str, str, WireProtocol]] = {
    **dict.fromkeys(
        ("openai", "deepseek", "mistral", "gemini", "llamacpp", "generic"),
        ("http://server.test/v1", "m", "openai"),
    ),
    "openrouter": ("https://openrouter.ai/api/v1", "anthropic/claude-test", "openai"),
    "ollama": ("http://127.0.0.1:11434/v1", "m", "openai"),
    "anthropic": ("https://api.anthropic.com", "claude-test", "anthropic"),
    "azure": ("https://x.openai.azure.com/v1", "gpt-5", "responses"),
}


def written(provider: HttpProvider, request: ModelRequest) -> bytes:
    """The very bytes that are sent."""
    return encoded(provider.build(request).body)


@pytest.mark.parametrize("vendor", PROFILES)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_built_on_is_sent_in_the_very_bytes_of_what_is_built_anew(vendor, seed):
    profile = profile_of(vendor)
    going_on = create_provider(profile, None)
    writer = BodyWriter()
    steps = grown(random.Random(seed), 25)
    before = -1
    for messages in steps:
        start = max(n for n, message in enumerate(messages) if message.role == "user")
        request = ModelRequest(
            "You help.", tuple(messages), TOOLS, turn_start=start, asked_before=before
        )
        before = len(messages)
        anew = written(create_provider(profile, None), request)
        assert written(going_on, request) == anew
        assert writer.written(going_on.build(request).body) == anew
    assert len(going_on._dialect._history._grown) == 1


@pytest.mark.parametrize("vendor", PROFILES)
def test_a_refused_parameter_leaves_both_alike(vendor):
    profile = profile_of(vendor)
    words = (
        "Unsupported parameter: 'temperature'",
        "Unknown parameter: 'reasoning_content'",
        "cache_control: Extra inputs are not permitted",
        "Invalid `signature` in `thinking` block",
    )
    going_on = create_provider(profile, None)
    refused: list[Complaint] = []
    writer = BodyWriter()
    for number, messages in enumerate(grown(random.Random(5), 16)):
        request = ModelRequest("You help.", tuple(messages), TOOLS, temperature=0.5)
        if number % 4 == 3:
            refused.append(Complaint(words[number // 4]))
            going_on._dialect.learn(refused[-1], going_on.build(request).body)
        anew = create_provider(profile, None)
        for complaint in refused:
            anew._dialect.learn(complaint, anew.build(request).body)
        anew = create_provider(profile, None, refusals=anew._dialect._refusals)
        assert writer.written(going_on.build(request).body) == written(anew, request)


@pytest.mark.parametrize("vendor", PROFILES)
def test_an_earlier_request_is_not_changed_by_a_later_one(vendor):
    provider = create_provider(profile_of(vendor), None)
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
@pytest.mark.parametrize("vendor", PROFILES)
def test_a_history_that_was_changed_is_built_anew(change, vendor):
    profile = profile_of(vendor)
    going_on = create_provider(profile, None)
    messages = tuple(grown(random.Random(1), 6)[-1])
    going_on.build(ModelRequest("You help.", messages, TOOLS))
    request = ModelRequest("You help.", change(messages), TOOLS)
    assert written(going_on, request) == written(create_provider(profile, None), request)


def test_a_conversation_beside_another_is_built_on_too():
    provider = create_provider(profile_of("anthropic"), None)
    for one, other in zip(grown(random.Random(1), 9), grown(random.Random(2), 9), strict=True):
        for messages in (one, other):
            request = ModelRequest("You help.", tuple(messages), TOOLS)
            anew = create_provider(profile_of("anthropic"), None)
            assert written(provider, request) == written(anew, request)
    assert len(provider._dialect._history._grown) == 2


def test_a_marked_gateway_never_collects_marks():
    provider = create_provider(
        ModelProfile("p", "https://openrouter.ai/api/v1", "anthropic/claude-test"), None
    )
    for messages in grown(random.Random(2), 12):
        body = provider.build(ModelRequest("You help.", tuple(messages), TOOLS)).body
        assert str(body).count("cache_control") <= 4


def test_only_what_is_new_of_a_conversation_is_written_anew(monkeypatch):
    count = [0]

    def counted(value: object) -> bytes:
        count[0] += isinstance(value, dict)
        return encoded(value)

    monkeypatch.setattr("kinet.providers.transport.body.encoded", counted)
    provider = create_provider(profile_of("anthropic"), None)
    writer = BodyWriter()
    one, other = grown(random.Random(4), 40), grown(random.Random(5), 40)
    for messages in (step for pair in zip(one, other, strict=True) for step in pair):
        body = provider.build(ModelRequest("You help.", tuple(messages), TOOLS)).body
        count[0] = 0
        assert writer.written(body) == encoded(body)
        # A step adds a few messages, and marks move on two.
        assert count[0] <= 12
    assert len(writer._written) == 2


def test_half_a_character_is_written_as_it_is_in_a_whole_body():
    writer = BodyWriter()
    half = {"messages": [{"role": "user", "content": "\ud83d lone"}], "model": "m", "input": []}
    assert writer.written(half) == writer.written(half) == encoded(half)
    assert writer.written({"messages": []}) == b'{"messages":[]}'


@pytest.mark.parametrize("vendor", PROFILES)
def test_a_step_late_in_a_conversation_is_built_in_as_many_acts_as_an_early_one(vendor):
    provider, writer = create_provider(profile_of(vendor), None), BodyWriter()
    messages = [Message("user", "go")]
    acts: list[int] = []
    for step in range(120):
        request = ModelRequest("You help.", tuple(messages), TOOLS, turn_start=0)
        count = 0

        def note(frame: object, kind: str, argument: object) -> None:
            nonlocal count
            count += kind == "call"

        sys.setprofile(note)
        writer.written(provider.build(request).body)
        provider._dialect.decoder(request)
        sys.setprofile(None)
        acts.append(count)
        call = ToolCall(f"c{step}", "look", '{"at": 1}')
        messages.append(Message("assistant", "", tool_calls=(call,)))
        messages.append(Message("tool", "seen", tool_call_id=call.id))
    assert max(acts[100:]) <= max(acts[20:40]) * 1.1
