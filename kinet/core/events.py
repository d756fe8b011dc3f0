"""The closed set of events: what happened, as plain frozen values.

An event tells; a question is awaited through `Approver`. Saved events are what a conversation is
made of: `conversation.replay` rebuilds it from them. Every event has a JSON form whose "type" is
the class name in snake case; fields may be added to it, never renamed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.completion import Usage
from kinet.core.messages import Message

# What a notice of a server that is not used is about.
SERVER_FAILED = "server failed"
NOT_SAVED = "not saved"

TurnEnd = Literal["completed", "stopped", "step_limit", "budget", "no_progress", "failed"]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn began. `at` is wall time in seconds, for display only."""

    session_id: str
    turn_id: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model request is about to leave; steps count from 1 within a turn."""

    step: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of readable reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class SegmentReset:
    """What streamed since StepStarted is void; the request is made again."""

    attempt: int


@dataclass(frozen=True, slots=True)
class ToolArgumentsDelta:
    """A piece of the arguments of call number `index` of this reply."""

    index: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class MessageCompleted:
    """A user or assistant message joined the history. Tool results join by ToolFinished.

    For an assistant message `finish` and `model` are told, and the money: it is counted with the
    message that cost it, so that it is known while the tools still run. `usage` is None for a
    message that no model call made; `cost` is USD, None where the price is not known. `partial`
    marks a message cut by a stop or a failure. `thought_s` is how long it reasoned before its first
    word or call, 0 where there was none.
    """

    message: Message
    finish: str = ""
    model: str = ""
    partial: bool = False
    usage: Usage | None = None
    cost: float | None = None
    thought_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A call waits for a person."""

    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class ApprovalResolved:
    """The question `id` was answered, or closed by a stop (denied then)."""

    id: str
    call_id: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call runs now. `parent` is the dispatch_agent call it belongs to, "" for the turn's own."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """Output so far, a piece at a time."""

    call_id: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has its result: `content` whole for the person, `model_content` as the model gets it.

    `preview` is one line; `details` are facts for the screen (exit code, hits, diff, …), JSON-able.
    `pictures` are data: addresses that go to the model behind the text.
    """

    call_id: str
    name: str
    is_error: bool = False
    preview: str = ""
    content: str = ""
    model_content: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    duration_s: float = 0.0
    parent: str = ""
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepFinished:
    """A step, its tools included, or a model call on the side ended.

    `purpose` is "" for a step of the turn: its figures repeat those of its MessageCompleted and are
    not counted again. Any other word ("summary", "title", "memory", "subagent", "aborted") is a
    call without such a message and is counted here. `cost` is USD, None where the price is not
    known; `cached` is the number of prompt tokens served from a cache; `estimate` marks a fallback
    price.
    `segments` are hashes of the request's parts, in order; a first item "+N" stands for the first
    N parts of the step before. `cache_note` names what broke a prefix.
    """

    usage: Usage
    cost: float | None = None
    cached: int = 0
    duration_s: float = 0.0
    purpose: str = ""
    estimate: bool = False
    segments: tuple[str, ...] = ()
    cache_note: str = ""


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """The request failed before its first byte and is made again in `delay` seconds."""

    delay: float
    reason: str
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class CompactionStarted:
    """A model is asked for a summary of the older part; `before` is the size of all, in tokens."""

    before: int = 0


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """From here on the context is `summary` plus the messages from number `kept_from` on.

    `before` and `after` are tokens (estimates); `kept_from` counts messages of the conversation
    from 0. Nothing is deleted: the conversation keeps all its messages.
    """

    before: int
    after: int
    kept_from: int = 0
    summary: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ModelChosen:
    """From here on another model, effort or preset holds; an entry, so that going back undoes it.

    `profile` is the name of a profile, "" for the default one, `preset` that of a preset, "" for
    the usual one; the `was` values are what held before. Where nothing differs from them a session
    begins so.
    """

    profile: str = ""
    effort: str = ""
    was_profile: str = ""
    was_effort: str = ""
    preset: str = ""
    was_preset: str = ""


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """A call changed these files; paths as the person knows them, relative to the folder.

    `added` and `removed` count lines; None where the call's own details tell them. `turn_id` names
    a turn that had ended when it was found; "" for the one that runs.
    """

    paths: tuple[str, ...]
    call_id: str = ""
    added: int | None = None
    removed: int | None = None
    turn_id: str = ""


@dataclass(frozen=True, slots=True)
class FactsNoticed:
    """Facts were taken into memory after a turn: the receipt.

    Each of `facts` has the texts id, text, scope ("person" or "project") and was: what it said
    before, "" for a new one. `cost` (USD, None where not known) is told here and counted by the
    StepFinished of purpose "memory" before it.
    """

    facts: tuple[Mapping[str, str], ...]
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A visible line: a cap, a repair, a rule that changed. Saved if `keep`.

    `about` is a word for a face that tells the same in a way of its own ("server failed",
    "not saved").
    """

    text: str
    level: Literal["info", "warning", "error"] = "info"
    keep: bool = True
    about: str = ""


