"""Keeps what a process prints: beginning and end in memory, the whole in a file if it is long."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from kinet.core import atomic_write
from kinet.paths import ensure_private_dir

# Characters in memory; only an output that is longer than both goes to a file.
HEAD = 512 * 1024
TAIL = 512 * 1024
# Of one command. More is not kept: its end is what a person looks at.
LARGEST_FILE = 512 * 1024 * 1024
# A line that has not ended is held back for what may still be printed over it, up to this.
_LONGEST_OPEN = 64 * 1024

# Colours, cursor moves and titles: a terminal's own language.
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_OPEN_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,200}|[ -/]*)?\Z")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)


class KeptOutput:
    """Output as it comes, from several pipes, in bounded memory, as a person would see it.

    `file` is where the whole goes once it is longer than what memory holds, or at once with
    `from_start`; None keeps only both ends. A disk that is full or too slow to exist loses the
    middle, never the command: `problem` says so in words.
    """

    def __init__(self, file: Path | None = None, *, from_start: bool = False) -> None:
        self._head: list[str] = []
        self._tail: list[str] = []
        self._head_size = self._tail_size = 0
        self._lines = _Lines()
        self._file = file
        self._descriptor: int | None = None
        self._written = 0
        self.total = 0
        self.dropped = 0
        self.problem = ""
        if from_start:
            self._begin_file()

    @property
    def is_whole_on_disk(self) -> bool:
        """True if the file holds all that was added."""
        return self._written > 0 and not self.problem

    def add(self, text: str) -> None:
        """Takes the next piece."""
        self._keep(self._lines.feed(text))

    def close(self) -> None:
        """Takes the last line as it stands, and ends the file."""
        self._keep(self._lines.rest())
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def text(self) -> str:
        """What memory holds; in the middle, in words, how much there is besides."""
        where = "lie in the kept file" if self.is_whole_on_disk else "were not kept"
        middle = [f"\n[{self.dropped:,} characters {where}]\n"] if self.dropped else []
        return "".join([*self._head, *middle, *self._tail, self._lines.shown()])

    def _keep(self, text: str) -> None:
        if not text:
            return
        self.total += len(text)
        if self._descriptor is None and self.total > HEAD + TAIL and not self.dropped:
            self._begin_file()
        self._write(text)
        room = HEAD - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += min(room, len(text))
            text = text[room:]
        if not text:
            return
        self._tail.append(text)
        self._tail_size += len(text)
        if self._tail_size > 2 * TAIL:
            whole = "".join(self._tail)
            self.dropped += len(whole) - TAIL
            self._tail = [whole[-TAIL:]]
            self._tail_size = TAIL

    def _begin_file(self) -> None:
        if self._file is None:
            return
        try:
            ensure_private_dir(self._file.parent)
            self._descriptor = os.open(self._file, _FLAGS, atomic_write.PRIVATE)
        except OSError as exc:
            self.problem = exc.strerror or str(exc)
            return
        self._write("".join([*self._head, *self._tail]))

    def _write(self, text: str) -> None:
        if self._descriptor is None or not text:
            return
        data = text.encode("utf-8", "replace")
        try:
            if self._written + len(data) > LARGEST_FILE:
                raise OSError(0, f"it is longer than {LARGEST_FILE:,} bytes")
            atomic_write.write_all(self._descriptor, data)
        except OSError as exc:
            self.problem = exc.strerror or str(exc)
            os.close(self._descriptor)
            self._descriptor = None
        self._written += len(data)


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


class _Lines:
    """Gives lines out as they stood last; holds back what may still be printed over."""

    def __init__(self) -> None:
        self._open = ""

    def feed(self, text: str) -> str:
        """The lines that have ended; of an open one only what is too long to be held back."""
        text = self._open + text
        cut = text.rfind("\n") + 1
        done, self._open = text[:cut], text[cut:]
        if self._open.count("\r") > 1:
            self._open = self._newest()
        if len(self._open) > _LONGEST_OPEN:
            done, self._open = done + self._open, ""
        return settled(done)

    def rest(self) -> str:
        """The open line as it stands; it is given out with this."""
        text, self._open = self.shown(), ""
        return text

    def shown(self) -> str:
        """The open line as it stands."""
        return settled(self._open)

    def _newest(self) -> str:
        """What was printed last on the open line; a closing "\r" may be half of a line end."""
        body = self._open.rstrip("\r")
        return body.rpartition("\r")[2] + self._open[len(body) :][-1:]


def settled(text: str) -> str:
    r"""The text with every line as it stood last: what a lone "\r" printed over is gone."""
    plain = text.replace("\r\n", "\n")
    if "\r" not in plain:
        return plain
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))
