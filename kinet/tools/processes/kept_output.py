"""Keeps what a process prints: all of it up to a limit, then the beginning and the end."""

from __future__ import annotations

import codecs
import re

HEAD_BYTES = 4 * 1024 * 1024
TAIL_BYTES = 1024 * 1024

# Colours, cursor moves and titles: a terminal's own language.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_OPEN_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,200}|[ -/]*)?\Z")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")


class KeptOutput:
    """Output as it comes, from several pipes, in bounded memory."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._tail: list[str] = []
        self._head_size = self._tail_size = 0
        self.total = 0
        self.dropped = 0

    def add(self, text: str) -> None:
        """Takes the next piece."""
        self.total += len(text)
        room = HEAD_BYTES - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += min(room, len(text))
            text = text[room:]
        if not text:
            return
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size - len(self._tail[0]) >= TAIL_BYTES:
            gone = len(self._tail.pop(0))
            self._tail_size -= gone
            self.dropped += gone

    def text(self) -> str:
        """All that is kept, as a person would have seen it at the end."""
        middle = [f"\n[{self.dropped:,} characters were not kept]\n"] if self.dropped else []
        return settled("".join([*self._head, *middle, *self._tail]))


class PipeText:
    """One pipe's bytes as text, never half a character or half an escape sequence."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """The text of the next bytes, without a terminal's escapes."""
        text = self._open + self._decoder.decode(data, final)
        self._open = ""
        if not final and (begun := _OPEN_ESCAPE.search(text)):
            text, self._open = text[: begun.start()], begun.group()
        if "\x1b" in text or "\x9b" in text:
            text = _ESCAPES.sub("", text)
        return _CONTROLS.sub("", text)


def settled(text: str) -> str:
    r"""The text with every line as it stood last: what a lone "\r" printed over is gone."""
    plain = text.replace("\r\n", "\n")
    if "\r" not in plain:
        return plain
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))
