"""Lists the messages of the session on screen, to go to one; a very long list comes bit by bit."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kinet.markup.visible import shown
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.kit.tasks import breathe, spawn
from kinet.ui.palette.palette import Palette
from kinet.ui.palette.palette_rows import Entry
from kinet.ui.transcript.entries.command_entry import CommandEntry
from kinet.ui.transcript.entries.text_entry import TextEntry

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.ui.transcript.view import Transcript

_TITLE = 100
# Marks of Markdown, which are not shown in the conversation either.
_MARKS = re.compile(r"\*\*|~~|`+|^[ \t]*(?:#{1,6}|>|[-*+]|```\w*)[ \t]+", re.MULTILINE)
# Seconds: what is listed at once, and in one turn of the loop afterwards.
_FIRST_SECONDS = 0.015
_SLICE_SECONDS = 0.006


def open_outline(parts: WindowParts) -> None:
    """Lists the messages; choosing one goes there."""
    panel = parts.desk.current
    transcript = panel.transcript
    if not transcript.stage.flow.entries:
        parts.toast.tell("There are no messages yet")
        return
    palette = Palette(parts.frame, [])
    palette.setObjectName("outline")
    palette.field.setPlaceholderText("Go to a message")
    palette.closed.connect(panel.composer.edit.setFocus)
    listing = _Listing(palette, transcript)
    if not listing.begin():
        palette.count.setText("Reading the messages…")
        spawn(listing.go_on(), "outline")


def outline_of(panel: ChatPanel) -> list[Entry]:
    """An entry for each message of a panel's transcript, in order; all of them at once."""
    panel.transcript.stage.filler.complete()
    return [entry for entry in _messages(panel.transcript) if entry is not None]


class _Listing:
    """Brings the messages of a transcript into a palette until it is closed."""

    def __init__(self, palette: Palette, transcript: Transcript) -> None:
        self._palette, self._transcript = palette, transcript
        self._messages: Iterator[Entry | None] | None = None
        self._heap: list[Entry] = []
        self._shown = 0
        self._closed = False
        palette.closed.connect(self._close)

    def begin(self) -> bool:
        """Lists what takes but a moment; True if that is all."""
        return self._transcript.stage.filler.is_idle and self._work(_FIRST_SECONDS)

    async def go_on(self) -> None:
        """Lists the rest, when all of it is told."""
        while not (self._closed or self._transcript.stage.filler.is_idle):
            await breathe()
        while not (self._closed or self._work(_SLICE_SECONDS)):
            await breathe()

    def _work(self, seconds: float) -> bool:
        deadline = time.perf_counter() + seconds
        self._messages = self._messages or _messages(self._transcript)
        for entry in self._messages:
            if entry is not None:
                self._heap.append(entry)
            if time.perf_counter() > deadline:
                # In heaps that double: each time all are looked through.
                if len(self._heap) > self._shown:
                    self._add()
                return False
        self._add()
        return True

    def _add(self) -> None:
        heap, self._heap = self._heap, []
        self._shown += len(heap)
        self._palette.add(heap)

    def _close(self) -> None:
        self._closed = True


def _messages(transcript: Transcript) -> Iterator[Entry | None]:
    """The messages in order; None for what is none."""
    for entry in list(transcript.stage.flow.entries):
        if isinstance(entry, CommandEntry):
            title = " ".join(entry.spoken().split())[:_TITLE]
            yield Entry("Messages", title, _Goer(transcript, entry), "terminal", "You")
        elif isinstance(entry, TextEntry) and entry.kind in ("user", "answer"):
            who, icon = ("You", "chat") if entry.kind == "user" else ("Kinet", "file-text")
            # Of a long conversation no document is made for this.
            said = _MARKS.sub("", shown(entry.source[: 4 * _TITLE]))
            title = " ".join(said.split())[:_TITLE] or "(no text)"
            yield Entry("Messages", title, _Goer(transcript, entry), icon, who)
        else:
            yield None


class _Goer:
    """Goes to an entry. One object of little, for there may be a hundred thousand."""

    __slots__ = ("_entry", "_transcript")

    def __init__(self, transcript: Transcript, entry: TextEntry | CommandEntry) -> None:
        self._transcript, self._entry = transcript, entry

    def __call__(self) -> None:
        self._transcript.go_to(self._entry)
