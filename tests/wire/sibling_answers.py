"""Answers of the kinds of the wire cases with other values: what other servers make of them.

The shapes are those of servers in use; texts and numbers are invented.
"""

from __future__ import annotations

import json

from sibling_forms import Sibling, chunk, end, finish_of, line, said, tagged, thought, usage_of


def answers() -> dict[str, Sibling]:
    """All of them by name."""
    return {**_finishes(), **_usages(), **_thinking(), **_texts()}


def _finishes() -> dict[str, Sibling]:
    words: dict[str, str | list[str]] = {
        "stop": "stop",
        "STOP": "stop",
        "end_turn": "stop",
        "EOS": "stop",
        "eos_token": "stop",
        "stop_sequence": "stop",
        "completed": "stop",
        "length": "length",
        "MAX_TOKENS": "length",
        "max_output_tokens": "length",
        "max_completion_tokens": "length",
        "model_context_window_exceeded": "length",
        "context_length": "length",
        "content_filter": "content_filter",
        "SAFETY": "content_filter",
        "RECITATION": "content_filter",
        "PROHIBITED_CONTENT": "content_filter",
        "BLOCKLIST": "content_filter",
        "sensitive": "content_filter",
        "SPII": "content_filter",
        "content-filter": "content_filter",
        "refusal": "content_filter",
        "LANGUAGE": ["unknown", "content_filter"],
        "OTHER": "unknown",
        "repetition": "unknown",
        "content_filter: violence": ["content_filter", "unknown"],
        "tool_calls": "stop",
        "pause_turn": "pause",
    }
    out = {f"finish, {word}": finish_of(word, wanted) for word, wanted in words.items()}
    for word in ("insufficient_system_resource", "error", "ERROR", "network_error", "abort"):
        wanted = {
            "error": {"kind": "overloaded", "retryable": True},
            "partial": {"content": "Hi there"},
        }
        out[f"finish, gave up: {word}"] = (
            "openai",
            chunk({"content": "Hi there"}) + end(word),
            wanted,
        )
    out["finish, empty text"] = finish_of("", "stop")
    out["finish, twice"] = (
        "openai",
        chunk({"content": "Hi there"}) + chunk({}, "stop") + end("stop"),
        said(),
    )
    out["finish, null after it"] = (
        "openai",
        chunk({"content": "Hi there"}) + chunk({}, "length") + chunk({}) + "data: [DONE]\n\n",
        said(finish="length"),
    )
    return out


