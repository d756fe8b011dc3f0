"""Finds texts of a conversation that commands act on."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.messages import Message


def last_answer(messages: Sequence[Message]) -> str:
    """The newest answer with text, as its source; "" if there is none."""
    for message in reversed(messages):
        if message.role == "assistant" and message.text.strip():
            return message.text
    return ""


def questions(messages: Sequence[Message]) -> list[str]:
    """What the person said, oldest first."""
    return [item.text for item in messages if item.role == "user" and not item.kind]
