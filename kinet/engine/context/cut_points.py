"""Where a history may be cut: never between a call and its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kinet.core.messages import Message


def cut_for(
    messages: Sequence[Message],
    keep_tokens: int,
    tokens_of: Callable[[Message], int],
    *,
    whole_turns: bool = False,
) -> int:
    """The number of the first message to keep, so that about `keep_tokens` are kept.

    Walks back from the newest message until `keep_tokens` are reached. 0 if nothing can be cut.
    The message at the cut is one of the user or the assistant; with `whole_turns` one that began
    a turn. The newest group of messages that belong together is always kept.
    """
    kept = 0
    best = 0
    for place in range(len(messages) - 1, 0, -1):
        kept += tokens_of(messages[place])
        if kept > keep_tokens and best:
            return best
        if _legal(messages, place, whole_turns):
            best = place
            if kept > keep_tokens:
                return best
    return best if kept + tokens_of(messages[0]) > keep_tokens else 0


def begins_turn(message: Message) -> bool:
    """True for what a person wrote to begin a turn: no note, no steering, no summary."""
    return message.role == "user" and message.kind == ""


def turn_start(messages: Sequence[Message], place: int) -> int:
    """The number of the message that began the turn in which `place` lies; -1 if it is cut off."""
    while place >= 0 and not begins_turn(messages[place]):
        place -= 1
    return place


def _legal(messages: Sequence[Message], place: int, whole_turns: bool) -> bool:
    message = messages[place]
    if whole_turns:
        return begins_turn(message)
    return message.role in ("user", "assistant")
