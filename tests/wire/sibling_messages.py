"""Anthropic answers of the kinds of the wire cases with other values."""

from __future__ import annotations

import json
from typing import Any

from sibling_forms import Sibling, called, said

Event = dict[str, Any]
START: Event = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    },
}
STOP: Event = {"type": "message_stop"}


def block(index: int, raw: Event, *deltas: Event, stop: bool = True) -> list[Event]:
    """A block with its pieces."""
    out = [{"type": "content_block_start", "index": index, "content_block": raw}]
    out += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    return [*out, {"type": "content_block_stop", "index": index}] if stop else out


def text(index: int, *pieces: str, **more: Any) -> list[Event]:
    """A block of text."""
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
    return block(index, {"type": "text", "text": ""}, *deltas, **more)


def thinking(index: int, words: str, signature: str = "c2ln") -> list[Event]:
    """A block of thinking."""
    deltas = [{"type": "thinking_delta", "thinking": words}] if words else []
    deltas += [{"type": "signature_delta", "signature": signature}] if signature else []
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas)


def use(index: int, id_: str, name: str, *pieces: str, **more: Any) -> list[Event]:
    """A call."""
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    raw = {"type": "tool_use", "id": id_, "name": name, "input": more.pop("input", {})}
    return block(index, raw, *deltas, **more)


