"""Small repairs to a completion before it joins the history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kinet.core.completion import Completion
from kinet.core.conversation import Conversation
from kinet.core.messages import ToolCall
from kinet.engine.loop.echoes import without_echoes


def without_echo(completion: Completion) -> Completion:
    """The final text without notes of ours that the model repeated."""
    raw = completion.raw_assistant
    if not isinstance(raw.content, str):
        return completion
    text = without_echoes(raw.content)
    if text == raw.content:
        return completion
    return replace(completion, content=text, raw_assistant=replace(raw, content=text))


def without_calls(completion: Completion) -> Completion:
    """The text alone, for a reply that called although no call was allowed."""
    raw = replace(completion.raw_assistant, tool_calls=(), vendor={})
    return replace(completion, tool_calls=(), raw_assistant=raw)


class UsedIds:
    """The ids of all calls of a growing conversation; each message is looked at once.

    `known` are those of messages that are not part of it any more.
    """

    def __init__(self, conversation: Conversation, known: Iterable[str] = ()) -> None:
        self._conversation = conversation
        self._ids = set(known)
        self._covered = 0

    def now(self) -> set[str]:
        """The ids as of now."""
        messages = self._conversation.messages
        for message in messages[self._covered :]:
            self._ids.update(call.id for call in message.tool_calls)
        self._covered = len(messages)
        return self._ids


def with_fresh_ids(completion: Completion, used: set[str]) -> Completion:
    """Some servers number calls anew in every reply; an id must name one call of a conversation."""
    if not any(call.id in used for call in completion.tool_calls):
        return completion

    def fresh(call: ToolCall) -> ToolCall:
        number, name = 2, call.id
        while name in used:
            name = f"{call.id}_{number}"
            number += 1
        return replace(call, id=name)

    raw = completion.raw_assistant
    names = {call.id: fresh(call) for call in completion.tool_calls}
    return replace(
        completion,
        tool_calls=tuple(names[call.id] for call in completion.tool_calls),
        raw_assistant=replace(
            raw, tool_calls=tuple(names.get(call.id, call) for call in raw.tool_calls)
        ),
    )
