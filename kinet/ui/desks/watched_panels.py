"""The panels whose session an editor or a command works on, until it can be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.ui.chat.watching import Watching


class WatchedPanels(QObject):
    """`left` comes with a panel whose session can be opened now."""

    left = Signal(object)  # ChatPanel

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watching: dict[ChatPanel, Watching] = {}
        self._left: set[ChatPanel] = set()

    def begin(self, panel: ChatPanel) -> None:
        """Only reads the session of this panel."""
        from kinet.ui.chat.watching import Watching

        watching = self._watching[panel] = Watching(panel)
        watching.left.connect(lambda: self._was_left(panel))

    def is_over(self, panel: ChatPanel) -> bool:
        """True for a panel in whose place another one is about to be shown."""
        return panel in self._left

    def forget(self, panel: ChatPanel) -> None:
        """The panel goes."""
        self._left.discard(panel)
        if watching := self._watching.pop(panel, None):
            watching.end()

    def take_over(self, panel: ChatPanel, drop: Callable[[ChatPanel], object]) -> None:
        """Those that only read the same session go; what was read there is read here."""
        for old in self._followed_by(panel):
            if panel.reading.presenter is not None and old.reading.presenter is not None:
                from kinet.ui.transcript.handing_over import hand_over

                hand_over(old.transcript, panel.transcript)
            drop(old)

    def _followed_by(self, panel: ChatPanel) -> Iterator[ChatPanel]:
        return iter([old for old in self._left if old.session_id == panel.session_id])

    def _was_left(self, panel: ChatPanel) -> None:
        if panel in self._watching:
            self._left.add(panel)
            self.left.emit(panel)
