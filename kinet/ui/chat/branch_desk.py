"""Asks again, sends an edited message anew, and goes from branch to branch of one session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu

from kinet.core.errors import KinetError
from kinet.core.messages import Message
from kinet.ui.chat.again_menu import open_again_menu
from kinet.ui.chat.edit_desk import EditDesk
from kinet.ui.chat.reading import Reading
from kinet.ui.chat.turn_runner import TurnRunner
from kinet.ui.kit.tasks import spawn
from kinet.ui.open_session import OpenSession
from kinet.ui.writing.bubble_editor import BubbleEditor

# What is sent for a click on the card of an interrupted turn.
_GO_ON = "Go on from where you were interrupted. First look what the interrupted calls have done."
_AGAIN = (
    "Do the step again in which you were interrupted. If a call may have done its work already,"
    " look before you repeat it."
)
_RUNNING = "A turn runs now; ask again when it has ended, or was stopped."


class BranchDesk(QObject):
    """Serves one panel. `moved` comes when the session stands at another place."""

    moved = Signal()
    problem = Signal(str)
    compare_wanted = Signal(str)  # the message

    def __init__(
        self,
        session: Callable[[], OpenSession | None],
        runner: TurnRunner,
        reading: Reading,
        edits: EditDesk,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._reading = session, runner, reading
        self.edits = edits
        # (number, count) of each turn among those that begin at its place, by message, in order.
        self.places: Mapping[str, tuple[int, int]] = {}
        # The names of all models, and of the one in use.
        self.models: Callable[[], tuple[Sequence[str], str]] = lambda: ((), "")
        self.menu: QMenu | None = None
        edits.submitted.connect(
            lambda asked, text, pictures: spawn(
                self._send_instead(asked, text, pictures, summary=True), "edited message"
            )
        )

    @property
    def editor(self) -> BubbleEditor | None:
        """The editor of a message, where one is open."""
        return self.edits.editor

    def act(self, action: str, message_id: str) -> None:
        """Does what a click under a turn asks for."""
        match action:
            case "edit-message":
                self.edits.edit(message_id)
            case "continue":
                self._say(_GO_ON)
            case "retry-step":
                self._say(_AGAIN)
            case "leave":
                self._leave()
            case "branch-previous":
                spawn(self._switch(message_id, -1), "branch")
            case "branch-next":
                spawn(self._switch(message_id, 1), "branch")
            case "compare":
                self.compare_wanted.emit(message_id)
            case "ask-again":
                self.retry(message_id)
            case "retry-with":
                self.retry_with(message_id)

    def edit_last(self) -> bool:
        """Edits the newest message; False if there is none, or a turn runs."""
        asked = self._asked()
        if asked is None or self._runner.running:
            return False
        self.edits.edit(asked.id)
        return True

    def leave_edit(self) -> None:
        """Leaves the edited message as it is; asks first if something would be lost."""
        self.edits.leave()

    def set_theme(self, theme: Any) -> None:
        """Takes on another look."""
        self.edits.set_theme(theme)

    def retry(self, message_id: str = "") -> None:
        """Asks a question again, "" for the last one; the old answer stays as a branch."""
        asked = self._asked(message_id)
        if asked is None:
            return
        if self._runner.running:
            self.problem.emit(_RUNNING)
            return
        # The model is not to hear of its first answer.
        spawn(self._send_instead(asked, asked.text, asked.images, summary=False), "ask again")

    def retry_with(self, message_id: str = "") -> None:
        """The same, by another model or with another effort, chosen from a menu."""
        asked = self._asked(message_id)
        if asked is None:
            return
        if self._runner.running:
            self.problem.emit(_RUNNING)
            return
        models, current = self.models()
        if not models:
            self.problem.emit("No model is chosen yet. Choose one in the settings, then ask again.")
            return

        def chosen(model: str, effort: str) -> None:
            choice = ("" if model == current else model, effort)
            spawn(
                self._send_instead(asked, asked.text, asked.images, summary=False, choice=choice),
                "ask again with",
            )

        self.menu = open_again_menu(
            self._reading.transcript, self._menu_place(), models, current, chosen
        )
        self.menu.destroyed.connect(self._forget_menu)

    def refresh(self) -> None:
        """Brings the switches under the turns up to date."""
        spawn(self._refresh(), "branches")

    async def _refresh(self) -> None:
        session, presenter = self._session(), self._reading.presenter
        if session is None or presenter is None or self._runner.running:
            return
        try:
            points = await session.branch_points()
        except KinetError:
            # A turn began meanwhile, or the disk refuses: its end, or the next act, tells.
            return
        self.places = {item.message_id: (item.number, item.count) for item in points}
        presenter.show_branches(self.places)

    def _forget_menu(self) -> None:
        self.menu = None

    def _menu_place(self) -> QPoint:
        """At the mouse, where that is over the conversation; else above its end."""
        view = self._reading.transcript.viewport()
        place = QCursor.pos()
        if view.rect().contains(view.mapFromGlobal(place)):
            return place
        return view.mapToGlobal(QPoint(view.width() // 2, view.height() // 2))

    async def _send_instead(
        self,
        asked: Message,
        text: str,
        pictures: Sequence[Any],
        *,
        summary: bool,
        choice: tuple[str, str] | None = None,
    ) -> None:
        """Sends `text` in the place of a message; `choice` is (model, "" for that in use; effort).

        An open editor keeps its text until the session stands where the new branch begins.
        """
        session = self._session()
        if session is None or self._runner.running:
            return
        insist = self._runner.end_kind == "circuit"
        # The summary of what is left may take a while: what is typed now comes after this.
        self._runner.hold(session)
        try:
            if asked.id:
                await session.go_back(asked.id, summary=summary)
        except BaseException as exc:
            self._runner.release()
            if not isinstance(exc, KinetError):
                raise
            self.problem.emit(exc.sentence())
            return
        chosen = self._choose(session, choice)
        self.edits.sent(asked.id, text)
        self.moved.emit()
        if chosen:
            self._runner.start(session, text, pictures, insist=insist)
        else:
            self._runner.release()
            # The conversation has gone back already: the question is within reach.
            self.edits.given_back.emit(text)

    def _choose(self, session: OpenSession, choice: tuple[str, str] | None) -> bool:
        """Uses the model and the effort from here on; False, and words, where that cannot be."""
        try:
            if choice is not None and choice[0]:
                session.use_profile(choice[0])
            if choice is not None:
                session.set_effort(choice[1])
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return False
        return True

    def _say(self, text: str) -> None:
        session = self._session()
        if session is not None and not self._runner.running:
            self._runner.start(session, text)

    def _leave(self) -> None:
        session = self._session()
        if session is None or self._runner.running:
            return
        try:
            session.leave_interrupted()
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.moved.emit()

    async def _switch(self, message_id: str, step: int) -> None:
        session = self._session()
        if session is None:
            return
        try:
            await session.switch_branch(message_id, step)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.moved.emit()

    def _asked(self, message_id: str = "") -> Message | None:
        """The message of the person with this id, "" for the newest one that began a turn."""
        session = self._session()
        messages = session.conversation.messages if session is not None else []
        for item in reversed(messages):
            if _begins(item) and message_id in ("", item.id):
                return item
        return None


def _begins(message: Message) -> bool:
    return message.role == "user" and message.kind == ""
