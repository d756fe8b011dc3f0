"""What is sent for a history: nothing of ours, everything the server needs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kinet.core.messages import ImagePart, Message, TextPart, ToolCall, ToolSchema
from kinet.core.own_command import OwnCommand
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.body import encoded

PROTOCOLS = ("openai", "responses", "anthropic")
PNG = "data:image/png;base64,iVBORw0KGgo="
CALL = ToolCall("call_1", "read_file", '{"path":  "a.md"}')


def body(protocol: str, request: ModelRequest, **fields: Any) -> dict[str, Any]:
    """The body sent for a request."""
    profile = ModelProfile(
        "test",
        fields.pop("base_url", "http://server.test/v1"),
        fields.pop("model", "test-model"),
        protocol=protocol,
        **fields,
    )
    return json.loads(json.dumps(create_provider(profile, None).build(request).body))


def conversation(*messages: Message, **more: Any) -> ModelRequest:
    """A request with these messages."""
    return ModelRequest(messages=messages, **more)


def asked_and_answered(call: ToolCall = CALL, text: str = "result") -> tuple[Message, ...]:
    """A question, a call and its result."""
    return (
        Message("user", "go"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", text, tool_call_id=call.id, name=call.name),
    )


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_mark_of_ours_is_sent(protocol):
    messages = (
        Message("user", "facts", memory=True, id="m1"),
        Message("user", "go", environment="It is Monday.", kind="steer", id="m2"),
        Message("assistant", "", tool_calls=(CALL,), vendor={"x": 1}, reasoning="hm"),
        Message("tool", "no", tool_call_id="call_1", is_error=True),
    )
    text = json.dumps(body(protocol, conversation(*messages)))
    assert '"_' not in text
    for word in ("facts", "go", "It is Monday."):
        assert word in text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_arguments_go_back_with_the_very_bytes_that_came(protocol):
    text = json.dumps(body(protocol, conversation(*asked_and_answered())))
    if protocol == "anthropic":
        assert '"input": {"path": "a.md"}' in text
    else:
        assert json.dumps(CALL.arguments) in text


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("raw", ["", "null", '{"a": ', "[1]", "nonsense", '"text"'])
def test_arguments_that_are_no_object_become_one(protocol, raw):
    call = ToolCall("call_1", "read_file", raw, invalid=True)
    sent = body(protocol, conversation(*asked_and_answered(call)))
    if protocol == "openai":
        found = json.loads(sent["messages"][1]["tool_calls"][0]["function"]["arguments"])
    elif protocol == "responses":
        found = json.loads(sent["input"][1]["arguments"])
    else:
        found = sent["messages"][1]["content"][0]["input"]
    assert isinstance(found, dict)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_id_that_comes_again_in_a_later_message_stays_paired(protocol):
    messages = (*asked_and_answered(text="first"), *asked_and_answered(text="second"))
    sent = body(protocol, conversation(*messages))
    pairs = json.dumps(sent)
    ids = _ids(protocol, sent)
    assert len(set(ids["calls"])) == 2
    assert ids["calls"] == ids["answers"]
    assert "first" in pairs
    assert "second" in pairs


def _ids(protocol: str, sent: dict[str, Any]) -> dict[str, list[str]]:
    if protocol == "openai":
        messages = sent["messages"]
        return {
            "calls": [c["id"] for m in messages for c in m.get("tool_calls", ())],
            "answers": [m["tool_call_id"] for m in messages if m["role"] == "tool"],
        }
    if protocol == "responses":
        items = sent["input"]
        return {
            "calls": [i["call_id"] for i in items if i.get("type") == "function_call"],
            "answers": [i["call_id"] for i in items if i.get("type") == "function_call_output"],
        }
    blocks = [b for m in sent["messages"] for b in m["content"]]
    return {
        "calls": [b["id"] for b in blocks if b["type"] == "tool_use"],
        "answers": [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"],
    }


def test_the_prefix_is_equal_from_request_to_request():
    tools = (ToolSchema("b", "", {}), ToolSchema("a", "", {}))
    first = body("openai", conversation(*asked_and_answered(), system="S", tools=tools))
    more = (*asked_and_answered(), Message("assistant", "done"), Message("user", "next"))
    second = body("openai", conversation(*more, system="S", tools=tools[::-1]))
    assert first["tools"] == second["tools"]
    count = len(first["messages"])
    assert json.dumps(first["messages"]) == json.dumps(second["messages"][:count])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_picture_that_is_none_becomes_words(protocol):
    for url in ("data:image/png;base64,bm9uZQ==", "blob:abc", "file:///etc/passwd", "data:x"):
        message = Message("user", (TextPart("look"), ImagePart(url)))
        text = json.dumps(body(protocol, conversation(message)))
        assert url not in text
        assert "a picture was here" in text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_blind_model_gets_words_for_a_picture(protocol):
    message = Message("user", (TextPart("look"), ImagePart(PNG)))
    text = json.dumps(body(protocol, conversation(message), vision=False))
    assert "iVBORw0KGgo" not in text
    assert "cannot see" in text


def test_a_wrong_label_on_a_picture_is_put_right():
    message = Message("user", (ImagePart("data:image/jpeg;base64,iVBORw0KGgo="),))
    sent = body("anthropic", conversation(message))
    assert sent["messages"][0]["content"][0]["source"]["media_type"] == "image/png"


def test_half_characters_are_replaced_and_pairs_joined():
    message = Message("user", "a \ud83d b \ud83d\ude80")
    profile = ModelProfile("t", "http://server.test/v1", "m")
    raw = create_provider(profile, None).build(conversation(message))
    assert "a \ufffd b \U0001f680" in encoded(raw.body).decode("utf-8")


def test_calls_without_tools_are_still_a_legal_request():
    sent = body("anthropic", conversation(*asked_and_answered()))
    assert [tool["name"] for tool in sent["tools"]] == ["read_file"]
    assert sent["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_forbidding_tools_keeps_their_list(protocol):
    tools = (ToolSchema("a", "", {}),)
    sent = body(protocol, conversation(Message("user", "go"), tools=tools, tool_choice="none"))
    assert len(sent["tools"]) == 1
    assert "none" in json.dumps(sent["tool_choice"])


def test_thinking_does_not_begin_in_the_middle_of_a_turn():
    unsigned = body("anthropic", conversation(*asked_and_answered(), effort="high"))
    fresh = body("anthropic", conversation(Message("user", "go"), effort="high"))
    assert "thinking" not in unsigned
    assert fresh["max_tokens"] > fresh["thinking"]["budget_tokens"]


def test_a_temperature_is_not_sent_beside_thinking():
    request = conversation(Message("user", "go"), effort="low", temperature=0.2)
    assert "temperature" not in body("anthropic", request)


@pytest.mark.parametrize(
    ("vendor", "model", "effort", "expected"),
    [
        ("openai", "gpt-5-mini", "off", {"reasoning_effort": "minimal"}),
        ("openai", "o3", "high", {"reasoning_effort": "high"}),
        ("openai", "gpt-4o", "high", {}),
        ("openrouter", "x/y", "off", {"reasoning": {"enabled": False}}),
        ("glm", "glm-4.6", "low", {"thinking": {"type": "enabled"}}),
        ("dashscope", "qwen-plus", "off", {"enable_thinking": False}),
        ("generic", "m", "high", {}),
    ],
)
def test_effort_is_said_in_the_vendors_words(vendor, model, effort, expected):
    request = conversation(Message("user", "go"), effort=effort)
    sent = body("openai", request, model=model, vendor=vendor)
    keys = ("reasoning_effort", "reasoning", "thinking", "enable_thinking")
    assert {key: sent[key] for key in keys if key in sent} == expected


def test_sealed_reasoning_goes_back_before_its_call():
    kept = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "call_id": "call_1"},
    ]
    call = Message("assistant", "", tool_calls=(CALL,), vendor={"responses": kept})
    result = Message("tool", "r", tool_call_id="call_1")
    sent = body("responses", conversation(Message("user", "go"), call, result), model="gpt-5")
    kinds = [item.get("type", item.get("role")) for item in sent["input"]]
    assert kinds == ["user", "reasoning", "function_call", "function_call_output"]
    assert sent["store"] is False


def test_a_caller_sees_his_own_tool_names():
    tools = [ToolSchema(name, "", {}) for name in ("a.b", "a_b", "a b", "x" * 70, "x" * 71)]
    names = ToolNames(tools)
    wires = [names.wire(tool.name) for tool in tools]
    assert len(set(wires)) == 5
    assert all(len(wire) <= 64 for wire in wires)
    assert [names.own(wire) for wire in wires] == [tool.name for tool in tools]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_p06_what_a_command_printed_is_said_by_the_person_and_a_private_one_is_not_there(protocol):
    said = (Message("user", "go"), Message("assistant", "Yes."))
    told = Message("user", "plum", kind="command", command=OwnCommand("cat x", "exit 0"))
    private = Message("user", "damson", kind="command", command=OwnCommand("cat y", private=True))
    after = Message("user", "on")
    with_private = body(protocol, conversation(*said, private, told, private, after))
    assert with_private == body(protocol, conversation(*said, told, after))
    text = json.dumps(with_private)
    assert "plum" in text
    assert '"_' not in text
    assert "damson" not in text
    # Nothing but private ones is like nothing at all.
    assert body(protocol, conversation(private)) == body(protocol, conversation())
