"""Tells what part of a tool's output the model got."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

_COUNT = re.compile(r"(\d[\d,]*) characters")


@dataclass(frozen=True, slots=True)
class ModelShare:
    """`head` and `tail` are characters of the whole that the model got, from its two ends.

    kind: "all", "cut" (head and tail), "own" (a page the tool made for the model), "kept" (the
    person keeps it to themselves), "none" (the step has not ended, or nothing was sent).
    """

    kind: Literal["all", "cut", "own", "kept", "none"]
    head: int = 0
    tail: int = 0
    total: int = 0
    sent: int = 0

    @property
    def missing(self) -> int:
        """Characters the model did not get."""
        return self.total - self.head - self.tail if self.kind == "cut" else 0

    def sentence(self) -> str:
        """One line for a person."""
        if self.kind == "all":
            return (
                f"Model got all {self.total:,} characters" if self.total else "Model got all of it"
            )
        if self.kind == "own":
            return f"Model got a view of its own, {self.sent:,} characters"
        if self.kind == "kept":
            return "Kept from the model"
        if self.kind == "none":
            return ""
        if self.head == self.tail:
            parts = f"first and last {self.head:,}"
        elif not self.tail:
            parts = f"the first {self.head:,}"
        elif not self.head:
            parts = f"the last {self.tail:,}"
        else:
            parts = f"first {self.head:,} and last {self.tail:,}"
        return f"Model got {parts} of {self.total:,} characters"

    def short_sentence(self, unit: str = "") -> str:
        """The same for a narrow panel: how much, without from where."""
        if self.kind != "cut":
            return self.sentence()
        return f"Model got {self.head + self.tail:,} of {self.total:,} {unit}".strip()


def share_of(content: str, model_content: str) -> ModelShare:
    """Compares the whole with what was sent. `model_content` "" means: sent whole."""
    total = len(content)
    if not model_content or model_content == content:
        return ModelShare("all", total, 0, total, total)
    shorter = min(total, len(model_content))
    head = _longest(shorter, lambda size: content[:size] == model_content[:size])
    tail = _longest(
        shorter - head, lambda size: content[total - size :].endswith(model_content[-size:])
    )
    if head + tail == 0 or head + tail < len(model_content) // 2:
        return ModelShare("own", total=total, sent=len(model_content))
    if head + tail >= total:
        # Everything and a word more: a note was added.
        return ModelShare("all", total, 0, total, len(model_content))
    note = model_content[max(0, head - 16) : len(model_content) - max(0, tail - 16)]
    # Of a huge output the panel has its two ends too, and more was left out than it holds.
    if (omitted := _omitted(note)) < total:
        head, tail = _without_chance(head, tail, total - omitted)
    return ModelShare("cut", head, tail, total, len(model_content))


def _longest(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest size up to `limit` that fits, where every smaller one fits too."""
    low, high = 0, max(0, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _omitted(note: str) -> int:
    """The number of characters a note says were left out; 0 if it names none."""
    match = _COUNT.search(note)
    return int(match.group(1).replace(",", "")) if match else 0


def _without_chance(head: int, tail: int, sent: int) -> tuple[int, int]:
    """The note between the parts may begin or end as the text does; its share is no gift.

    `sent` is what the note's own count leaves; a cut is as long at both ends, give or take a
    character of several parts.
    """
    excess = head + tail - sent
    if not 0 < excess <= 16:
        return head, tail
    if head - excess == tail:
        return head - excess, tail
    if tail - excess == head:
        return head, tail - excess
    return sent // 2, sent - sent // 2