@dataclass(frozen=True, slots=True)
class TurnError:
    """Why a turn failed, in words for a person. `kind` is a provider error kind or "internal"."""

    kind: str
    message: str
    hint: str = ""
    status: int | None = None
    retryable: bool = False
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class TurnFinished:
    """The one last event of a turn, after history is stored.

    `detail` says what was left undone, for a person. `at` is wall time, for display only.
    """

    reason: TurnEnd
    error: TurnError | None = None
    detail: str = ""
    duration_s: float = 0.0
    at: float = 0.0


Event = (
    TurnStarted
    | StepStarted
    | TextDelta
    | ThinkingDelta
    | SegmentReset
    | ToolArgumentsDelta
    | MessageCompleted
    | ApprovalRequested
    | ApprovalResolved
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | StepFinished
    | RetryScheduled
    | CompactionStarted
    | ContextCompacted
    | ModelChosen
    | FilesChanged
    | FactsNoticed
    | Notice
    | TurnFinished
)

SAVED: tuple[type, ...] = (
    TurnStarted,
    MessageCompleted,
    ApprovalRequested,
    ApprovalResolved,
    ToolStarted,
    ToolFinished,
    StepFinished,
    ContextCompacted,
    ModelChosen,
    FilesChanged,
    FactsNoticed,
    Notice,
    TurnFinished,
)


def is_saved(event: Event) -> bool:
    """True if the store keeps this event."""
    return isinstance(event, SAVED) and not (isinstance(event, Notice) and not event.keep)


def event_type(event: Event) -> str:
    """The "type" word of the JSON form: text_delta for TextDelta."""
    return type_word(type(event))


def to_json(event: Event) -> dict[str, Any]:
    """The JSON form: plain values only."""
    out: dict[str, Any] = {"type": event_type(event)}
    match event:
        case MessageCompleted(message=message):
            out["message"] = message.to_dict()
            out["usage"] = None if event.usage is None else event.usage.to_dict()
        case ApprovalRequested(request=request):
            out.update(request.to_dict())
        case ApprovalResolved(id=id_, call_id=call_id, decision=decision):
            out.update({"id": id_, "call_id": call_id, **decision.to_dict()})
        case StepFinished(usage=usage):
            out["usage"] = usage.to_dict()
        case TurnFinished(error=error):
            out["error"] = None if error is None else _plain(error)
    for item in fields(event):
        if item.name in ("message", "request", "decision", "usage", "error"):
            continue
        value = getattr(event, item.name)
        out[item.name] = list(value) if isinstance(value, tuple) else value
    return out


def from_json(raw: Mapping[str, Any]) -> Event:
    """Reads what `to_json` wrote. ValueError for an unknown type; unknown fields are left out."""
    cls = _BY_TYPE.get(str(raw.get("type")))
    if cls is None:
        raise ValueError(f"unknown event type {raw.get('type')!r}")
    values = {name: raw[name] for name in _NAMES[cls] if name in raw}
    if cls is MessageCompleted:
        values["message"] = Message.from_dict(raw["message"])
        usage = raw.get("usage")
        values["usage"] = Usage.from_dict(usage) if isinstance(usage, dict) else None
    elif cls is ApprovalRequested:
        values = {"request": ApprovalRequest.from_dict(raw)}
    elif cls is ApprovalResolved:
        values["decision"] = Decision.from_dict(raw)
    elif cls is StepFinished:
        values["usage"] = Usage.from_dict(raw.get("usage", {}))
    elif cls is TurnFinished and raw.get("error"):
        known = {item.name for item in fields(TurnError)}
        values["error"] = TurnError(**{k: v for k, v in raw["error"].items() if k in known})
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = tuple(value)
    event: Event = cls(**values)
    return event


def _plain(value: TurnError) -> dict[str, Any]:
    return {item.name: getattr(value, item.name) for item in fields(value)}


def type_word(cls: type) -> str:
    """The "type" word of a class of events."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


_BY_TYPE: dict[str, Any] = {type_word(cls): cls for cls in get_args(Event)}
# Asked for each of the hundred thousand rows of a long session.
_NAMES: dict[type, tuple[str, ...]] = {
    cls: tuple(item.name for item in fields(cls)) for cls in get_args(Event)
}
