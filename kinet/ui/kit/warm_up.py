"""The second half of the start: done at the first sign that the window is used.

Qt's classes are made when they are first named, and two threads that name one at once crash: so
what names them is imported here, by the thread of the window, a little at a time.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.kit.tasks import breathe, in_thread, spawn

if TYPE_CHECKING:
    import asyncio

_SIGNS = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.InputMethod,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.TouchBegin,
        QEvent.Type.TabletPress,
        QEvent.Type.Wheel,
        QEvent.Type.DragEnter,
    }
)


class WarmUp(QObject):
    """Does `act` in a thread, then imports `parts`, once.

    A person needs longer from the first key to the first message.
    """

    done = Signal()

    def __init__(
        self, act: Callable[[], object], parent: QObject, parts: Iterable[str] = ()
    ) -> None:
        super().__init__(parent)
        self.is_done = False
        self._act, self._parts = act, tuple(parts)
        self._working: asyncio.Task[None] | None = None
        self._watched: QCoreApplication | None = None
        self._window: QWidget | None = None

    def watch(self, window: QWidget) -> None:
        """While `window` is shown the first key, click or touch begins it, wherever it comes."""
        self._window = window
        self._watched = QCoreApplication.instance()
        if self._watched is not None and self._working is None:
            self._watched.installEventFilter(self)

    def begin(self) -> None:
        """Begins it, if it has not begun. After a failure it is tried again."""
        if self._watched is not None:
            self._watched.removeEventFilter(self)
        if not self.is_done and (self._working is None or self._working.done()):
            self._working = spawn(self._work(), "warm up")

    async def wait(self) -> None:
        """Returns when it is done, or has failed: whoever waits runs into the same fault then."""
        import asyncio

        self.begin()
        if self._working is not None and not self._working.done():
            await asyncio.wait({self._working})

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Looks, and lets everything pass."""
        if event.type() in _SIGNS and self._window is not None and self._window.isVisible():
            self.begin()
        return False

    async def _work(self) -> None:
        await in_thread(self._act)
        await import_slowly(self._parts)
        self.is_done = True
        self.done.emit()


async def import_slowly(names: Iterable[str]) -> None:
    """Imports modules that name Qt's classes, the lowest first; the window turns in between."""
    for name in names:
        importlib.import_module(name)
        await breathe()
