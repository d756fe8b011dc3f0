"""Opens the comparison of two answers in the place of the conversation, and closes it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from kinet.core.errors import KinetError
from kinet.ui.chat.chat_body import ChatBody
from kinet.ui.chat.reading import Reading
from kinet.ui.kit.tasks import spawn
from kinet.ui.look.theme import Theme
from kinet.ui.program import OpenSession
from kinet.ui.steps import StepBook

if TYPE_CHECKING:
    from kinet.ui.compare.compare_page import ComparePage

_RUNNING = "An answer is coming. Compare when it has ended, or stop it first."
_ONE = "There is one answer only. Ask again, or edit the question, to have another beside it."


class CompareDesk(QObject):
    """Serves one panel. `moved` comes when the session stands at another place."""

    moved = Signal()
    problem = Signal(str)
    left = Signal()  # nothing else wants the keyboard
    closed = Signal()

    def __init__(
        self,
        session: Callable[[], OpenSession | None],
        running: Callable[[], bool],
        reading: Reading,
        body: ChatBody,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._running = session, running
        self._reading, self._body = reading, body
        self.page: ComparePage | None = None
        # The message whose answers are shown, and the place of the one in the conversation.
        self._message = ""
        self._current = 0
        self._focus: QWidget | None = None

    def open(self, message_id: str) -> None:
        """Lays the answers of a message side by side; what stands against it is said."""
        if self._running():
            self.problem.emit(_RUNNING)
            return
        spawn(self._open(message_id), "compare answers")

    def open_newest(self, places: Mapping[str, tuple[int, int]]) -> None:
        """The same for the newest message that has several; `places` are those of all, in order."""
        several = [message_id for message_id, (_, count) in places.items() if count > 1]
        if several:
            self.open(several[-1])
        else:
            self.problem.emit(_RUNNING if self._running() else _ONE)

    def close(self) -> None:
        """Shows the conversation again; the keyboard goes back to where it was."""
        page, self.page = self.page, None
        if page is None:
            return
        focused = QApplication.focusWidget()
        had = focused is None or page.isAncestorOf(focused)
        self._body.show_compared(None)
        page.let_go()
        focus, self._focus = self._focus, None
        if had and focus is not None and focus.isVisible():
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
        elif had:
            self.left.emit()
        self.closed.emit()

    def steps_of(self, call_id: str) -> StepBook | None:
        """The steps of an answer on the page; None for those of the conversation."""
        return self.page.steps_of(call_id) if self.page is not None else None

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self.page is not None:
            self.page.set_theme(theme)

    async def _open(self, message_id: str) -> None:
        session = self._session()
        if session is None:
            return
        try:
            found = await session.alternatives(message_id)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        if self._running():
            self.problem.emit(_RUNNING)
            return
        if len(found) < 2:
            self.problem.emit(_ONE)
            return
        # Imported here: the first frame of the window does without it.
        from kinet.ui.compare.compare_page import ComparePage

        self.close()
        self._message = message_id
        self._current = next((item.number for item in found if item.is_current), 1)
        self._focus = QApplication.focusWidget()
        page = self.page = ComparePage(found, self._body)
        page.closed.connect(self.close)
        page.taken.connect(lambda number: spawn(self._take(number), "use an answer"))
        page.step_chosen.connect(self._reading.step_chosen)
        page.link_chosen.connect(self._reading.link_chosen)
        page.message_chosen.connect(self._reading.message_chosen)
        page.found.connect(self._reading.found)
        self._body.show_compared(page)
        page.begin()

    async def _take(self, number: int) -> None:
        """The conversation goes on with this answer."""
        session = self._session()
        if session is None:
            return
        if self._running():
            self.problem.emit(_RUNNING)
            return
        try:
            await session.switch_branch(self._message, number - self._current)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.close()
        self.moved.emit()
