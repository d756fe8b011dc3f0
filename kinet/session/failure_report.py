"""A report on a turn that failed: what was asked, what came back, and how it went, to be replayed.

Keys and all that looks like one are masked; the person's folder is "~". Nothing else is taken out:
the report holds what was said in that turn, and says so.
"""

from __future__ import annotations

import base64
import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kinet.core.errors import StoreError
from kinet.core.events import (
    Event,
    MessageCompleted,
    TurnError,
    TurnFinished,
    TurnStarted,
    to_json,
)
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.net.client import USER_AGENT
from kinet.net.exchanges import RECORDINGS, Exchange
from kinet.net.redact import redact

FORMAT = 1
# Characters of one text in the events; the exchanges are whole.
_LONGEST = 20_000


def report_on(events: Sequence[Event], turn_id: str, profile: ModelProfile | None) -> str:
    """The report on one turn of a session, as JSON; "" as id means the newest one.

    Where the exchanges with the server are not at hand any more they are made anew from the
    conversation, and "recorded" is false. StoreError if there is no such turn.
    """
    turn = _turn(events, turn_id)
    asked = next(
        (e.message for e in turn if isinstance(e, MessageCompleted) and e.message.role == "user"),
        Message("user", ""),
    )
    started = turn[0]
    assert isinstance(started, TurnStarted)
    kept = RECORDINGS.of(started.turn_id)
    recorded = bool(kept) and profile is not None
    report = {
        "kinet_report": FORMAT,
        "about": "Holds what was said in this turn, and what the server answered. Keys are masked.",
        "program": f"{USER_AGENT}, Python {platform.python_version()}, {platform.platform()}",
        "profile": _profile(profile if recorded else None),
        "recorded": recorded,
        "asked": asked.text,
        "events": [_shortened(to_json(event)) for event in turn],
        "exchanges": [_recorded(item) for item in kept] if recorded else _rebuilt(turn),
    }
    return json.dumps(_masked(report), ensure_ascii=False, indent=1) + "\n"


def _turn(events: Sequence[Event], turn_id: str) -> Sequence[Event]:
    starts = [place for place, event in enumerate(events) if isinstance(event, TurnStarted)]
    if not starts:
        raise StoreError("There is no turn in this session.")
    begin = starts[-1]
    if turn_id:
        named = [
            place
            for place in starts
            if isinstance(event := events[place], TurnStarted) and event.turn_id == turn_id
        ]
        if not named:
            raise StoreError("There is no such turn in this session.")
        begin = named[-1]
    end = next((place for place in starts if place > begin), len(events))
    return events[begin:end]


def _profile(profile: ModelProfile | None) -> dict[str, Any]:
    """What is needed to speak as the turn did; no address and no key."""
    if profile is None:
        return {"protocol": "openai", "vendor": "", "model": "replayed", "path": "/v1", "window": 0}
    return {
        "protocol": profile.protocol,
        "vendor": profile.vendor,
        "model": profile.model,
        "path": urlsplit(profile.base_url).path,
        "window": profile.window,
    }


def _recorded(exchange: Exchange) -> dict[str, Any]:
    pieces: list[Any] = [[round(at, 4), _text(data)] for at, data in exchange.pieces]
    whole = "".join(text for _, text in pieces if isinstance(text, str))
    if redact(whole) != whole:
        # A key may lie across two pieces: then it is one piece without it.
        pieces = [[pieces[-1][0], redact(whole)]]
    return {
        "request": _text(exchange.body),
        "status": exchange.status,
        "content_type": exchange.content_type,
        "headers": exchange.headers,
        "pieces": pieces,
        "ended": exchange.ended,
        "error": exchange.error,
        "shortened": exchange.shortened,
    }


def _text(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _rebuilt(turn: Sequence[Event]) -> list[dict[str, Any]]:
    """Answers in the form of chat completions that make the same messages, and the same end."""
    made = []
    for event in turn:
        if isinstance(event, MessageCompleted) and event.message.role == "assistant":
            made.append(_answer(event.message, cut=event.partial))
        elif isinstance(event, TurnFinished) and event.error is not None:
            failure = _failure(event.error)
            if failure is not None:
                made.append(failure)
    return made


def _answer(message: Message, *, cut: bool) -> dict[str, Any]:
    delta: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.tool_calls:
        delta["tool_calls"] = [
            {"index": place, **call.to_dict()} for place, call in enumerate(message.tool_calls)
        ]
    finish = None if cut else "tool_calls" if message.tool_calls else "stop"
    chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    text = f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
    return _exchange(200, text if cut else text + "data: [DONE]\n\n", "cut" if cut else "whole")


def _failure(error: TurnError) -> dict[str, Any] | None:
    if error.status:
        body = json.dumps({"error": {"message": error.message}})
        return {**_exchange(error.status, body, "whole"), "content_type": "application/json"}
    if error.kind in ("network", "stalled", "protocol"):
        return _exchange(200, "", "cut")
    return None


def _exchange(status: int, text: str, ended: str) -> dict[str, Any]:
    return {
        "request": "",
        "status": status,
        "content_type": "text/event-stream",
        "headers": {},
        "pieces": [[0.0, text]] if text else [],
        "ended": ended,
        "error": "",
        "shortened": False,
    }


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(item) for item in value]
    return value


def _masked(value: Any) -> Any:
    """The same without keys, and without the name of the person's folder."""
    if isinstance(value, str):
        home = str(Path.home())
        text = redact(value)
        return text.replace(home, "~") if len(home) > 3 else text
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return value
