"""What waits for the person: equal questions answered together, unseen ones and ends announced."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QSystemTrayIcon

from kinet.core.approval import ApprovalRequest, Decision
from kinet.ui.asking.equal_questions import DEAD_SECONDS, same_question, shared
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.desks.commands_served import bring_forward
from kinet.ui.kit.figures import duration
from kinet.ui.look.theme import window_icon

if TYPE_CHECKING:
    from kinet.ui.asking.approval_card import ApprovalCard

# One notice per session in this time: a turn may ask many things one after the other.
_QUIET_SECONDS = 30.0
# A turn that took longer than this is one nobody sat in front of.
_LONG_SECONDS = 30.0


class Inbox(QObject):
    """Watches cards and turns of all panels. `session_wanted` comes when a notice was clicked."""

    session_wanted = Signal(str)

    def __init__(
        self,
        window: QMainWindow,
        panels: Callable[[], tuple[ChatPanel, ...]],
        current: Callable[[], ChatPanel],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(window)
        self._window, self._panels, self._current, self._clock = window, panels, current, clock
        self._told: dict[str, float] = {}
        self._known: set[str] = set()
        self._began: dict[int, float] = {}
        # How many questions in words are open, by panel.
        self._asking: dict[int, int] = {}
        self._tray: QSystemTrayIcon | None = None
        self._announced = ""
        window.installEventFilter(self)

    def watch(self, panel: ChatPanel) -> None:
        """Takes in a new panel's questions."""
        panel.approvals.changed.connect(lambda _count: self._changed(panel))
        panel.approvals.answered.connect(self._answered)
        panel.questions.changed.connect(lambda count: self._asked(panel, count))
        panel.runner.running_changed.connect(lambda running: self._turn(panel, running))

    def waiting(self) -> int:
        """How many questions are open in all sessions."""
        return sum(
            len(panel.approvals.cards()) + len(panel.questions.cards()) for panel in self._panels()
        )

    def announce(self, title: str, body: str) -> None:
        """Draws attention from outside the window: the taskbar, and a notice where there is one."""
        QApplication.alert(self._window)
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(window_icon(), self)
            self._tray.messageClicked.connect(self._clicked)
        # A notice needs its icon shown; it goes again when the person is back.
        self._tray.show()
        self._tray.showMessage(title, body)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The person is back: nothing outside the window is needed any more."""
        if event.type() == QEvent.Type.WindowActivate:
            self._hide_icon()
        return False

    def _changed(self, panel: ChatPanel) -> None:
        cards = list(self._cards())
        for card in cards:
            others = (other for other in cards if other is not card)
            card.set_shared(sum(same_question(card.request, other.request) for other in others))
        new = {card.request.id for card in panel.approvals.cards()} - self._known
        self._known = {card.request.id for card in cards}
        if new:
            self._tell(panel, "A request needs your answer")
        if not self.waiting():
            self._hide_icon()

    def _asked(self, panel: ChatPanel, count: int) -> None:
        """The model asks in words; or it was answered."""
        if count > self._asking.get(id(panel), 0):
            self._tell(panel, "A question needs your answer")
        self._asking[id(panel)] = count
        if not self.waiting():
            self._hide_icon()

    def _turn(self, panel: ChatPanel, running: bool) -> None:
        """Notes when a turn begins, and tells of its end if it failed or took long."""
        if running:
            self._began[id(panel)] = self._clock()
            return
        seconds = self._clock() - self._began.pop(id(panel), self._clock())
        if panel.runner.end == "failed":
            self._tell(panel, "It could not go on")
        elif panel.runner.end == "" and seconds > _LONG_SECONDS:
            self._tell(panel, f"Done in {duration(seconds)}")

    def _hide_icon(self) -> None:
        if self._tray is not None:
            self._tray.hide()

    def _tell(self, panel: ChatPanel, words: str) -> None:
        """Tells of a session, unless the person looks at it. Never a command or a path."""
        if self._window.isActiveWindow() and panel is self._current():
            return
        now, session = self._clock(), panel.session_id
        if now - self._told.get(session, -_QUIET_SECONDS) < _QUIET_SECONDS:
            return
        self._told[session] = now
        self._announced = session
        self.announce(panel.title, words)

    def _answered(self, request: ApprovalRequest, decision: Decision) -> None:
        """Gives the same answer to equal questions that could be seen to be asked too."""
        for card in list(self._cards()):
            if card.is_open and card.age >= DEAD_SECONDS and same_question(card.request, request):
                card.answer(shared(decision))

    def _cards(self) -> Iterator[ApprovalCard]:
        for panel in self._panels():
            yield from panel.approvals.cards()

    def _clicked(self) -> None:
        bring_forward(self._window)
        self._hide_icon()
        if self._announced:
            self.session_wanted.emit(self._announced)
