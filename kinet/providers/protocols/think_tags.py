"""Tells thinking from answer where a model writes its thinking into the text, between tags."""

from __future__ import annotations

from typing import Literal, NamedTuple

_NAMES = ("think", "thinking", "thought")
_OPENING = tuple(f"<{name}>" for name in _NAMES)


class Piece(NamedTuple):
    """A piece of text and which side it belongs to."""

    kind: Literal["text", "thinking"]
    text: str


class ThinkTagSplitter:
    """Takes the text in pieces; only a block at the very beginning counts.

    Tags may be cut anywhere. What might be the beginning of a tag is held back, and comes out
    again if it is none.
    """

    def __init__(self) -> None:
        self._state: Literal["start", "inside", "after", "text"] = "start"
        self._held = ""
        self._closing = ""
        self._at_first = False

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain now, in order."""
        if self._state == "text":
            return [Piece("text", text)] if text else []
        self._held += text
        out: list[Piece] = []
        if self._state == "start":
            self._look_for_opening(out)
        if self._state == "inside":
            self._look_for_closing(out)
        if self._state == "after":
            # The blank lines between the block and the answer belong to neither.
            rest = self._held.lstrip()
            self._held = ""
            if rest:
                self._state = "text"
                out.append(Piece("text", rest))
        return out

    def finish(self) -> list[Piece]:
        """What was held back to the end."""
        held, self._held = self._held, ""
        if not held:
            return []
        return [Piece("thinking" if self._state == "inside" else "text", held)]

    def _look_for_opening(self, out: list[Piece]) -> None:
        begun = self._held.lstrip()
        lowered = begun.lower()
        for tag in _OPENING:
            if lowered.startswith(tag):
                self._state = "inside"
                self._closing = f"</{tag[1:]}"
                self._held = begun[len(tag) :]
                self._at_first = True
                return
        if not begun or any(tag.startswith(lowered) for tag in _OPENING):
            return
        self._state = "text"
        out.append(Piece("text", self._held))
        self._held = ""

    def _look_for_closing(self, out: list[Piece]) -> None:
        if self._at_first:
            # The line end behind the tag is no part of the thinking.
            self._held = self._held.lstrip("\n")
            self._at_first = not self._held
        place = self._held.lower().find(self._closing)
        if place >= 0:
            if place:
                out.append(Piece("thinking", self._held[:place]))
            self._held = self._held[place + len(self._closing) :]
            self._state = "after"
            return
        keep = _overlap(self._held.lower(), self._closing)
        certain = self._held[: len(self._held) - keep]
        if certain:
            out.append(Piece("thinking", certain))
        self._held = self._held[len(certain) :]


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    for size in range(min(len(text), len(tag) - 1), 0, -1):
        if text.endswith(tag[:size]):
            return size
    return 0
