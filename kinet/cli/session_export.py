"""Sessions on their way out and in: one in a format to be kept, messages in OpenAI form back."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kinet.core.errors import StoreError
from kinet.core.events import Event, MessageCompleted, ToolFinished, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.session.export import exported
from kinet.store.sessions import SessionRow

TITLE_CHARACTERS = 60


def export(form: str, row: SessionRow, messages: Sequence[Message]) -> str:
    """The session as md, html, json or jsonl."""
    facts = {
        "id": row.id,
        "title": row.title,
        "folder": row.folder,
        "updated": row.updated,
        "state": row.state,
    }
    return exported(form, row.title, messages, facts)


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
        pictures=tuple(picture.url for picture in message.images),
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
