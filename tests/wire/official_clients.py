"""What the official Python clients make of an answer, in the words of this project."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai

ASK: Any = [{"role": "user", "content": "go"}]
_FINISHES = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
    "pause_turn": "pause",
    "function_call": "tool_calls",
    "model_context_window_exceeded": "length",
}
# The official class, and the kinds of ours that mean the same.
_KINDS = (
    ("AuthenticationError", ("auth",)),
    ("PermissionDeniedError", ("auth",)),
    ("RateLimitError", ("rate_limit", "auth")),
    ("NotFoundError", ("bad_request",)),
    ("RequestTooLargeError", ("context_too_long",)),
    ("BadRequestError", ("bad_request", "context_too_long", "auth")),
    ("UnprocessableEntityError", ("bad_request",)),
    ("OverloadedError", ("overloaded",)),
    ("InternalServerError", ("overloaded",)),
    ("APITimeoutError", ("stalled", "network")),
    ("APIConnectionError", ("network", "protocol")),
)


async def official(protocol: str, base_url: str, seconds: float) -> dict[str, Any]:
    """{content, tool_calls, finish, tokens_in, tokens_out}, or {error: name of the class}.

    Of Responses also what was shown, reasoning, and what is read from the cache.
    """
    try:
        if protocol == "anthropic":
            return await _anthropic(base_url, seconds)
        if protocol == "responses":
            return await _responses(base_url, seconds)
        return await _openai(base_url, seconds)
    except (openai.OpenAIError, anthropic.AnthropicError) as exc:
        return {"error": type(exc).__name__}
    except Exception as exc:  # noqa: BLE001 - they let errors of their HTTP library through
        return {"error": type(exc).__name__}


def same_kinds(name: str) -> tuple[str, ...]:
    """Our error kinds for the name of an official class; () for any."""
    return next((kinds for known, kinds in _KINDS if known == name), ())


async def _openai(base_url: str, seconds: float) -> dict[str, Any]:
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key="test-key", max_retries=0, timeout=seconds
    )
    async with client, client.chat.completions.stream(model="m", messages=ASK) as stream:
        async for _ in stream:
            pass
        final = await stream.get_final_completion()
    choice, usage = final.choices[0], final.usage
    return {
        "content": choice.message.content or "",
        "tool_calls": [
            (call.id, call.function.name, arguments)
            for call in choice.message.tool_calls or ()
            if isinstance(arguments := _object(call.function.arguments), dict)
        ],
        "finish": _FINISHES.get(choice.finish_reason, choice.finish_reason),
        "tokens_in": usage.prompt_tokens if usage else None,
        "tokens_out": usage.completion_tokens if usage else None,
    }


async def _responses(base_url: str, seconds: float) -> dict[str, Any]:
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key="test-key", max_retries=0, timeout=seconds
    )
    shown: list[str] = []
    final: Any = None
    async with client, client.responses.stream(model="m", input=ASK) as stream:
        async for event in stream:
            if event.type in ("response.output_text.delta", "response.refusal.delta"):
                shown.append(event.delta)
            elif event.type in ("response.completed", "response.incomplete", "response.failed"):
                final = event.response
    if final is None:
        return {"error": "no final event"}
    if final.status == "failed":
        return {"error": "failed", "code": final.error.code, "message": final.error.message}
    parts = [part for item in final.output if item.type == "message" for part in item.content]
    calls = [item for item in final.output if item.type == "function_call"]
    thought = [item for item in final.output if item.type == "reasoning"]
    reason = final.incomplete_details.reason if final.incomplete_details else ""
    refused = any(part.type == "refusal" for part in parts)
    usage = final.usage
    return {
        "content": "".join(part.refusal if part.type == "refusal" else part.text for part in parts),
        "shown": "".join(shown),
        "tool_calls": [
            (item.call_id, item.name, arguments)
            for item in calls
            if isinstance(arguments := _object(item.arguments), dict)
        ],
        "reasoning": [
            [part.text for part in item.summary or item.content or ()] for item in thought
        ],
        "sealed": [item.encrypted_content for item in thought if item.encrypted_content],
        "finish": {"max_output_tokens": "length"}.get(reason, reason)
        or ("tool_calls" if calls else "content_filter" if refused else "stop"),
        "tokens_in": usage.input_tokens if usage else None,
        "tokens_out": usage.output_tokens if usage else None,
        "cache_read": _of(usage, "input_tokens_details", "cached_tokens"),
        "reasoning_tokens": _of(usage, "output_tokens_details", "reasoning_tokens"),
    }


def _of(usage: Any, details: str, name: str) -> int:
    return getattr(getattr(usage, details, None), name, None) or 0


async def _anthropic(base_url: str, seconds: float) -> dict[str, Any]:
    client = anthropic.AsyncAnthropic(
        base_url=base_url, api_key="test-key", max_retries=0, timeout=seconds
    )
    async with (
        client,
        client.messages.stream(model="m", max_tokens=64, messages=ASK) as stream,
    ):
        final = await stream.get_final_message()
    usage = final.usage
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return {
        "content": "".join(block.text for block in final.content if block.type == "text"),
        "tool_calls": [
            (block.id, block.name, block.input)
            for block in final.content
            if block.type == "tool_use"
        ],
        "finish": _FINISHES.get(final.stop_reason or "", final.stop_reason),
        "tokens_in": usage.input_tokens + cached,
        "tokens_out": usage.output_tokens,
    }


def _object(arguments: Any) -> Any:
    """The arguments as a value; the clients hand them on as they came, readable or not."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return None
