"""Calls of the kinds of the wire cases with other values: what other servers make of them.

The shapes are those of servers in use; texts and numbers are invented.
"""

from __future__ import annotations

import json
from typing import Any

from sibling_forms import PAIR, Sibling, called, chunk, end, line, tool


def calls() -> dict[str, Sibling]:
    """All of them by name."""
    return {**_calls(), **_arguments()}


def _calls() -> dict[str, Sibling]:
    one, two = '{"at": "x"}', '{"n": 2}'
    a, b = {"id": "c1", "name": "look"}, {"id": "c2", "name": "write"}
    done = end("tool_calls")
    made = {
        "ollama: every call has index 0, whole": tool({**a, "index": 0, "args": one})
        + tool({**b, "index": 0, "args": two}),
        "dynamo: index 0 for all, arguments in fragments": tool({**a, "index": 0, "args": ""})
        + tool({"index": 0, "args": '{"at": '})
        + tool({"index": 0, "args": '"x"}'})
        + tool({**b, "index": 0, "args": ""})
        + tool({"index": 0, "args": two}),
        "new-api: indexes begin at 1": tool({**a, "index": 1, "args": ""})
        + tool({"index": 1, "args": one})
        + tool({**b, "index": 2, "args": two}),
        "indexes run backwards in one chunk": tool({**b, "index": 1}, {**a, "index": 0})
        + tool({"index": 0, "args": one}, {"index": 1, "args": two}),
        "both whole in one chunk without index": tool({**a, "args": one}, {**b, "args": two}),
        "both whole in the finish chunk": tool(
            {**a, "index": 0, "args": one}, {**b, "index": 1, "args": two}, finish="tool_calls"
        ),
        "index null, fragments follow": tool({**a, "index": None, "args": ""})
        + tool({"index": None, "args": one})
        + tool({**b, "index": None, "args": ""})
        + tool({"index": None, "args": '{"n"'})
        + tool({"index": None, "args": ": 2}"}),
        "index as text": tool({**a, "index": "0", "args": one})
        + tool({**b, "index": "1", "args": two}),
        "id and name again in every fragment": tool({**a, "index": 0, "args": '{"at"'})
        + tool({**a, "index": 0, "args": ': "x"}'})
        + tool({**b, "index": 1, "args": '{"n": '})
        + tool({**b, "index": 1, "args": "2}"}),
        "id empty, name null, type empty in continuations": tool({**a, "index": 0, "args": ""})
        + tool({"index": 0, "id": "", "type": "", "name": None, "args": one})
        + tool({**b, "index": 1, "args": ""})
        + tool({"index": 1, "id": None, "type": None, "name": "", "args": two}),
        "arguments in turn, letter by letter": tool({**a, "index": 0}, {**b, "index": 1})
        + "".join(
            tool({"index": n, "args": text[k]})
            for k in range(len(one))
            for n, text in ((0, one), (1, two))
            if k < len(text)
        ),
        "blank first fragment": tool({**a, "index": 0, "args": " "})
        + tool({"index": 0, "args": one})
        + tool({**b, "index": 1, "args": two}),
        "an empty list and null between": tool({**a, "index": 0, "args": one})
        + chunk({"tool_calls": []})
        + chunk({"tool_calls": None, "content": None})
        + tool({**b, "index": 1, "args": two}),
        "an empty object in the list": tool({**a, "index": 0, "args": one}, {})
        + tool({**b, "index": 1, "args": two}),
        "the whole list once more at the end": tool({**a, "index": 0, "args": one})
        + tool({**b, "index": 1, "args": two})
        + tool({**a, "index": 0, "args": one}, {**b, "index": 1, "args": two}),
        "name in the second fragment": tool({"id": "c1", "index": 0})
        + tool({"index": 0, "name": "look", "args": ""})
        + tool({"index": 0, "args": one})
        + tool({**b, "index": 1, "args": two}),
        "in message instead of delta": line(
            {
                "choices": [
                    {
                        "index": 0,
                        "message": {
                            "role": "assistant",
                            "content": None,
                            "tool_calls": [
                                {"id": "c1", "function": {"name": "look", "arguments": one}},
                                {"id": "c2", "function": {"name": "write", "arguments": two}},
                            ],
                        },
                        "finish_reason": None,
                    }
                ]
            }
        ),
    }
    out: dict[str, Sibling] = {
        f"calls, {name}": ("openai", body + done, called(*PAIR)) for name, body in made.items()
    }
    nameless = tool({"index": 0, "name": "look", "args": one}) + done
    out["calls, no id at all"] = ("openai", nameless, called((None, "look", {"at": "x"})))
    twice = tool({**a, "index": 0, "args": one}) + tool({**a, "index": 1, "args": '{"at": "y"}'})
    out["calls, one id for two"] = (
        "openai",
        twice + done,
        called((None, "look", {"at": "x"}), (None, "look", {"at": "y"})),
    )
    for word in ("stop", "function_call", "STOP", "end_turn", "tool_call", "tool_use", "eos"):
        body = tool({**a, "index": 0, "args": one}) + end(word)
        out[f"calls, finish {word}"] = ("openai", body, called(PAIR[0]))
    return out


