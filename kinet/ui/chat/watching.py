"""A panel whose session somebody else works on: it is read as it goes on, and nothing is sent."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from kinet.core.events import (
    Event,
    MessageCompleted,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    TurnFinished,
    TurnStarted,
)
from kinet.ui.kit.controls import text_label

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel

WORDS = (
    "An editor or a command works on this session. Read it here; it is yours again when that ends."
)
_PIECES = (TextDelta, ThinkingDelta, ToolArgumentsDelta)


class Watching(QObject):
    """Takes the composer's place. `left` comes once, when the session can be opened."""

    left = Signal()

    def __init__(self, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._panel, self._session = panel, panel.session
        self._pending: deque[Event] = deque()
        # False as long as an answer of which the beginning was not heard streams.
        self._joined = False
        self._ended = False
        panel.composer.hide()
        self.bar = QFrame(panel)
        self.bar.setObjectName("watchBar")
        self.bar.setAccessibleName(WORDS)
        words = text_label(WORDS, tone="text_2", parent=self.bar)
        words.setWordWrap(True)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout(self.bar)
        row.setContentsMargins(16, 12, 16, 12)
        row.addWidget(words, 1)
        panel.foot.insertWidget(panel.foot.indexOf(panel.composer), self.bar)
        panel.reading.restored.connect(self._restored)
        session: Any = self._session
        session.watch(self._came)
        session.when_left(self._was_left)
        panel.runner.follow(None, running=session.is_running)

    def end(self) -> None:
        """Hears no more of it."""
        self._ended = True
        session: Any = self._session
        session.leave()

    def _came(self, event: Event) -> None:
        # Shown in a turn of its own: whoever works on it must not hear of a fault here.
        self._pending.append(event)
        asyncio.get_running_loop().call_soon(self._show)

    def _restored(self) -> None:
        """All until now is shown; of an answer that streams the next message brings the whole."""
        self._pending.clear()
        self._joined = False

    def _show(self) -> None:
        if self._ended or not self._pending:
            return
        event = self._pending.popleft()
        if isinstance(event, StepStarted | MessageCompleted | TurnFinished):
            self._joined = True
        if isinstance(event, _PIECES) and not self._joined:
            return
        runner = self._panel.runner
        begins, ends = isinstance(event, TurnStarted), isinstance(event, TurnFinished)
        runner.follow(event, running=begins or (runner.running and not ends))

    def _was_left(self) -> None:
        self._ended = True
        asyncio.get_running_loop().call_soon(self.left.emit)
