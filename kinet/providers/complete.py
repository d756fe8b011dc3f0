"""One bare model call from a JSON document to a JSON document: the inside of `kinet complete`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import httpx

from kinet.core.completion import Completion
from kinet.core.errors import ProviderError, SettingsError
from kinet.core.messages import Message, ToolCall, ToolSchema
from kinet.core.profile import Effort, ModelProfile
from kinet.net.secret import Secret
from kinet.providers.base import ModelRequest, ToolChoice
from kinet.providers.catalog import create_provider
from kinet.providers.transport.http_provider import HttpProvider
from kinet.providers.transport.surrogates import cleaned_values

COMPLETED, FAILED, USAGE = 0, 1, 2


async def complete(
    document: Mapping[str, Any],
    profile: ModelProfile,
    key: Secret | None,
    *,
    dry_run: bool = False,
    retries: int = 3,
    stall_seconds: float = 120.0,
    client: httpx.AsyncClient | None = None,
) -> tuple[dict[str, Any], int]:
    """(What to print, exit code): the normalised answer, or an error with what had come.

    `document` holds messages in OpenAI form (`_memory` is understood) and perhaps tools,
    tool_choice, system and settings. With `dry_run` nothing is sent: url, headers and body are
    given, secrets masked. The code is 0, 1 for a failure, 2 for a document that cannot be read.
    """
    try:
        request = request_of(document)
    except ValueError as exc:
        return _failed("bad_request", f"The input cannot be used: {exc}."), USAGE
    provider = create_provider(profile, key, client, retries=retries, stall_seconds=stall_seconds)
    try:
        if dry_run:
            raw = provider.build(request)
            shown = {"url": raw.url, "headers": dict(raw.headers), "body": raw.body}
            return cleaned_values(shown), COMPLETED
        return answer_document(await _ask(provider, request)), COMPLETED
    except ProviderError as exc:
        return error_document(exc), FAILED
    finally:
        await provider.close()
        # Lets the transports of closed connections finish before the loop ends.
        await asyncio.sleep(0)


def request_of(document: Mapping[str, Any]) -> ModelRequest:
    """The request that a document describes. ValueError says what is wrong with it."""
    messages = document.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ValueError('"messages" must be a list that is not empty')
    settings = document.get("settings")
    settings = settings if isinstance(settings, Mapping) else {}
    tools = document.get("tools") or ()
    if not isinstance(tools, (list, tuple)):
        raise ValueError('"tools" must be a list')
    limit = settings.get("max_tokens") or 0
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ValueError('"settings.max_tokens" must be a whole number')
    schemas = tuple(ToolSchema.from_dict(tool) for tool in tools if isinstance(tool, Mapping))
    choice, named = _choice(document.get("tool_choice"))
    if named and named not in {tool.name for tool in schemas}:
        raise ValueError(f'"tool_choice" names {named}, which is not among the tools')
    return ModelRequest(
        system=document["system"] if isinstance(document.get("system"), str) else "",
        messages=tuple(_message(number, raw) for number, raw in enumerate(messages)),
        tools=schemas,
        tool_choice=choice,
        tool_named=named,
        effort=_effort(settings.get("thinking")),
        max_tokens=limit,
        temperature=_number(settings, "temperature"),
        top_p=_number(settings, "top_p"),
        turn_start=_turn_start(messages),
    )


def answer_document(answer: Completion) -> dict[str, Any]:
    """The normalised answer as JSON values; counts that the server did not send are null."""
    usage = answer.usage
    return {
        "content": answer.content,
        "reasoning": answer.reasoning,
        "tool_calls": [_call_document(call) for call in answer.tool_calls],
        "finish": answer.finish,
        "tokens_in": usage.tokens_in if usage.known else None,
        "tokens_out": usage.tokens_out if usage.known else None,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "reasoning_tokens": usage.reasoning_tokens,
        "model": answer.model,
        "raw_assistant": _message_document(answer.raw_assistant),
    }


def error_document(error: ProviderError) -> dict[str, Any]:
    """The failure as JSON values, with the part of the answer that had come."""
    out = _failed(error.kind, error.message)
    out["error"].update(
        {
            "hint": error.hint,
            "status": error.status,
            "retryable": error.retryable,
            "retry_after_s": error.retry_after_s,
        }
    )
    if isinstance(error.partial, Completion):
        out["partial"] = answer_document(error.partial)
    return out


def settings_error_document(error: SettingsError) -> dict[str, Any]:
    """The same for a profile that cannot be used: nothing was sent."""
    out = _failed("bad_request", error.message)
    out["error"]["hint"] = error.hint
    return out


async def _ask(provider: HttpProvider, request: ModelRequest) -> Completion:
    answer: Completion | None = None
    async with aclosing(provider.stream(request)) as items:
        async for item in items:
            if isinstance(item, Completion):
                answer = item
    if answer is None:
        raise AssertionError("a stream ended without its Completion")
    return answer


def _failed(kind: str, message: str) -> dict[str, Any]:
    return {
        "error": {
            "kind": kind,
            "message": message,
            "hint": "",
            "status": None,
            "retryable": False,
            "retry_after_s": None,
        },
        "partial": {"content": "", "tool_calls": []},
    }


def _call_document(call: ToolCall) -> dict[str, Any]:
    made: dict[str, Any] = {"id": call.id, "name": call.name, "arguments": {}}
    made["invalid"] = call.invalid
    try:
        made["arguments"] = call.parsed()
    except ValueError:
        made["raw"] = call.arguments
    return made


def _message_document(message: Message) -> dict[str, Any]:
    """The message in OpenAI form, with the fields that servers send under their own names too."""
    out = message.to_dict()
    kept = message.vendor.get("openai")
    if isinstance(kept, Mapping):
        out.update(kept)
    for raw, call in zip(out.get("tool_calls", ()), message.tool_calls, strict=False):
        raw.update(call.vendor)
    return out


def _message(number: int, raw: Any) -> Message:
    if not isinstance(raw, Mapping):
        raise ValueError(f"message {number} is not an object")
    try:
        message = Message.from_dict(raw)
    except ValueError as exc:
        raise ValueError(f"message {number}: {exc}") from exc
    details = raw.get("reasoning_details")
    if isinstance(details, list) and "openai" not in message.vendor:
        vendor = {**message.vendor, "openai": {"reasoning_details": details}}
        message = replace(message, vendor=vendor)
    calls = raw.get("tool_calls")
    extras = [
        call.get("extra_content")
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, Mapping)
    ]
    if any(isinstance(extra, Mapping) for extra in extras):
        made = tuple(
            replace(call, vendor={**call.vendor, "extra_content": extra}) if extra else call
            for call, extra in zip(message.tool_calls, extras, strict=False)
        )
        message = replace(message, tool_calls=made)
    return message


def _choice(raw: Any) -> tuple[ToolChoice, str]:
    """(The choice, the tool it names), in the words of any of the protocols."""
    if isinstance(raw, Mapping):
        function = raw.get("function")
        name = function.get("name") if isinstance(function, Mapping) else raw.get("name")
        if isinstance(name, str) and name:
            return "required", name
        raw = raw.get("type")
    match raw:
        case None | "auto":
            return "auto", ""
        case "none":
            return "none", ""
        case "required" | "any":
            return "required", ""
        case _:
            raise ValueError('"tool_choice" must be auto, none, required or name a tool')


def _effort(raw: Any) -> Effort:
    """The effort, in our words or in those of the protocols."""
    if isinstance(raw, Mapping):
        raw = raw.get("type", raw.get("effort", raw.get("enabled")))
    match raw:
        case None | "":
            return ""
        case False | "off" | "disabled" | "none":
            return "off"
        case True | "enabled" | "adaptive" | "medium":
            return "medium"
        case "low" | "minimal":
            return "low"
        case "high" | "max" | "xhigh":
            return "high"
        case _:
            raise ValueError('"settings.thinking" must be off, low, medium or high')


def _number(settings: Mapping[str, Any], name: str) -> float | None:
    value = settings.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f'"settings.{name}" must be a number')
    return value


def _turn_start(messages: list[Any]) -> int:
    """The number of the person's newest message."""
    for number in range(len(messages) - 1, -1, -1):
        raw = messages[number]
        if isinstance(raw, Mapping) and raw.get("role") == "user" and not raw.get("_memory"):
            return number
    return -1
