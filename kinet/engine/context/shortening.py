"""Cuts long texts in requests where they would not fit; the conversation keeps them whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinet.core.messages import ImagePart, Message, TextPart
from kinet.engine.context.tokens import size_of_text
from kinet.engine.context.truncation import NOTE_WEIGHT, fitted

_LEFT_OUT = TextPart("[a picture was here; it was left out, for the request was too large]")
# No text is cut to less: below that it says nothing.
_SHORTEST = 200


class Shortening:
    """What a text may weigh in the requests of one turn; 0 for whole texts.

    `at_most` holds to the end of the turn. `for_now` is what the window leaves room for: it grows
    smaller only, for each change makes the server read the history anew, until all fits again.
    """

    def __init__(self) -> None:
        self.at_most = 0.0
        self.for_now = 0.0
        # False once a server refused a request that was cut already: pictures may be what is large.
        self.pictures = True

    def of(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages with their long texts cut; the same tuple if nothing is to be cut."""
        if not self.pictures:
            messages = tuple(map(_without_pictures, messages))
        limits = [limit for limit in (self.at_most, self.for_now) if limit]
        if not limits:
            return messages
        return tuple(shortened(message, min(limits)) for message in messages)

    def fit(self, messages: Sequence[Message], room: float) -> None:
        """Chooses `for_now` so that the texts of these messages weigh no more than `room`."""
        weights = [size_of_text(message.text).characters for message in messages]
        limit = self.for_now or max(weights, default=0.0)
        while limit > _SHORTEST and sum(_cut(weight, limit) for weight in weights) > room:
            limit *= 0.8
        self.for_now = max(limit, _SHORTEST)


def _without_pictures(message: Message) -> Message:
    if not message.images:
        return message
    parts = tuple(
        _LEFT_OUT if isinstance(part, ImagePart) else part
        for part in message.content
        if not isinstance(part, str)
    )
    return replace(message, content=parts)


def shortened(message: Message, weight: float) -> Message:
    """`message` with its long texts cut to head and tail; itself if none is long."""
    if isinstance(message.content, str):
        text = fitted(message.content, weight)
        return message if text is message.content else replace(message, content=text)
    parts = tuple(
        TextPart(fitted(part.text, weight)) if isinstance(part, TextPart) else part
        for part in message.content
    )
    return message if parts == message.content else replace(message, content=parts)


def _cut(weight: float, limit: float) -> float:
    return weight if weight <= limit else limit + NOTE_WEIGHT
