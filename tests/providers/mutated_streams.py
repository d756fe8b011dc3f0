"""Damages good streams in the ways that networks, gateways and servers do."""

from __future__ import annotations

import json
import random
from typing import Any

from provider_server import DONE, FINISH, chunk, event

ARGUMENTS = '{"path": "notes.md", "text": "one\\ntwo \\u00e9 {[\\"]}"}'


def openai_stream() -> list[bytes]:
    """Text, thinking and two calls in fragments."""
    pieces = [chunk(role="assistant", content=""), chunk(reasoning_content="hm ")]
    pieces += [chunk(content=text) for text in ("Let ", "me ", "\U0001f600 ", "look.")]
    for number in range(2):
        head = {"index": number, "id": f"call_{number}", "type": "function"}
        pieces.append(chunk(tool_calls=[{**head, "function": {"name": "write", "arguments": ""}}]))
        for start in range(0, len(ARGUMENTS), 7):
            part = {"arguments": ARGUMENTS[start : start + 7]}
            pieces.append(chunk(tool_calls=[{"index": number, "function": part}]))
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return [*pieces, FINISH, event({"choices": [], "usage": usage}), DONE]


def anthropic_stream() -> list[bytes]:
    """Thinking, text and a call in fragments."""
    values: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 10, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="c2ln"),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        delta(1, type="text_delta", text="Let me look."),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "write", "input": {}},
        },
    ]
    for start in range(0, len(ARGUMENTS), 7):
        values.append(delta(2, type="input_json_delta", partial_json=ARGUMENTS[start : start + 7]))
    values += [
        {"type": "content_block_stop", "index": 2},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]
    return [event(value) for value in values]


def responses_stream() -> list[bytes]:
    """Reasoning, a message and a call in fragments."""
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "write"}
    values: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "model": "m"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message"}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Let me look."},
        {"type": "response.output_item.added", "output_index": 1, "item": call},
    ]
    for start in range(0, len(ARGUMENTS), 7):
        part = ARGUMENTS[start : start + 7]
        kind = "response.function_call_arguments.delta"
        values.append({"type": kind, "output_index": 1, "delta": part})
    usage = {"input_tokens": 10, "output_tokens": 5}
    values.append(
        {"type": "response.completed", "response": {"status": "completed", "usage": usage}}
    )
    return [event(value) for value in values]


def ollama_stream() -> list[bytes]:
    """Lines of JSON: thinking, text and a call, which comes whole."""
    function = {"name": "write", "arguments": json.loads(ARGUMENTS)}
    messages: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "thinking": "hm"},
        {"role": "assistant", "content": "Let me "},
        {"role": "assistant", "content": "look."},
        {"role": "assistant", "content": "", "tool_calls": [{"function": function}]},
    ]
    lines: list[dict[str, Any]] = [{"model": "m", "message": m, "done": False} for m in messages]
    end = {"message": {"content": ""}, "done": True, "done_reason": "stop"}
    lines.append({**end, "prompt_eval_count": 10, "eval_count": 5})
    return [json.dumps(line).encode() + b"\n" for line in lines]


def delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def mutated(pieces: list[bytes], chance: random.Random) -> bytes:
    """The stream with one to four faults."""
    events = list(pieces)
    for _ in range(chance.randint(1, 4)):
        fault = chance.choice(FAULTS)
        events = fault(events, chance) or [b""]
    return b"".join(events)


def _cut(events: list[bytes], chance: random.Random) -> list[bytes]:
    whole = b"".join(events)
    return [whole[: chance.randint(0, len(whole))]]


def _repeat(events: list[bytes], chance: random.Random) -> list[bytes]:
    place = chance.randrange(len(events))
    return events[:place] + [events[place]] * chance.randint(1, 3) + events[place:]


def _drop(events: list[bytes], chance: random.Random) -> list[bytes]:
    place = chance.randrange(len(events))
    return events[:place] + events[place + 1 :]


def _merge(events: list[bytes], chance: random.Random) -> list[bytes]:
    place = chance.randrange(len(events))
    return [piece.rstrip(b"\n") if at == place else piece for at, piece in enumerate(events)]


def _swap(events: list[bytes], chance: random.Random) -> list[bytes]:
    out = list(events)
    one, other = chance.randrange(len(out)), chance.randrange(len(out))
    out[one], out[other] = out[other], out[one]
    return out


def _flip(events: list[bytes], chance: random.Random) -> list[bytes]:
    whole = bytearray(b"".join(events))
    for _ in range(chance.randint(1, 5)):
        if whole:
            whole[chance.randrange(len(whole))] = chance.randrange(256)
    return [bytes(whole)]


def _huge(events: list[bytes], chance: random.Random) -> list[bytes]:
    place = chance.randrange(len(events))
    return [*events[:place], b"data: " + b"y" * 1_100_000 + b"\n\n", *events[place:]]


def _other_type(events: list[bytes], chance: random.Random) -> list[bytes]:
    """Puts a value of a wrong type somewhere into one event."""
    place = chance.randrange(len(events))
    try:
        value = json.loads(events[place].removeprefix(b"data: "))
    except ValueError:
        return events
    spots = list(_spots(value))
    if not spots:
        return events
    holder, key = chance.choice(spots)
    odd: list[Any] = [None, 0, -1, 1.5, "", "x", [], {}, [None], [[]], {"a": None}, True, "\ud83d"]
    holder[key] = chance.choice(odd)
    framed = event(value) if events[place].startswith(b"data: ") else _line(value)
    return [*events[:place], framed, *events[place + 1 :]]


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _spots(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(pairs):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from _spots(item)


FAULTS = (_cut, _repeat, _drop, _merge, _swap, _flip, _other_type, _other_type, _huge)
