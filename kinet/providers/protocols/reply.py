"""What every protocol does at the end of an answer: judge the calls, name the finish."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from kinet.core.completion import Completion, FinishReason, Usage
from kinet.core.messages import Message, ToolCall
from kinet.providers.transport.surrogates import cleaned, cleaned_values

# A call without a name cannot be sent back as it is: servers refuse an empty one.
NAMELESS = "unnamed"
# Finish words that mean that the server gave up; they are no ends of an answer.
FAILED_FINISHES = frozenset(
    {
        "insufficient_system_resource",
        "error",
        "network_error",
        "server_error",
        "internal_error",
        "overloaded",
        "timeout",
        "abort",
        "aborted",
        "cancelled",
        "failed",
    }
)
_FINISHES: dict[str, FinishReason] = {
    **dict.fromkeys(
        ("stop", "end_turn", "eos", "eos_token", "stop_sequence", "end", "complete", "completed"),
        "stop",
    ),
    **dict.fromkeys(
        (
            "length",
            "max_tokens",
            "max_output_tokens",
            "max_completion_tokens",
            "max_new_tokens",
            "model_length",
            "token_limit",
            "context_length",
            "context_length_exceeded",
            "model_context_window_exceeded",
            "context_window_exceeded",
            "incomplete",
        ),
        "length",
    ),
    **dict.fromkeys(
        ("tool_calls", "tool_call", "tool_use", "function_call", "function_calls"), "tool_calls"
    ),
    **dict.fromkeys(
        (
            "content_filter",
            "content_filtered",
            "refusal",
            "safety",
            "sensitive",
            "recitation",
            "blocklist",
            "blocked",
            "prohibited_content",
            "spii",
            "image_safety",
            "guardrail",
            "guardrail_intervened",
        ),
        "content_filter",
    ),
    **dict.fromkeys(("pause_turn", "pause"), "pause"),
}


def finish_word(raw: Any) -> FinishReason | None:
    """One word of ours for a server's finish reason; None where it gave none."""
    if not isinstance(raw, str) or not raw.strip():
        return None
    return _FINISHES.get(raw.strip().lower().replace("-", "_"), "unknown")


def is_failed_finish(raw: Any) -> bool:
    """True if the finish reason says that the server gave up."""
    return isinstance(raw, str) and raw.strip().lower() in FAILED_FINISHES


def finished_call(id_: str, name: str, raw: str, vendor: dict[str, Any]) -> ToolCall:
    """The call as it is handed on: `invalid` unless it has a name and one whole JSON object."""
    raw = cleaned(raw)
    arguments = whole_object(raw)
    return ToolCall(
        id=id_,
        name=cleaned(name) or NAMELESS,
        arguments=raw if arguments is None else arguments,
        invalid=arguments is None or not name,
        vendor=vendor,
    )


def whole_object(raw: str) -> str | None:
    """The text of the one JSON object that `raw` is; None if it is none.

    Nothing and null are an empty object. The very text is kept, but for three safe cases: an empty
    object before the real one, the same object twice, and an object inside a JSON string.
    """
    text = raw.strip()
    if text in ("", "null"):
        return "{}"
    value = _parsed(text)
    if isinstance(value, str):
        text = value.strip()
        value = _parsed(text) if text.startswith("{") else None
    elif value is None:
        if text.startswith("{}"):
            text = text[2:].strip()
        elif len(text) % 2 == 0 and text[: len(text) // 2] == text[len(text) // 2 :]:
            text = text[: len(text) // 2]
        value = _parsed(text)
    if not isinstance(value, dict):
        return None
    clean = cleaned_values(value)
    return text if clean == value else json.dumps(clean, ensure_ascii=False)


def with_usable_ids(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """The calls, each with an id that is not empty and unique within the answer."""
    seen: set[str] = set()
    out: list[ToolCall] = []
    for call in calls:
        id_ = cleaned(call.id)
        if not id_ or id_ in seen:
            id_ = f"call_{secrets.token_hex(12)}"
        seen.add(id_)
        out.append(replace(call, id=id_))
    return tuple(out)


def completion(
    *,
    content: str,
    reasoning: str | None,
    calls: Iterable[ToolCall],
    finish: FinishReason | None,
    usage: Usage,
    model: str,
    vendor: dict[str, Any],
    partial: bool = False,
) -> Completion:
    """The normalised answer. In a partial one no call may be run."""
    made = with_usable_ids(calls)
    if made and finish in ("length", "content_filter") and made[-1].arguments == "{}":
        # Cut off before its arguments began: running it without them is the mistake.
        made = (*made[:-1], replace(made[-1], invalid=True))
    if partial:
        made = tuple(replace(call, invalid=True) for call in made)
    message = Message("assistant", content, tool_calls=made, reasoning=reasoning, vendor=vendor)
    return Completion(
        content=content,
        reasoning=reasoning,
        tool_calls=made,
        finish="unknown" if partial else _finish(finish, bool(made)),
        usage=usage,
        raw_assistant=message,
        model=model,
    )


def _finish(told: FinishReason | None, has_calls: bool) -> FinishReason:
    if told in ("length", "content_filter", "pause"):
        return told
    if has_calls:
        return "tool_calls"
    if told is None or told == "tool_calls":
        return "stop"
    return told


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")
