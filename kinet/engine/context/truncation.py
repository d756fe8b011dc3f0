"""Cuts a long tool result for the model: head, a note with what is missing, tail."""

from __future__ import annotations

from kinet.core.characters import border_after, border_before
from kinet.engine.base import Limits
from kinet.engine.context.tokens import size_of_text

# What the note between the two ends of a text weighs at most.
NOTE_WEIGHT = 60


def for_model(text: str, limits: Limits, call_id: str = "", *, total: int = 0) -> str:
    """`text` itself up to the limit, else its head and tail around a note with the omitted count.

    Lengths are in characters. A cut never falls inside a character as a person sees it (a letter
    with its accents, an emoji of several parts, a line break of two characters). `total` is the
    length of a whole of which `text` itself holds only the two ends.
    """
    if limits.result_characters <= 0 or len(text) <= limits.result_characters:
        return text
    head = border_before(text, limits.result_head)
    tail = border_after(text, len(text) - limits.result_tail)
    tail = max(head, tail)
    rest = f' read_output(call_id="{call_id}", offset={head}) gives the rest.' if call_id else ""
    missing = max(tail - head, total - head - (len(text) - tail))
    note = f"[{missing:,} characters omitted here.{rest}]"
    return f"{text[:head]}\n\n{note}\n\n{text[tail:]}"


def head_and_tail(text: str, characters: int) -> str:
    """`text` itself if it is no longer than `characters`, else its two ends around a short note."""
    if len(text) <= characters:
        return text
    head = border_before(text, characters // 2)
    tail = max(head, border_after(text, len(text) - characters // 2))
    return f"{text[:head]}\n[{tail - head:,} characters left out]\n{text[tail:]}"


def fitted(text: str, weight: float) -> str:
    """`text` itself if it weighs no more than `weight` Latin letters, else its two ends.

    Other scripts weigh more a character; the note between the ends comes on top.
    """
    own, weight = size_of_text(text).characters, max(0.0, weight)
    if own <= weight:
        return text
    characters = int(len(text) * weight / own)
    while True:
        cut = head_and_tail(text, characters)
        if characters < 2 or size_of_text(cut).characters <= weight + NOTE_WEIGHT:
            return cut
        # The ends are of a heavier script than the whole.
        characters = characters * 3 // 4
