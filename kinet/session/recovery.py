"""Ends a turn that did not end by itself, so that its history is legal and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kinet.core.approval import Decision
from kinet.core.conversation import Conversation
from kinet.core.events import (
    ApprovalResolved,
    Event,
    MessageCompleted,
    Notice,
    ToolFinished,
    ToolStarted,
    TurnEnd,
    TurnError,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.core.own_command import NAME
from kinet.core.pairing import INTERRUPTED, unanswered

# The kind of the error of a turn during which the program ended.
KIND = "interrupted"
_COMMAND_CUT = "Kinet ended while this command ran; how it ended is not known."
# Calls that are named, and characters of the arguments of each.
_NAMED, _SHOWN = 5, 120


def after_a_crash(
    conversation: Conversation, events: Sequence[Event], text: str, reasoning: str
) -> list[Event]:
    """The events that end the interrupted turn of a saved conversation; [] if it has none.

    `text` and `reasoning` are the unfinished answer. Calls that have no end get one that says that
    the outcome is not known: they are never run again by themselves.
    """
    if not conversation.interrupted:
        return []
    if _ran_a_command(events):
        # There is nothing that a model could go on with.
        cut = bool(_still_running(events) or conversation.pending)
        end = TurnFinished("stopped", detail=_COMMAND_CUT) if cut else TurnFinished("completed")
        ended = replace(end, at=time.time())
        return [*closing(conversation, events, INTERRUPTED, text, reasoning), ended]
    error = TurnError(
        KIND,
        "Kinet ended in the middle of this turn. What was written until then is kept.",
        _what_ran(conversation, events),
        retryable=True,
    )
    lost = len(unanswered(conversation.messages))
    what = "one call" if lost == 1 else f"{lost} calls"
    # That the turn was interrupted is said by its end; the line above it says nothing twice.
    said = f"The outcome of {what} is not known: check before it is done again."
    return [
        *closing(conversation, events, INTERRUPTED, text, reasoning),
        *([Notice(said, "warning")] if lost else []),
        TurnFinished("failed", error, detail="interrupted", at=time.time()),
    ]


def _ran_a_command(events: Sequence[Event]) -> bool:
    """True if the last turn was one of a command of the person's own: nothing was said in it."""
    begin = max(
        (place for place, event in enumerate(events) if isinstance(event, TurnStarted)), default=0
    )
    turn = events[begin:]
    named = bool(turn) and isinstance(turn[0], TurnStarted) and bool(turn[0].turn_id)
    return named and not any(isinstance(event, MessageCompleted) for event in turn)


def _what_ran(conversation: Conversation, events: Sequence[Event]) -> str:
    """Which calls of the turn ended, and which ones nobody can tell of."""
    begin = max(
        (place for place, event in enumerate(events) if isinstance(event, TurnStarted)), default=0
    )
    ended = [e for e in events[begin:] if isinstance(e, ToolFinished) and not e.parent]
    open_calls = unanswered(conversation.messages)
    started = {e.call_id for e in events[begin:] if isinstance(e, ToolStarted)}
    lines = []
    if ended:
        lines.append(f"Done: {_named([event.name for event in ended])}.")
    if unknown := [call for call in open_calls if call.id in started]:
        names = ", ".join(f"{call.name} {_short(call.arguments)}" for call in unknown[:_NAMED])
        lines.append(f"Not known how it ended: {names}. Look before it is done again.")
    if waiting := [call for call in open_calls if call.id not in started]:
        lines.append(f"Not begun: {_named([call.name for call in waiting])}.")
    return "\n".join(lines) or "No tool had been called."


def _named(names: Sequence[str]) -> str:
    counted = {name: names.count(name) for name in dict.fromkeys(names)}
    return ", ".join(f"{name} ×{n}" if n > 1 else name for name, n in counted.items())


def _short(arguments: str) -> str:
    text = " ".join(arguments.split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def after_leaving(
    conversation: Conversation, events: Sequence[Event], missing: str, reason: TurnEnd = "stopped"
) -> list[Event]:
    """The events that end a running turn whose events nobody takes any more."""
    text, reasoning = conversation.draft, conversation.draft_reasoning
    return [
        *closing(conversation, events, missing, text, reasoning),
        TurnFinished(reason, detail="Stopped. What was done so far is kept.", at=time.time()),
    ]


def closing(
    conversation: Conversation, events: Sequence[Event], missing: str, text: str, reasoning: str
) -> list[Event]:
    """Answers to open questions, results for open calls, the unfinished answer as a message."""
    out: list[Event] = [
        ApprovalResolved(request.id, request.call_id, Decision(False, reason=missing))
        for request in conversation.pending.values()
    ]
    asked = unanswered(conversation.messages)
    out += [_result(call.id, call.name, missing) for call in asked]
    answered = {call.id for call in asked}
    out += [
        _result(call.call_id, call.name, missing, call.parent, _of_command(call))
        for call in _still_running(events)
        if call.call_id not in answered
    ]
    if text or reasoning:
        # Servers refuse an answer without text; one that had only thought says why it has none.
        message = Message("assistant", text or missing, reasoning=reasoning or None)
        out.append(MessageCompleted(message, finish="unknown", partial=True))
    return out


def _still_running(events: Sequence[Event]) -> list[ToolStarted]:
    running: dict[str, ToolStarted] = {}
    for event in events:
        if isinstance(event, ToolStarted):
            running[event.call_id] = event
        elif isinstance(event, ToolFinished):
            running.pop(event.call_id, None)
    return list(running.values())


def _of_command(call: ToolStarted) -> Mapping[str, Any]:
    """What a person's own command was, for the message that its end makes."""
    return {**call.arguments, "stopped": True} if call.name == NAME else {}


def _result(
    call_id: str, name: str, text: str, parent: str = "", details: Mapping[str, Any] | None = None
) -> ToolFinished:
    return ToolFinished(
        call_id, name, is_error=True, preview=text.strip("[]"), content=text, model_content=text,
        details=details or {}, parent=parent,
    )  # fmt: skip