def _usages() -> dict[str, Sibling]:
    base = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    both = {"tokens_in": 100, "tokens_out": 20}
    out = {
        "kimi: cached_tokens beside": usage_of(
            {**base, "cached_tokens": 64}, **both, cache_read=64
        ),
        "deepseek: hit and miss": usage_of(
            {**base, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36},
            **both,
            cache_read=64,
        ),
        "openrouter: cache write in details": usage_of(
            {**base, "prompt_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 50}},
            **both,
            cache_read=30,
            cache_write=50,
        ),
        "qwen: cache creation in details": usage_of(
            {
                **base,
                "prompt_tokens_details": {"cached_tokens": 0, "cache_creation_input_tokens": 70},
            },
            **both,
            cache_write=70,
        ),
        "litellm: all names at once": usage_of(
            {
                **base,
                "prompt_tokens_details": {"cached_tokens": 30},
                "cache_read_input_tokens": 30,
                "cache_creation_input_tokens": 10,
            },
            **both,
            cache_read=30,
            cache_write=10,
        ),
        "details null": usage_of(
            {**base, "prompt_tokens_details": None, "completion_tokens_details": None}, **both
        ),
        "cached null": usage_of({**base, "prompt_tokens_details": {"cached_tokens": None}}, **both),
        "numbers as text": usage_of({"prompt_tokens": "100", "completion_tokens": "20"}, **both),
        "numbers with a point": usage_of(
            {"prompt_tokens": 100.0, "completion_tokens": 20.0}, **both
        ),
        "input and output names": usage_of(
            {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}, **both
        ),
        "input names with details": usage_of(
            {
                "input_tokens": 100,
                "output_tokens": 20,
                "input_tokens_details": {"cached_tokens": 40},
                "output_tokens_details": {"reasoning_tokens": 5},
            },
            **both,
            cache_read=40,
            reasoning_tokens=5,
        ),
        "anthropic names, cached apart": usage_of(
            {
                "input_tokens": 10,
                "output_tokens": 20,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 30,
            },
            **both,
            cache_read=60,
            cache_write=30,
        ),
        "reasoning inside": usage_of(
            {**base, "completion_tokens_details": {"reasoning_tokens": 15}},
            **both,
            reasoning_tokens=15,
        ),
        "reasoning beside": usage_of(
            {
                "prompt_tokens": 100,
                "completion_tokens": 5,
                "total_tokens": 120,
                "completion_tokens_details": {"reasoning_tokens": 15},
            },
            tokens_in=100,
            tokens_out=20,
            reasoning_tokens=15,
        ),
        "reasoning at the top": usage_of(
            {**base, "reasoning_tokens": 8}, **both, reasoning_tokens=8
        ),
        "a cost and unknown fields": usage_of(
            {**base, "cost": 0.001, "is_byok": False, "queue_time": 0.1}, **both
        ),
    }
    out = {f"usage, {name}": case for name, case in out.items()}
    text = chunk({"content": "Hi there"})
    where = {
        "on the finish chunk": text + end(usage=base),
        "on every chunk, growing": chunk(
            {"content": "Hi there"}, usage={**base, "completion_tokens": 2}
        )
        + end(usage=base),
        "null on every chunk but the last": chunk({"content": "Hi there"}, usage=None)
        + chunk({}, "stop", usage=None)
        + line({"choices": [], "usage": base})
        + "data: [DONE]\n\n",
        "in the choice": text
        + line({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": base}]})
        + "data: [DONE]\n\n",
        "beside a choice with an empty delta": text
        + chunk({}, "stop")
        + chunk({"content": ""}, None, usage=base)
        + "data: [DONE]\n\n",
        "zeros after the real ones": text
        + end(usage=base).replace("data: [DONE]\n\n", "")
        + line({"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0}})
        + "data: [DONE]\n\n",
        "with choices null": text
        + chunk({}, "stop")
        + line({"choices": None, "usage": base})
        + "data: [DONE]\n\n",
        "without choices": text + chunk({}, "stop") + line({"usage": base}) + "data: [DONE]\n\n",
        "in x_groq": text + chunk({}, "stop", x_groq={"id": "r", "usage": base}),
    }
    for name, body in where.items():
        out[f"usage, {name}"] = ("openai", body, said(**both))
    return out


def _thinking() -> dict[str, Sibling]:
    out = {
        f"thinking, {field}": thought(field)
        for field in ("reasoning_content", "reasoning", "reasoning_text", "thinking")
    }
    out["thinking, content null beside"] = thought("reasoning_content", content=None)
    out["thinking, content empty beside"] = thought("reasoning", content="")
    out["thinking, the other name null"] = thought("reasoning", reasoning_content=None)
    out["thinking, the other name empty"] = thought("reasoning_content", reasoning="")
    out["thinking, an object"] = (
        "openai",
        chunk({"reasoning": {"content": "First think."}}) + chunk({"content": "Hi"}) + end(),
        said("Hi", reasoning="First think."),
    )
    out["thinking, details with text beside the plain field"] = (
        "openai",
        chunk(
            {
                "reasoning": "First think.",
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "First think.", "index": 0}
                ],
            }
        )
        + chunk({"content": "Hi"})
        + end(),
        said("Hi", reasoning="First think."),
    )
    out["thinking, details with a summary and a sealed part"] = (
        "openai",
        chunk(
            {"reasoning_details": [{"type": "reasoning.summary", "summary": "First ", "index": 0}]}
        )
        + chunk(
            {"reasoning_details": [{"type": "reasoning.summary", "summary": "think.", "index": 0}]}
        )
        + chunk(
            {"reasoning_details": [{"type": "reasoning.encrypted", "data": "AAAA", "index": 1}]}
        )
        + chunk({"content": "Hi"})
        + end(),
        said("Hi", reasoning="First think."),
    )
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "First "}]},
        {"type": "thinking", "thinking": [{"type": "text", "text": "think."}]},
        {"type": "text", "text": "Hi"},
    ]
    out["thinking, magistral in parts"] = (
        "openai",
        "".join(chunk({"content": [part]}) for part in parts) + end(),
        said("Hi", reasoning="First think."),
    )
    out["thinking, magistral with a reference"] = (
        "openai",
        chunk({"content": [*parts, {"type": "reference", "reference_ids": [1]}]}) + end(),
        said("Hi", reasoning="First think."),
    )
    out["thinking, after the answer began"] = (
        "openai",
        chunk({"content": "H"}) + chunk({"reasoning": "Hm."}) + chunk({"content": "i"}) + end(),
        said("Hi", reasoning="Hm."),
    )
    for name in ("think", "thinking", "thought"):
        out[f"tags, {name}"] = tagged(
            f"<{name}>", "Plan", f" it.</{name}>\n\n", "Hi", reasoning="Plan it.", content="Hi"
        )
    opening, closing = "<think>", "</think>"
    for at in range(1, len(opening)):
        out[f"tags, opening cut at {at}"] = tagged(
            opening[:at], f"{opening[at:]}Plan.{closing}Hi", reasoning="Plan.", content="Hi"
        )
    for at in range(1, len(closing)):
        out[f"tags, closing cut at {at}"] = tagged(
            f"{opening}Plan.{closing[:at]}", f"{closing[at:]}Hi", reasoning="Plan.", content="Hi"
        )
    out["tags, blank before"] = tagged("\n", " <think>", "P</think>Hi", reasoning="P", content="Hi")
    out["tags, in capitals"] = tagged("<THINK>P</THINK>Hi", reasoning="P", content="Hi")
    out["tags, empty block"] = tagged("<think>\n\n</think>\n\nHi", reasoning="", content="Hi")
    out["tags, never closed"] = tagged(
        "<think>Still at ", "it", reasoning="Still at it", content="", finish="length"
    )
    for text in ("a <think> b", "x < y", "<thin", "<thinker>no</thinker>", "1 << 2", "< think >"):
        out[f"no tags, {text}"] = tagged(text, reasoning="", content=text)
    out["no tags, inside the answer"] = tagged(
        "Write `<think>` and ", "</think>.", reasoning="", content="Write `<think>` and </think>."
    )
    return out


