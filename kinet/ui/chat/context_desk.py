"""Opens the map of the context from the gauge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kinet.core.errors import KinetError
from kinet.ui.chat.status_row import ContextGauge
from kinet.ui.kit.tasks import spawn
from kinet.ui.program import OpenSession

if TYPE_CHECKING:
    from kinet.ui.chat.context_view import ContextView


class ContextDesk(QObject):
    """Serves one gauge. `problem` comes with a sentence where the map cannot be made."""

    problem = Signal(str)

    def __init__(
        self, gauge: ContextGauge, session: Callable[[], OpenSession | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self.view: ContextView | None = None
        self._gauge, self._session = gauge, session
        gauge.clicked.connect(lambda: spawn(self.open(), "context map"))

    async def open(self) -> None:
        """Measures and shows."""
        session = self._session()
        if session is None:
            return
        try:
            found = await session.context_map()
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        # Imported here: the first frame of the window does without it.
        from kinet.ui.chat.context_view import ContextView

        view = ContextView(found, session.conversation.compactions, self._gauge)
        self.view = view
        view.destroyed.connect(self._forget)
        view.open_above(self._gauge)

    def _forget(self) -> None:
        self.view = None
