"""Shrinks outputs of earlier steps, for presets that pay for long histories with lost caches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinet.core.characters import border_after, border_before
from kinet.core.messages import Message

# Lines kept of an output: from its head, from its tail.
_LINES = {"read_file": (300, 0), "grep": (100, 0), "shell": (100, 40)}
_LARGE, _HEAD, _TAIL = 16 * 1024, 12 * 1024, 3 * 1024


def with_old_outputs_shrunk(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The history with each result shrunk that the model has already answered to."""
    newest = max(
        (place for place, item in enumerate(messages) if item.role == "assistant"), default=0
    )
    return tuple(
        shrunk(item) if item.role == "tool" and place < newest else item
        for place, item in enumerate(messages)
    )


def shrunk(message: Message) -> Message:
    """A result by the rule of its tool, with the number of lines or characters left out."""
    text = message.text
    if message.name in _LINES:
        text = _by_lines(text, *_LINES[message.name])
    if len(text) > _LARGE:
        text = _by_size(text)
    return message if text == message.text else replace(message, content=text)


def _by_lines(text: str, head: int, tail: int) -> str:
    lines = text.splitlines()
    left_out = len(lines) - head - tail
    if left_out <= 1:
        return text
    note = f"[{left_out:,} lines left out]"
    return "\n".join([*lines[:head], note, *(lines[-tail:] if tail else ())])


def _by_size(text: str) -> str:
    head = border_before(text, _HEAD)
    tail = border_after(text, len(text) - _TAIL)
    return f"{text[:head]}\n[{tail - head:,} characters left out]\n{text[tail:]}"
