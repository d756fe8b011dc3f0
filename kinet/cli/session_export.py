"""A conversation as Markdown, HTML or JSON, and back from one message a line."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from kinet.core.errors import StoreError
from kinet.core.events import Event, MessageCompleted, ToolFinished, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.store.sessions import SessionRow

# Kinet's own notes that are nobody else's business.
_PRIVATE = ("_environment", "_memory", "_id")
_WHO = {"user": "You", "assistant": "Kinet", "tool": "Result", "system": "System"}
TITLE_CHARACTERS = 60


def as_jsonl(row: SessionRow, messages: Sequence[Message]) -> str:
    """One message in OpenAI form a line."""
    return "\n".join(json.dumps(_plain(message), ensure_ascii=False) for message in messages)


def as_json(row: SessionRow, messages: Sequence[Message]) -> str:
    """The session with all its messages as one object."""
    whole = {
        "id": row.id,
        "title": row.title,
        "folder": row.folder,
        "updated": row.updated,
        "state": row.state,
        "messages": [_plain(message) for message in messages],
    }
    return json.dumps(whole, ensure_ascii=False, indent=2)


def as_markdown(row: SessionRow, messages: Sequence[Message]) -> str:
    """Everything that was said and done, to be read."""
    parts = [f"# {row.title or 'Untitled'}"]
    for message in messages:
        name = f" of {message.name}" if message.role == "tool" and message.name else ""
        parts.append(f"## {_WHO[message.role]}{name}")
        if message.role == "tool":
            parts.append(_fenced(message.text))
        elif message.text.strip():
            parts.append(message.text.strip())
        parts += [f"`{call.name}` {call.arguments}" for call in message.tool_calls]
    return "\n\n".join(parts)


def as_html(row: SessionRow, messages: Sequence[Message]) -> str:
    """A page without scripts and without anything fetched from elsewhere."""
    title = html.escape(row.title or "Untitled")
    body = []
    for message in messages:
        body.append(f"<h2>{html.escape(_WHO[message.role])}</h2>")
        body.append(f"<pre>{html.escape(message.text)}</pre>")
        body += [
            f"<pre>{html.escape(call.name)} {html.escape(call.arguments)}</pre>"
            for call in message.tool_calls
        ]
    style = "body{max-width:46em;margin:2em auto;font-family:sans-serif}pre{white-space:pre-wrap}"
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{style}</style></head>\n<body><h1>{title}</h1>\n"
        + "\n".join(body)
        + "\n</body></html>"
    )


def imported(text: str, turn_id: str) -> tuple[str, list[Event]]:
    """(title, events) from messages in OpenAI form, one a line.

    Raises StoreError that names the first line which is not one.
    """
    events: list[Event] = []
    title, open_turn = "", False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        message = _message(number, line)
        if message.role == "system":
            continue
        if (message.role == "user" and message.kind == "") or not open_turn:
            events += [TurnFinished("completed")] if open_turn else []
            events.append(TurnStarted("", turn_id))
            open_turn = True
        title = title or (_title(message.text) if message.role == "user" else "")
        events.append(_event(message))
    if not events:
        raise StoreError("There is no message in this file.", hint="One message a line, as JSON.")
    return title, [*events, TurnFinished("completed")]


def _event(message: Message) -> Event:
    if message.role != "tool":
        return MessageCompleted(message)
    return ToolFinished(
        message.tool_call_id,
        message.name,
        is_error=message.is_error,
        content=message.text,
        model_content=message.text,
    )


def _message(number: int, line: str) -> Message:
    try:
        raw = json.loads(line)
        if not isinstance(raw, dict):
            raise ValueError("not an object")
        return Message.from_dict(raw)
    except (ValueError, RecursionError) as exc:
        raise StoreError(
            f"Line {number} is not a message in OpenAI form: {exc}.", hint="Nothing was imported."
        ) from exc


def _title(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return first if len(first) <= TITLE_CHARACTERS else first[: TITLE_CHARACTERS - 1] + "…"


def _plain(message: Message) -> dict[str, Any]:
    return {key: value for key, value in message.to_dict().items() if key not in _PRIVATE}


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
