"""Keeps calls and results paired, so that every server accepts the history.

A result must follow the assistant message that asked for it; each call is answered exactly once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kinet.core.messages import Message, ToolCall

INTERRUPTED = "[interrupted, outcome unknown]"
STOPPED = "[stopped]"


def repair(messages: Sequence[Message], missing: str = INTERRUPTED) -> tuple[Message, ...]:
    """The same history made legal; equal to the input if it was legal.

    Results are put right behind their call, in call order; a call without a result gets one that
    says `missing`; results nobody asked for, and second answers to one call, are left out. Calls
    whose id is empty or repeats within one message cannot be answered and are left out too.
    """
    out: list[Message] = []
    index = 0
    while index < len(messages):
        message = messages[index]
        index += 1
        if message.role == "tool":
            continue
        if not message.tool_calls:
            out.append(message)
            continue
        calls = _answerable(message.tool_calls)
        if len(calls) != len(message.tool_calls):
            message = replace(message, tool_calls=calls)
        out.append(message)
        # An id may come again in a later message: answers are looked for up to there.
        results = _results(messages, index, {call.id for call in calls})
        out.extend(results.get(call.id) or _missing(call, missing) for call in calls)
    return tuple(out)


def unanswered(messages: Sequence[Message]) -> tuple[ToolCall, ...]:
    """The calls that have no result, in order."""
    open_calls: dict[str, ToolCall] = {}
    for message in messages:
        if message.role == "tool":
            open_calls.pop(message.tool_call_id, None)
        for call in message.tool_calls:
            open_calls[call.id] = call
    return tuple(open_calls.values())


def _answerable(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    seen: set[str] = set()
    out: list[ToolCall] = []
    for call in calls:
        if call.id and call.id not in seen:
            seen.add(call.id)
            out.append(call)
    return tuple(out)


def _results(messages: Sequence[Message], start: int, wanted: set[str]) -> dict[str, Message]:
    """The first answer to each call, looked for until all are found: usually right behind it."""
    found: dict[str, Message] = {}
    for place in range(start, len(messages)):
        message = messages[place]
        if len(found) == len(wanted):
            break
        if any(call.id in wanted for call in message.tool_calls):
            break
        if message.role == "tool" and message.tool_call_id in wanted:
            found.setdefault(message.tool_call_id, message)
    return found


def _missing(call: ToolCall, text: str) -> Message:
    return Message("tool", text, tool_call_id=call.id, name=call.name, is_error=True)