def done(reason: Any = "end_turn", **usage: Any) -> list[Event]:
    """The end."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 5}}, STOP]


def stream(*events: Event, named: bool = True) -> str:
    """The bytes as text."""
    return "".join(
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n"
        for event in events
    )


def messages() -> dict[str, Sibling]:
    """All of them by name."""
    return {**_texts(), **_uses(), **_ends(), **_usages(), **_failures()}


def _texts() -> dict[str, Sibling]:
    hi = text(0, "Hi ", "there")
    ping: Event = {"type": "ping"}
    cited = {"type": "citations_delta", "citation": {"type": "char_location", "cited_text": "x"}}
    made: dict[str, tuple[list[Event], Any]] = {
        "pings everywhere": ([START, ping, *hi, ping, *done()], said()),
        "text in the start": (
            [START, *block(0, {"type": "text", "text": "Hi there"}), *done()],
            said(),
        ),
        "no block start": ([START, *hi[1:], *done()], said()),
        "no block stop": ([START, *text(0, "Hi ", "there", stop=False), *done()], said()),
        "no message start": ([*hi, *done()], said()),
        "no message stop": ([START, *hi, done()[0]], said()),
        "stop twice": ([START, *hi, *done(), STOP], said()),
        "three blocks": (
            [START, *text(0, "Hi"), *text(1, " "), *text(2, "there"), *done()],
            said(),
        ),
        "one index for two blocks": ([START, *text(0, "Hi "), *text(0, "there"), *done()], said()),
        "unknown event and delta": (
            [START, {"type": "novel"}, *hi, *block(1, {"type": "novel"}, {"type": "x"}), *done()],
            said(),
        ),
        "citations": (
            [
                START,
                *block(
                    0,
                    {"type": "text", "text": ""},
                    *[{"type": "text_delta", "text": "Hi there"}, cited],
                ),
                *done(),
            ],
            said(),
        ),
        "thinking before": (
            [START, *thinking(0, "Hm."), *text(1, "Hi there"), *done()],
            said(reasoning="Hm."),
        ),
        "thinking unsigned": (
            [START, *thinking(0, "Hm.", ""), *text(1, "Hi there"), *done()],
            said(reasoning="Hm."),
        ),
        "thinking without words": (
            [START, *thinking(0, ""), *text(1, "Hi there"), *done()],
            said(reasoning=""),
        ),
        "thinking hidden": (
            [
                START,
                *block(0, {"type": "redacted_thinking", "data": "AAA"}),
                *text(1, "Hi there"),
                *done(),
            ],
            said(reasoning=""),
        ),
        "thinking twice": (
            [
                START,
                *thinking(0, "One. "),
                *text(1, "Hi "),
                *thinking(2, "Two."),
                *text(3, "there"),
                *done(),
            ],
            said(reasoning="One. Two."),
        ),
        "a search of the server's": (
            [
                START,
                *block(
                    0,
                    {"type": "server_tool_use", "id": "s1", "name": "search", "input": {}},
                    {"type": "input_json_delta", "partial_json": '{"query": "x"}'},
                ),
                *block(1, {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}),
                *text(2, "Hi there"),
                *done(),
            ],
            said(),
        ),
    }
    out: dict[str, Sibling] = {
        f"messages, {name}": ("anthropic", stream(*events), wanted)
        for name, (events, wanted) in made.items()
    }
    plain = stream(START, *hi, *done())
    for name, body in {
        "no event lines": stream(START, *hi, *done(), named=False),
        "crlf": plain.replace("\n", "\r\n"),
        "no blank after the colon": plain.replace(": ", ":", 1).replace("data: ", "data:"),
        "comments": ": keep-alive\n\n" + plain,
        "a [DONE] at the end": plain + "data: [DONE]\n\n",
        "in one document": json.dumps(
            {
                **START["message"],
                "content": [{"type": "text", "text": "Hi there"}],
                "stop_reason": "end_turn",
            }
        ),
    }.items():
        out[f"messages, {name}"] = ("anthropic", body, said())
    return out


def _uses() -> dict[str, Sibling]:
    one = called(("t1", "look", {"at": "x"}))
    two = called(("t1", "look", {"at": "x"}), ("t2", "write", {"n": 2}))
    first, second = use(0, "t1", "look", '{"at"', ': "x"}'), use(1, "t2", "write", "", '{"n": 2}')
    mixed = [first[0], second[0], first[1], *second[1:3], first[2], first[3], second[3]]
    made: dict[str, tuple[list[Event], Any]] = {
        "one": ([*first, *done("tool_use")], one),
        "two": ([*first, *second, *done("tool_use")], two),
        "two in turn": ([*mixed, *done("tool_use")], two),
        "finish says end_turn": ([*first, *done("end_turn")], one),
        "finish missing": ([*first, *done(None)], one),
        "input in the start": ([*use(0, "t1", "look", input={"at": "x"}), *done("tool_use")], one),
        "input in start and pieces": (
            [*use(0, "t1", "look", '{"at": "x"}', input={}), *done("tool_use")],
            one,
        ),
        "no input": ([*use(0, "t1", "look", ""), *done("tool_use")], called(("t1", "look", {}))),
        "no pieces": ([*use(0, "t1", "look"), *done("tool_use")], called(("t1", "look", {}))),
        "no id": ([*use(0, "", "look", "{}"), *done("tool_use")], called((None, "look", {}))),
        "one id for two": (
            [*use(0, "t1", "look", "{}"), *use(1, "t1", "look", '{"a": 1}'), *done("tool_use")],
            called((None, "look", {}), (None, "look", {"a": 1})),
        ),
        "cut": (
            [*use(0, "t1", "look", '{"at": "'), *done("max_tokens")],
            called(finish="length", bad_tool_calls=[{"name": "look", "raw": '{"at": "'}]),
        ),
        "cut in the second": (
            [*first, *use(1, "t2", "write", '{"n'), *done("max_tokens")],
            called(
                ("t1", "look", {"at": "x"}),
                finish="length",
                bad_tool_calls=[{"name": "write", "raw": '{"n'}],
            ),
        ),
        "cut before its input": (
            [*use(0, "t1", "look"), *done("max_tokens")],
            called(finish="length", bad_tool_calls=[{"name": "look", "raw": ""}]),
        ),
        "broken": (
            [*use(0, "t1", "look", "{at: x}"), *done("tool_use")],
            called(
                finish=["tool_calls", "stop"], bad_tool_calls=[{"name": "look", "raw": "{at: x}"}]
            ),
        ),
        "a list": (
            [*use(0, "t1", "look", "[1]"), *done("tool_use")],
            called(finish=["tool_calls", "stop"], bad_tool_calls=[{"name": "look", "raw": "[1]"}]),
        ),
        "text before": (
            [*text(0, "Look."), *use(1, "t1", "look", '{"at": "x"}'), *done("tool_use")],
            {**one, "content": "Look."},
        ),
    }
    return {
        f"uses, {name}": ("anthropic", stream(START, *events), wanted)
        for name, (events, wanted) in made.items()
    }


def _ends() -> dict[str, Sibling]:
    hi = text(0, "Hi there")
    words: dict[Any, str | list[str]] = {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "refusal": "content_filter",
        "pause_turn": "pause",
        "content_filter": "content_filter",
        "tool_use": "stop",
        "compaction": "unknown",
        None: "stop",
    }
    return {
        f"ends, {word}": (
            "anthropic",
            stream(START, *hi, *done(word)),
            said(finish=wanted),
        )
        for word, wanted in words.items()
    }


def _usages() -> dict[str, Sibling]:
    def of(start: Any, *ends: Event, **wanted: int) -> Sibling:
        begun = {**START, "message": {**START["message"], "usage": start}}
        deltas = [{"type": "message_delta", "delta": {}, "usage": end} for end in ends]
        body = stream(begun, *text(0, "Hi there"), *deltas, *done("end_turn", output_tokens=0))
        return "anthropic", body, said(**wanted)

    cached = {
        "input_tokens": 3,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 7,
        "output_tokens": 1,
    }
    return {
        "usages, cached": of(
            cached, {"output_tokens": 9}, tokens_in=100, tokens_out=9, cache_read=90, cache_write=7
        ),
        "usages, by length of time": of(
            {**cached, "cache_creation": {"ephemeral_5m_input_tokens": 7}},
            {"output_tokens": 9},
            tokens_in=100,
            tokens_out=9,
            cache_read=90,
            cache_write=7,
        ),
        "usages, all in the end": of(
            {"input_tokens": 0, "output_tokens": 0},
            {**cached, "output_tokens": 9},
            tokens_in=100,
            tokens_out=9,
            cache_read=90,
        ),
        "usages, growing": of(
            {"input_tokens": 10, "output_tokens": 1},
            {"output_tokens": 4},
            {"output_tokens": 9},
            tokens_in=10,
            tokens_out=9,
        ),
        "usages, input again in the end": of(
            {"input_tokens": 10, "output_tokens": 1},
            {"input_tokens": 10, "output_tokens": 9},
            tokens_in=10,
            tokens_out=9,
        ),
        "usages, null in the end": of(
            {"input_tokens": 10, "output_tokens": 4},
            {"input_tokens": None, "output_tokens": None},
            tokens_in=10,
            tokens_out=4,
        ),
        "usages, none at all": of(None, {}),
        "usages, thinking": of(
            {"input_tokens": 10, "output_tokens": 1},
            {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 5}},
            tokens_out=9,
            reasoning_tokens=5,
        ),
    }


def _failures() -> dict[str, Sibling]:
    def failed(kind: Any, retryable: bool, partial: str = "") -> Any:
        return {"error": {"kind": kind, "retryable": retryable}, "partial": {"content": partial}}

    hi = text(0, "Hi there", stop=False)
    half = use(0, "t1", "look", '{"at"', stop=False)
    out: dict[str, Sibling] = {}
    for type_, kind, retryable in (
        ("overloaded_error", "overloaded", True),
        ("api_error", "overloaded", True),
        ("timeout_error", "overloaded", True),
        ("rate_limit_error", "rate_limit", True),
        ("authentication_error", "auth", False),
        ("permission_error", "auth", False),
        ("billing_error", "auth", False),
        ("invalid_request_error", "bad_request", False),
        ("not_found_error", "bad_request", False),
    ):
        error: Event = {"type": "error", "error": {"type": type_, "message": "It did not work"}}
        out[f"fails first, {type_}"] = ("anthropic", stream(error), failed(kind, retryable))
        out[f"fails after text, {type_}"] = (
            "anthropic",
            stream(START, *hi, error),
            failed(kind, retryable, "Hi there"),
        )
        out[f"fails in a call, {type_}"] = (
            "anthropic",
            stream(START, *half, error),
            failed(kind, retryable),
        )
    out["fails, cut in text"] = (
        "anthropic",
        stream(START, *hi),
        failed("network", True, "Hi there"),
    )
    out["fails, cut after a whole call"] = (
        "anthropic",
        stream(START, *use(0, "t1", "look", "{}")),
        failed("network", True),
    )
    return out
