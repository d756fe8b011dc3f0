"""Between composer and session: what sending means now, the queue's rows, and the draft on disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from kinet.core.own_command import as_message_text, typed_command
from kinet.session.attached import Attached
from kinet.ui.conversation_text import typed_before
from kinet.ui.open_session import OpenSession, Queued
from kinet.ui.writing.attachments import Attachment, pictures_of, with_attachments
from kinet.ui.writing.composer import Composer
from kinet.ui.writing.drafts import NEW, Draft, DraftBook
from kinet.ui.writing.pasted_pictures import come_back

_DRAFT_DELAY = 700  # milliseconds from a key to the file


class ComposerDesk(QObject):
    """Serves one composer. `send_now` comes when a turn should start."""

    # The text, and its pictures.
    send_now = Signal(str, object)
    run_now = Signal(str)  # a command of the person's own, as it was typed
    model_needed = Signal()
    # A message of the paused queue, to be sent now.
    waiting_chosen = Signal(object)

    def __init__(
        self, composer: Composer, drafts: DraftBook, session: Callable[[], OpenSession | None]
    ) -> None:
        super().__init__(composer)
        self.has_model = True
        self.running = False
        # True while a question waits: what is typed then steers the turn, it never answers.
        self.asked = False
        # Does what a text that is a command of the window says; False for a message.
        self.local_command: Callable[[str], bool] = lambda text: False
        # Edits the newest message in its place; False where that cannot be.
        self.edit_last: Callable[[], bool] = lambda: False
        self._composer, self._drafts, self._session = composer, drafts, session
        composer.pictures.folder = drafts.pictures
        self._recalled = 0
        # What was typed before the walk through earlier messages began.
        self._set_aside = Draft()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DRAFT_DELAY)
        self._timer.timeout.connect(self.save_draft)
        composer.submitted.connect(self.submit)
        # Not anew with each letter: who types without a pause has a draft on the disk too.
        composer.changed.connect(lambda: self._timer.isActive() or self._timer.start())
        composer.edit.recall_requested.connect(self._recall)
        composer.queue.steer_requested.connect(self._steer)
        composer.queue.edit_requested.connect(self._edit)
        composer.queue.remove_requested.connect(self._remove)
        self._kept_as = self._key
        draft = drafts.get(self._key)
        if not draft.is_empty:
            composer.set_content(draft.text, draft.attachments, draft.caret)

    def submit(self) -> None:
        """Sends what the composer holds; queues it while a turn runs; keeps it without a model."""
        if typed_command(self._composer.text()) is not None:
            self._run_command(self._composer.text().rstrip())
            return
        attached = self._composer.attachments()
        pictures = pictures_of(attached)
        text = with_attachments(self._composer.text(), attached)
        if not text.strip():
            # A picture alone is named, so that the conversation has a title.
            text = ", ".join(item.name for item in attached if item.is_picture)
        if not text.strip() or (not pictures and self.local_command(text)):
            return
        if not self.has_model:
            self.save_draft()
            self.model_needed.emit()
            return
        session = self._session()
        if self.running and session is not None:
            if self.asked:
                session.steer(text, pictures)
            else:
                session.enqueue(text, pictures)
            self.clear()
            self.show_queue()
            return
        self.send_now.emit(text, pictures)

    def _run_command(self, typed: str) -> None:
        """A command needs no model; while a turn runs, it waits: it never steers."""
        if self._composer.attachments():
            self._composer.problem.emit(
                "A command takes nothing that is attached: take it off, or send it as text."
            )
            return
        session = self._session()
        if not self.running or session is None:
            self.run_now.emit(typed)
            return
        session.enqueue(typed, command=True)
        self.clear()
        self.show_queue()

    def clear(self) -> None:
        """Empties the composer: its text is on its way."""
        self._recalled = 0
        self._composer.set_content("")
        # On the disk it stays for a moment: the message is not stored yet.
        self._put_draft()
        self._timer.start()

    def give_back(self, text: str, pictures: Sequence[Any] = ()) -> None:
        """Puts what could not be sent back into the composer, before what is in it."""
        joined = _joined(text, self._composer.text())
        self._composer.set_content(
            joined, (*self._come_back(pictures), *self._composer.attachments())
        )

    def _come_back(self, pictures: Sequence[Any]) -> tuple[Attachment, ...]:
        """Pictures as they were attached; what was part of a message all along is none of them."""
        folder = self._composer.pictures.folder
        given = (come_back(item, folder) for item in pictures if isinstance(item, Attached))
        return tuple(item for item in given if item is not None)

    def show_queue(self) -> None:
        """Shows the messages that wait."""
        session = self._session()
        steering = session.steering if session is not None else ()
        waiting = session.queue if session is not None else ()
        self._composer.queue.set_queue(waiting, steering, running=self.running)
        self._composer.update()

    def save_draft(self) -> None:
        """Keeps what is in the composer now, on disk."""
        self._put_draft()
        self._drafts.save()

    def _put_draft(self) -> None:
        caret = self._composer.edit.textCursor().position()
        draft = Draft(self._composer.text(), caret, self._composer.attachments())
        if self._kept_as != self._key:
            self._drafts.put(self._kept_as, Draft())
            self._kept_as = self._key
        self._drafts.put(self._key, draft)

    @property
    def _key(self) -> str:
        """A session that holds nothing yet is not there after a restart; its text is."""
        session = self._session()
        return NEW if session is None or session.is_new else session.id

    def _steer(self, message_id: str) -> None:
        session = self._session()
        if session is None:
            return
        if not self.running:
            self._send_waiting(session, message_id)
        elif (item := self._take(session, message_id)) is not None:
            session.steer(item.text, item.attachments)
            self.show_queue()

    def _send_waiting(self, session: OpenSession, message_id: str) -> None:
        """Sends one message of the paused queue, the rest follows it."""
        found = next((item for item in session.queue if item.id == message_id), None)
        if found is not None and not (found.command or self.has_model):
            self.model_needed.emit()
        elif (item := session.take_queued(message_id)) is not None:
            self.waiting_chosen.emit(item)
            self.show_queue()

    def _edit(self, message_id: str) -> None:
        session = self._session()
        if session is not None and (item := self._take(session, message_id)) is not None:
            self.give_back(
                item.text if item.command else as_message_text(item.text), item.attachments
            )
            self._composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _remove(self, message_id: str) -> None:
        session = self._session()
        if session is not None:
            self._take(session, message_id)

    def _take(self, session: OpenSession, message_id: str) -> Queued | None:
        waiting = (*session.steering, *session.queue)
        found = next((item for item in waiting if item.id == message_id), None)
        session.remove_queued(message_id)
        self.show_queue()
        return found

    def _recall(self, step: int) -> None:
        """Walks through own earlier messages. Past the newest: the draft. 0 edits the last one."""
        session = self._session()
        asked = typed_before(session.conversation.messages) if session is not None else []
        # A command has no bubble to be edited in: it comes into the composer, to be run again.
        ran_last = bool(asked) and typed_command(asked[-1]) is not None
        if step == 0 and not ran_last and self.edit_last():
            return
        place = 1 if step == 0 else self._recalled - step
        if place < 0 or place > len(asked):
            return
        if not self._recalled:
            caret = self._composer.edit.textCursor().position()
            self._set_aside = Draft(self._composer.text(), caret, self._composer.attachments())
        self._recalled = place
        if place:
            self._composer.set_content(asked[-place])
        else:
            aside = self._set_aside
            self._composer.set_content(aside.text, aside.attachments, aside.caret)


def _joined(text: str, present: str) -> str:
    """Both texts, `text` first; a command comes last, for what follows one would be run with it."""
    parts = (present, text) if typed_command(text) is not None else (text, present)
    return "\n\n".join(part for part in parts if part.strip())