def _texts() -> dict[str, Sibling]:
    hi = chunk({"content": "Hi "}) + chunk({"content": "there"})
    done = end()
    azure = {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
    made = {
        "azure: filter report first": line({"choices": [], "id": "", "model": "", **azure})
        + hi
        + done,
        "azure: filter report on a chunk": hi
        + line({"choices": [{"index": 0, "delta": {}, "content_filter_offsets": {}}]})
        + done,
        "role in each delta": chunk({"role": "assistant", "content": "Hi "})
        + chunk({"role": "assistant", "content": "there"})
        + done,
        "role null": chunk({"role": None, "content": "Hi there"}) + done,
        "a chunk with delta missing": hi + line({"choices": [{"index": 0}]}) + done,
        "choices as an object": line({"choices": {"index": 0, "delta": {"content": "Hi there"}}})
        + done,
        "text completions": line({"choices": [{"index": 0, "text": "Hi there"}]}) + done,
        "error null in each chunk": chunk({"content": "Hi there"}, error=None) + done,
        "an unknown object": hi + line({"object": "metrics", "latency": 3}) + done,
        "numbers instead of chunks": hi + "data: 7\n\n" + "data: null\n\n" + done,
        "perplexity: delta and message": line(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": "Hi there"},
                        "message": {"role": "assistant", "content": "Hi there"},
                    }
                ]
            }
        )
        + done,
        "a second choice beside": line(
            {
                "choices": [
                    {"index": 1, "delta": {"content": "Other"}},
                    {"index": 0, "delta": {"content": "Hi there"}},
                ]
            }
        )
        + done,
        "content in parts": chunk({"content": [{"type": "text", "text": "Hi "}, "there"]}) + done,
        "crlf": (hi + done).replace("\n", "\r\n"),
        "cr": (hi + done).replace("\n", "\r"),
        "no blank after the colon": (hi + done).replace("data: ", "data:"),
        "comments and pings": ": OPENROUTER PROCESSING\n\n" + hi + ": ping\n\n" + done,
        "event lines": (hi + done).replace("data: ", "event: message\ndata: "),
        "ids and retry": "retry: 3000\nid: 1\n" + hi + "id: 2\n" + done,
        "mark with blanks": hi + chunk({}, "stop") + "data:  [DONE]  \n\n",
        "mark in small letters": hi + chunk({}, "stop") + "data: [done]\n\n",
        "mark in quotes": hi + chunk({}, "stop") + 'data: "[DONE]"\n\n',
        "mark without its line end": hi + chunk({}, "stop") + "data: [DONE]",
        "no mark": hi + chunk({}, "stop"),
        "no finish, but the mark": hi + "data: [DONE]\n\n",
        "two marks": hi + done + "data: [DONE]\n\n",
        "pretty-printed": "".join(
            "".join(f"data: {row}\n" for row in json.dumps(json.loads(e[6:]), indent=1).split("\n"))
            + "\n"
            for e in (hi + chunk({}, "stop")).split("\n\n")
            if e
        )
        + "data: [DONE]\n\n",
        "a byte order mark": "\ufeff" + hi + done,
        "in one document": json.dumps(
            {
                "choices": [
                    {
                        "message": {"content": "Hi there", "tool_calls": None},
                        "finish_reason": "stop",
                    }
                ]
            }
        ),
        "in one document, in a list": json.dumps(
            [{"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}]
        ),
        "in one document with blanks before": "\n\n  "
        + json.dumps({"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}),
    }
    out: dict[str, Sibling] = {f"text, {name}": ("openai", b, said()) for name, b in made.items()}
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\u200b👩‍👩‍👧"
    out["text, line ends of Unicode"] = ("openai", chunk({"content": odd}) + done, said(odd))
    halves = 'data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}\n\n'
    halves += 'data: {"choices":[{"index":0,"delta":{"content":"\\ude00"}}]}\n\n'
    out["text, a character in two halves"] = ("openai", halves + done, said("😀"))
    out["text, refused"] = (
        "openai",
        chunk({"refusal": "I cannot "}) + chunk({"refusal": "do that."}) + done,
        said("I cannot do that.", "content_filter"),
    )
    return out
