"""Edits an earlier message, asks again, and goes from branch to branch of one session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from kinet.core.errors import KinetError
from kinet.core.messages import Message
from kinet.ui.chat.reading import Reading
from kinet.ui.chat.turn_runner import TurnRunner
from kinet.ui.kit.tasks import spawn
from kinet.ui.look.theme import Theme
from kinet.ui.program import OpenSession
from kinet.ui.writing.bubble_editor import BubbleEditor

if TYPE_CHECKING:
    from kinet.ui.transcript.presenter import Presenter

# What is sent for a click on the card of an interrupted turn.
_GO_ON = "Go on from where you were interrupted. First look what the interrupted calls have done."
_AGAIN = (
    "Do the step again in which you were interrupted. If a call may have done its work already,"
    " look before you repeat it."
)


class BranchDesk(QObject):
    """Serves one panel. `moved` comes when the session stands at another place."""

    moved = Signal()
    problem = Signal(str)
    # A text that could not be sent, and has no place of its own any more.
    given_back = Signal(str)
    # The editor was closed by the person; the next words go into the composer.
    left = Signal()

    def __init__(
        self,
        session: Callable[[], OpenSession | None],
        runner: TurnRunner,
        reading: Reading,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._reading = session, runner, reading
        self.editing = ""
        self.editor: BubbleEditor | None = None
        reading.made.connect(self._watch_place)

    def act(self, action: str, message_id: str) -> None:
        """Does what a click under a turn asks for."""
        match action:
            case "edit-message":
                self.edit(message_id)
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

    def edit_last(self) -> bool:
        """Edits the newest message; False if there is none, or a turn runs."""
        session = self._session()
        asked = [item for item in session.conversation.messages if _begins(item)] if session else []
        if not asked or self._runner.running:
            return False
        self.edit(asked[-1].id)
        return True

    def edit(self, message_id: str) -> None:
        """Edits the message in its place; sending it then begins a branch."""
        message = self._message(message_id)
        if message is None:
            return
        if self._runner.running:
            self.problem.emit("A message can be edited when this turn has ended, or was stopped.")
            return
        if self.editor is not None and self.editing == message_id:
            self.editor.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.leave_edit()
        editor = BubbleEditor(message.text, len(message.images))
        if not self._reading.transcript.put_in_place(message_id, editor):
            editor.deleteLater()
            return
        self.editing, self.editor = message_id, editor
        editor.left.connect(self.leave_edit)
        editor.saved.connect(self._save)
        editor.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave_edit(self) -> None:
        """Leaves the message as it is."""
        if self.editor is not None:
            self._reading.transcript.in_place.take_back()
            self._end_edit()
            self.left.emit()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self.editor is not None:
            self.editor.set_theme(theme)

    def retry(self) -> None:
        """Asks the last question again; the old answer stays as a branch."""
        session = self._session()
        if session is None or self._runner.running:
            return
        asked = [item for item in session.conversation.messages if _begins(item)]
        if asked:
            # The model is not to hear of its first answer.
            spawn(self._send_instead(asked[-1], asked[-1].text, summary=False), "ask again")

    async def show(self, presenter: Presenter | None) -> None:
        """Brings the switches under the turns up to date."""
        session = self._session()
        if session is None or presenter is None or self._runner.running:
            return
        try:
            points = await session.branch_points()
        except KinetError:
            # A turn began meanwhile, or the disk refuses: its end, or the next act, tells.
            return
        places = {item.message_id: (item.number, item.count) for item in points}
        presenter.show_branches(places)

    def _watch_place(self) -> None:
        self._reading.transcript.in_place.dropped.connect(self._place_gone)

    def _place_gone(self) -> None:
        """Other entries are shown: what was written meanwhile goes to the composer."""
        if self.editor is not None:
            if text := self.editor.changed_text:
                self.given_back.emit(text)
            self._end_edit()

    def _end_edit(self) -> None:
        editor, self.editor, self.editing = self.editor, None, ""
        if editor is not None:
            editor.deleteLater()

    def _save(self, text: str) -> None:
        message = self._message(self.editing)
        if self._runner.running:
            self.problem.emit("A turn runs now; save again when it has ended, or was stopped.")
        elif message is not None:
            spawn(self._send_instead(message, text, summary=True), "edited message")

    async def _send_instead(self, asked: Message, text: str, *, summary: bool) -> None:
        """Sends `text`, with the pictures of the message it takes the place of."""
        session = self._session()
        if session is None or self._runner.running:
            return
        insist = self._runner.end_kind == "circuit"
        try:
            if asked.id:
                await session.go_back(asked.id, summary=summary)
        except KinetError as exc:
            # An open editor still has the text.
            self.problem.emit(exc.sentence())
            return
        if self.editor is not None:
            if self.editor.changed_text not in ("", text):
                self.given_back.emit(self.editor.changed_text)
            self._reading.transcript.in_place.take_back()
            self._end_edit()
        self.moved.emit()
        self._runner.start(session, text, asked.images, insist=insist)

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

    def _message(self, message_id: str) -> Message | None:
        session = self._session()
        messages = session.conversation.messages if session is not None else []
        return next((item for item in messages if item.id == message_id), None)


def _begins(message: Message) -> bool:
    return message.role == "user" and message.kind == ""
