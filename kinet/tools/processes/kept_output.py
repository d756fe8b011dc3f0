"""Keeps what a process prints: beginning and end in memory, the whole in a file if it is long."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from kinet.core import atomic_write
from kinet.markup.terminal_codes import Pen, split_open
from kinet.markup.terminal_inks import inks_of
from kinet.markup.terminal_screen import HEIGHT, Line, Screen, acts, joined, without_controls
from kinet.paths import ensure_private_dir
from kinet.tools.processes.kept_colours import KeptColours

# Characters in memory; only an output that is longer than both goes to a file.
HEAD = 512 * 1024
TAIL = 512 * 1024
# Of one command. More is not kept: its end is what a person looks at.
LARGEST_FILE = 512 * 1024 * 1024
# The newest lines are held back for what may still be printed over them, up to this.
_LONGEST_OPEN = 64 * 1024

# Characters of what was printed, as it was, for its colours; those of a longer one lie in a file.
PRINTED = 128 * 1024

# What neither moves nor colours.
_SILENT = re.compile(r"[\x00-\x06\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9a\x9d-\x9f]")
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)


class KeptOutput:
    """Output as it comes, from several pipes, in bounded memory, as a person would see it.

    `file` is where the whole goes once it is longer than what memory holds, or at once with
    `from_start`; None keeps only both ends. A disk that is full or too slow to exist loses the
    middle, never the command: `problem` says so in words.
    """

    def __init__(self, file: Path | None = None, *, from_start: bool = False) -> None:
        # Nobody looks at a job's output in colour when it has ended.
        self._colours = KeptColours(file) if file is not None and not from_start else None
        self.has_colours = False
        self._head: list[str] = []
        self._tail: list[str] = []
        self._head_size = self._tail_size = 0
        self._lines = _Lines(coloured=self._colours is not None)
        self._printed: list[str] = []
        self._printed_size = 0
        self._acts = False
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
        if self._printed_size < PRINTED:
            self._printed.append(text[: PRINTED - self._printed_size])
            self._printed_size += len(text)
            self._acts = self._acts or acts(text.replace("\r\n", "\n"))
        self._keep(self._lines.feed(text))
        if self._printed_size >= PRINTED and self._colours is not None:
            self._colours.keep()

    def close(self) -> None:
        """Takes the last line as it stands, and ends the file."""
        self._keep(self._lines.rest())
        if self._colours is not None:
            self.has_colours = self._colours.close()
        self._close_file()

    def printed(self) -> str:
        """Its beginning as it was printed, with colours and moves; "" if it has none."""
        return "".join(self._printed) if self._acts else ""

    def text(self) -> str:
        """What memory holds; in the middle, in words, how much there is besides."""
        return "".join([*self._head, self._gap(), *self._tail, self._lines.shown()])

    def gap(self) -> tuple[int, int, int]:
        """(where `text` leaves something out, how many characters it says there, how many it
        leaves out)."""
        return self._head_size, len(self._gap()), self.dropped

    def _gap(self) -> str:
        where = "lie in the kept file" if self.is_whole_on_disk else "were not kept"
        return f"\n[{self.dropped:,} characters {where}]\n" if self.dropped else ""

    def _keep(self, text: str) -> None:
        if self._colours is not None:
            for start, length, pen in self._lines.inks:
                self._colours.add(self.total + start, length, pen)
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
            self._close_file()
        self._written += len(data)

    def _close_file(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        try:
            os.close(descriptor)
        except OSError as exc:
            # Some file systems tell only now that there was no room.
            self.problem = self.problem or exc.strerror or str(exc)


class PipeText:
    """One pipe's bytes as text, never half a character or half an escape sequence."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open = ""

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """The text of the next bytes, with a terminal's escapes."""
        text = self._open + self._decoder.decode(data, final)
        self._open = ""
        if not final:
            text, self._open = split_open(text)
        return _SILENT.sub("", text)


class _Lines:
    """Gives lines out as they stood last; holds back what may still be printed over."""

    def __init__(self, *, coloured: bool = False) -> None:
        self._coloured = coloured
        self._open = ""
        # Where something moves: what is open stands on it.
        self._screen: Screen | None = None
        # What is coloured of what was given out last, by its place there.
        self.inks: list[tuple[int, int, Pen]] = []

    def feed(self, text: str) -> str:
        """The lines that cannot change any more, each with its line feed."""
        text = text.replace("\r\n", "\n") if "\r" in text else text
        self.inks = []
        if self._screen is None and not acts(text):
            self._open += text
            cut = _end_of_done(self._open)
            done, self._open = self._open[:cut], self._open[cut:]
            return without_controls(done)
        if self._screen is None:
            self._screen = Screen()
            text, self._open = self._open + text, ""
        screen = self._screen
        lines = screen.feed(text)
        done = joined(lines)
        self._take_inks(lines)
        if lines and not screen.goes_on:
            done += "\n"
        if screen.is_plain and not screen.goes_on and not self._has_inks(screen):
            self._open, self._screen = screen.open_text, None
        return without_controls(done)

    def rest(self) -> str:
        """What is open as it stands; it is given out with this."""
        text = self.shown()
        self._take_inks(self._screen.open_lines if self._screen else [])
        self._open, self._screen = "", None
        return text

    def _has_inks(self, screen: Screen) -> bool:
        """True if what is open there has colours that are to be kept."""
        return self._coloured and next(inks_of(screen.open_lines), None) is not None

    def _take_inks(self, lines: list[Line]) -> None:
        self.inks = list(inks_of(lines)) if self._coloured else []

    def shown(self) -> str:
        """What is open as it stands."""
        return without_controls(self._screen.open_text if self._screen else self._open)


def _end_of_done(text: str) -> int:
    """Behind the lines that nothing can go back to, or that are too much to be held back."""
    cut = len(text)
    for _ in range(HEIGHT):
        cut = text.rfind("\n", 0, cut)
        if cut < 0:
            break
    if len(text) - cut <= _LONGEST_OPEN:
        return cut + 1
    return text.find("\n", len(text) - _LONGEST_OPEN) + 1 or len(text)


def settled(text: str) -> str:
    """The text with every line as it stood last, as a terminal would show it."""
    lines = _Lines()
    return lines.feed(text) + lines.rest()
