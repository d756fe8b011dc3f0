"""Gathers streamed text and hands it on at a pace that leaves the window room to breathe."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer

from kinet.ui.transcript.entries.text_entry import TextEntry

INTERVAL_MS = 33
# The next flush waits this many times as long as the last one worked.
SHARE = 3


class Pacer(QObject):
    """One precise timer, started by the first piece and stopped when nothing came."""

    def __init__(
        self, show: Callable[[list[tuple[TextEntry, str]]], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._show = show
        self._waiting: dict[int, tuple[TextEntry, list[str]]] = {}
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.flush)

    @property
    def is_idle(self) -> bool:
        """True if nothing waits to be shown."""
        return not self._waiting

    def add(self, entry: TextEntry, text: str) -> None:
        """Takes a piece of an entry's text."""
        found = self._waiting.get(id(entry))
        if found is None:
            self._waiting[id(entry)] = (entry, [text])
        else:
            found[1].append(text)
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Shows what has come; without anything, the timer rests."""
        if not self._waiting:
            self._timer.stop()
            return
        # Work, not time: what other programs take must not make the text come in jerks.
        began = time.thread_time()
        pieces = [(entry, "".join(texts)) for entry, texts in self._waiting.values()]
        self._waiting.clear()
        self._show(pieces)
        spent = (time.thread_time() - began) * 1000
        wanted = max(INTERVAL_MS, round(SHARE * spent))
        if wanted != self._timer.interval():
            self._timer.setInterval(wanted)

    def forget(self, entry: TextEntry) -> None:
        """Drops what waits for an entry."""
        self._waiting.pop(id(entry), None)
