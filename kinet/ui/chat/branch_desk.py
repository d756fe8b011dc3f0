"""Edits an earlier message, asks again, and goes from branch to branch of one session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kinet.core.errors import KinetError
from kinet.core.messages import Message
from kinet.ui.chat.turn_runner import TurnRunner
from kinet.ui.kit.tasks import spawn
from kinet.ui.program import OpenSession
from kinet.ui.writing.composer import Composer
from kinet.ui.writing.edit_strip import EditStrip

if TYPE_CHECKING:
    from kinet.ui.transcript.presenter import Presenter


class BranchDesk(QObject):
    """Serves one panel. `moved` comes when the session stands at another place."""

    moved = Signal()
    problem = Signal(str)

    def __init__(
        self,
        session: Callable[[], OpenSession | None],
        runner: TurnRunner,
        composer: Composer,
        strip: EditStrip,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self._composer, self._strip = composer, strip
        self.editing = ""
        strip.left.connect(self.leave_edit)

    def act(self, action: str, message_id: str) -> None:
        """Does what a click under a turn asks for."""
        match action:
            case "edit-message":
                self.edit(message_id)
            case "branch-previous":
                spawn(self._switch(message_id, -1), "branch")
            case "branch-next":
                spawn(self._switch(message_id, 1), "branch")

    def edit(self, message_id: str) -> None:
        """Takes the message into the composer; sending it then begins a branch."""
        message = self._message(message_id)
        if message is None or self._runner.running:
            return
        self.editing = message_id
        self._composer.set_content(message.text)
        self._strip.show()
        self._composer.edit.setFocus()

    def leave_edit(self) -> None:
        """Leaves the message as it is."""
        if self.editing:
            self.editing = ""
            self._strip.hide()
            self._composer.set_content("")

    def send_edited(self, text: str) -> bool:
        """Sends `text` in place of the message that is edited; False if none is."""
        message_id, self.editing = self.editing, ""
        self._strip.hide()
        if not message_id:
            return False
        spawn(self._send_instead(message_id, text), "edited message")
        return True

    def retry(self) -> None:
        """Asks the last question again; the old answer stays as a branch."""
        session = self._session()
        if session is None or self._runner.running:
            return
        asked = [item for item in session.conversation.messages if _begins(item)]
        if asked:
            spawn(self._send_instead(asked[-1].id, asked[-1].text, asked[-1]), "ask again")

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

    async def _send_instead(self, message_id: str, text: str, asked: Message | None = None) -> None:
        session = self._session()
        if session is None or self._runner.running:
            return
        insist = self._runner.end_kind == "circuit"
        try:
            if message_id:
                # Asked again, the model is not to hear of its first answer.
                await session.go_back(message_id, summary=asked is None)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            self._composer.set_content(text)
            return
        self.moved.emit()
        pictures = asked.images if asked is not None else ()
        self._runner.start(session, text, pictures, insist=insist)

    async def _switch(self, message_id: str, step: int) -> None:
        session = self._session()
        if session is None:
            return
        try:
            await session.switch_branch(message_id, step)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.leave_edit()
        self.moved.emit()

    def _message(self, message_id: str) -> Message | None:
        session = self._session()
        messages = session.conversation.messages if session is not None else []
        return next((item for item in messages if item.id == message_id), None)


def _begins(message: Message) -> bool:
    return message.role == "user" and message.kind == ""