def _arguments() -> dict[str, Sibling]:
    def whole(arguments: Any, finish: str = "tool_calls") -> str:
        return tool({"id": "c1", "index": 0, "name": "look", "args": arguments}, finish=finish)

    done = "data: [DONE]\n\n"
    fine: dict[str, tuple[Any, Any]] = {
        "an object": ({"at": {"deep": [1, None]}}, {"at": {"deep": [1, None]}}),
        "an empty object": ({}, {}),
        "text in text": (json.dumps('{"at": "x"}'), {"at": "x"}),
        "blank around": ('\n {"at": "x"} \n', {"at": "x"}),
        "null as text": ("null", {}),
        "twice the same": ('{"at": "x"}{"at": "x"}', {"at": "x"}),
        "empty before real": ('{}{"at": "x"}', {"at": "x"}),
        "surrogates": ('{"at": "\\ud83d\\ude00"}', {"at": "😀"}),
        "large numbers": ('{"at": 12345678901234567890}', {"at": 12345678901234567890}),
        "escapes": ('{"at": "a\\\\b\\"c\\n"}', {"at": 'a\\b"c\n'}),
    }
    broken = {
        "half": '{"at": "x',
        "a list": '["x"]',
        "a number": "7",
        "a word": "x",
        "python": "{'at': 'x'}",
        "NaN": '{"at": NaN}',
        "a comment": '{"at": 1} // one',
        "two objects": '{"at": 1}{"at": 2}',
        "a comma too many": '{"at": 1,}',
        "xml": "<parameter=at>x</parameter>",
        "raw line end in text": '{"at": "a\nb"}',
    }
    out: dict[str, Sibling] = {
        f"arguments, {name}": ("openai", whole(raw) + done, called(("c1", "look", value)))
        for name, (raw, value) in fine.items()
    }
    for name, raw in broken.items():
        wanted = called(finish=["tool_calls", "stop"])
        wanted["bad_tool_calls"] = [{"name": "look", "raw": raw}]
        if name == "raw line end in text":
            wanted["bad_tool_calls"][0]["repaired"] = {"at": "a\nb"}
        out[f"arguments broken, {name}"] = ("openai", whole(raw) + done, wanted)
    cut = called(finish="length", bad_tool_calls=[{"name": "look", "raw": '{"at": "x'}])
    for word in ("length", "max_tokens", "MAX_TOKENS", "model_length"):
        out[f"arguments cut, {word}"] = ("openai", whole('{"at": "x', word) + done, cut)
    out["arguments cut before they began"] = (
        "openai",
        whole("", "length") + done,
        called(finish="length", bad_tool_calls=[{"name": "look", "raw": ""}]),
    )
    out["calls, whole ones before a cut one"] = (
        "openai",
        tool({"id": "c1", "index": 0, "name": "look", "args": '{"at": "x"}'})
        + tool({"id": "c2", "index": 1, "name": "write", "args": '{"n": '}, finish="length")
        + done,
        called(PAIR[0], finish="length", bad_tool_calls=[{"name": "write", "raw": '{"n": '}]),
    )
    return out
