"""Writes a conversation as Markdown, as a page, or as JSON: to be read and kept elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kinet.core.messages import Message
from kinet.core.own_command import fenced

# Kinet's own notes that are nobody else's business.
_PRIVATE = ("_environment", "_memory", "_id")
_WHO = {"user": "You", "assistant": "Kinet", "tool": "Result", "system": "System"}
# What stands among the person's messages and is none of them.
_NOT_YOURS = {
    "note": "A note of Kinet’s to the model",
    "summary": "Summary of what was before",
    "branch": "Summary of what was left",
}
FORMATS = ("md", "html", "json", "jsonl")

Writer = Callable[[str, Sequence[Message], Mapping[str, Any]], Iterator[str]]
_BODY = "<!-- body -->"


def exported(
    form: str, title: str, messages: Sequence[Message], facts: Mapping[str, Any] | None = None
) -> str:
    """The conversation in one of `FORMATS`; `facts` are what JSON tells of the session besides.

    What `html` gives is a page without scripts that fetches nothing.
    """
    return "".join(export_pieces(form, title, messages, facts))


def export_pieces(
    form: str, title: str, messages: Sequence[Message], facts: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """The same piece by piece, message by message: a long one is never held as a whole."""
    writers: dict[str, Writer] = {
        "md": _markdown,
        "html": _page,
        "json": _json,
        "jsonl": _lines,
    }
    return writers[form](title or "Untitled", messages, facts or {})


def _lines(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> Iterator[str]:
    for number, message in enumerate(messages):
        yield ("\n" if number else "") + json.dumps(_plain(message), ensure_ascii=False)


def _json(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> Iterator[str]:
    yield _indented({**facts, "title": title}).removesuffix("\n}") + ',\n  "messages": ['
    for number, message in enumerate(messages):
        # A line feed within a text is written as two letters: these stand between values.
        inside = _indented(_plain(message)).replace("\n", "\n    ")
        yield ("," if number else "") + "\n    " + inside
    yield ("\n  ]" if messages else "]") + "\n}"


def _indented(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _markdown(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> Iterator[str]:
    """Everything that was said and done, to be read."""
    yield f"# {title}"
    for message in messages:
        parts = [f"## {_head(message)}"]
        if message.command is not None:
            parts += [fenced(message.command.text), fenced(message.text)]
        elif message.role == "tool":
            parts.append(fenced(message.text))
        elif message.text.strip():
            # Blanks before the first words may say that they are code.
            parts.append(message.text.strip("\n").rstrip())
        parts += [f"*{_pictures(message)}*"] if message.images else []
        parts += [f"`{call.name}` {call.arguments}" for call in message.tool_calls]
        yield "\n\n" + "\n\n".join(parts)


def _page(title: str, messages: Sequence[Message], facts: Mapping[str, Any]) -> Iterator[str]:
    # Markdown is parsed only where a page is asked for.
    from kinet.markup.page import page, plain_html

    head, _, foot = page(title, f"<h1>{plain_html(title)}</h1>{_BODY}").partition(_BODY)
    yield head
    for message in messages:
        yield "\n" + "\n".join(_on_page(message))
    yield foot


def _on_page(message: Message) -> list[str]:
    from kinet.markup.page import body_html, plain_html

    body = [f'<p class="who">{plain_html(_head(message))}</p>']
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
    return body + [
        f"<details><summary>{plain_html(call.name)}</summary>"
        f"<pre>{plain_html(call.arguments)}</pre></details>"
        for call in message.tool_calls
    ]


def _head(message: Message) -> str:
    """Who said it, or what it is."""
    if message.command is not None:
        kept = ", kept from the model" if message.command.private else ""
        return f"You ran a command ({message.command.status or 'not ended'}{kept})"
    if message.role == "user" and message.kind in _NOT_YOURS:
        return _NOT_YOURS[message.kind]
    name = f" of {message.name}" if message.role == "tool" and message.name else ""
    return f"{_WHO[message.role]}{name}"


def _pictures(message: Message) -> str:
    count = len(message.images)
    return "A picture" if count == 1 else f"{count} pictures"


def _plain(message: Message) -> dict[str, Any]:
    return {key: value for key, value in message.to_dict().items() if key not in _PRIVATE}
