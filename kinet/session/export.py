"""Writes a conversation as Markdown, as a page, or as JSON: to be read and kept elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kinet.core.messages import Message
from kinet.core.own_command import fenced

# Kinet's own notes that are nobody else's business.
_PRIVATE = ("_environment", "_memory", "_id")
_WHO = {"user": "You", "assistant": "Kinet", "tool": "Result", "system": "System"}
FORMATS = ("md", "html", "json", "jsonl")

Writer = Callable[[str, Sequence[Message], Mapping[str, Any]], str]


def exported(
    form: str, title: str, messages: Sequence[Message], facts: Mapping[str, Any] | None = None
) -> str:
    """The conversation in one of `FORMATS`; `facts` are what JSON tells of the session besides.

    What `html` gives is a page without scripts that fetches nothing.
    """
    writers: dict[str, Writer] = {
        "md": _markdown,
        "html": _page,
        "json": _json,
        "jsonl": _lines,
    }
    return writers[form](title or "Untitled", messages, facts or {})


def _lines(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> str:
    return "\n".join(json.dumps(_plain(message), ensure_ascii=False) for message in messages)


def _json(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> str:
    whole = {**facts, "title": title, "messages": [_plain(message) for message in messages]}
    return json.dumps(whole, ensure_ascii=False, indent=2)


def _markdown(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> str:
    """Everything that was said and done, to be read."""
    parts = [f"# {title}"]
    for message in messages:
        parts.append(f"## {_head(message)}")
        if message.command is not None:
            parts += [fenced(message.command.text), fenced(message.text)]
        elif message.role == "tool":
            parts.append(fenced(message.text))
        elif message.text.strip():
            parts.append(message.text.strip())
        parts += [f"*{_pictures(message)}*"] if message.images else []
        parts += [f"`{call.name}` {call.arguments}" for call in message.tool_calls]
    return "\n\n".join(parts)


def _page(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> str:
    # Markdown is parsed only where a page is asked for.
    from kinet.markup.page import body_html, page, plain_html

    body = [f"<h1>{plain_html(title)}</h1>"]
    for message in messages:
        body.append(f'<p class="who">{plain_html(_head(message))}</p>')
        if message.command is not None:
            body.append(f"<pre>{plain_html(message.command.text)}</pre>")
        if message.role == "assistant":
            body.append(body_html(message.text))
        elif message.role == "tool" or message.command is not None:
            lines = message.text.count("\n") + 1
            body.append(
                f"<details><summary>{lines} lines</summary>"
                f"<pre>{plain_html(message.text)}</pre></details>"
            )
        else:
            body.append(f'<div class="user" dir="auto">{plain_html(message.text)}</div>')
        body += [f'<p class="aside">{_pictures(message)}</p>'] if message.images else []
        body += [
            f"<details><summary>{plain_html(call.name)}</summary>"
            f"<pre>{plain_html(call.arguments)}</pre></details>"
            for call in message.tool_calls
        ]
    return page(title, "\n".join(body))


def _head(message: Message) -> str:
    """Who said it, or what it is."""
    if message.command is not None:
        kept = ", kept from the model" if message.command.private else ""
        return f"You ran a command ({message.command.status or 'not ended'}{kept})"
    name = f" of {message.name}" if message.role == "tool" and message.name else ""
    return f"{_WHO[message.role]}{name}"


def _pictures(message: Message) -> str:
    count = len(message.images)
    return "A picture" if count == 1 else f"{count} pictures"


def _plain(message: Message) -> dict[str, Any]:
    return {key: value for key, value in message.to_dict().items() if key not in _PRIVATE}
