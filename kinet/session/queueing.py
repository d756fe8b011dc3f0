"""What is said to a session while its turn runs: the queue, and messages that steer the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinet.core.errors import SettingsError, StoreError
from kinet.session.attached import Attachment, attached_of, read_attached
from kinet.session.choices import ChosenSession
from kinet.session.waiting import QueuedMessage

if TYPE_CHECKING:
    from kinet.session.state import SessionState


class QueueingSession(ChosenSession):
    """The part of a session that keeps what is said while a turn runs."""

    # Nothing is sent any more.
    _closed = False

    def __init__(self, state: SessionState) -> None:
        super().__init__(state)
        # What reads the files of messages that wait.
        self._reading: set[asyncio.Task[None]] = set()

    @property
    def is_running(self) -> bool:
        """True from the sending of a message to the end of its turn."""
        raise NotImplementedError

    @property
    def unsaved(self) -> str:
        """Why its newest part is not on the disk, and what to do; "" where nothing failed."""
        error = self._state.recorder.error
        return error.sentence() if error is not None else ""

    @property
    def queue(self) -> list[QueuedMessage]:
        """What is sent after the turn, the oldest first."""
        return [item for item in self._state.waiting.items if not item.steering]

    @property
    def steering(self) -> list[QueuedMessage]:
        """What the running turn was given and has not taken up yet."""
        return [item for item in self._state.waiting.items if item.steering]

    def enqueue(
        self, text: str, attachments: Sequence[Attachment] = (), *, command: bool = False
    ) -> QueuedMessage:
        """Adds a message to the queue, or a command of the person's own as it was typed.

        Files are read beside the loop, as soon as that can be; one that cannot be read is refused
        when the message is sent.
        """
        attached = tuple(map(attached_of, attachments))
        return self._read_soon(self._state.waiting.add(text, attached, command=command))

    def steer(self, text: str, attachments: Sequence[Attachment] = ()) -> QueuedMessage:
        """Gives a message to the running turn; the model gets it at its next step.

        Without a turn, or if it ends before, the message waits in the queue.
        """
        attached = tuple(map(attached_of, attachments))
        return self._read_soon(self._state.waiting.add(text, attached, steering=self.is_running))

    def edit_queued(
        self, message_id: str, text: str, attachments: Sequence[Attachment] | None = None
    ) -> bool:
        """Changes a waiting message; what is attached stays unless other things are given.

        False if it is not there any more.
        """
        attached = None if attachments is None else tuple(map(attached_of, attachments))
        changed = self._state.waiting.change(message_id, text, attached)
        for item in self._state.waiting.items:
            if item.id == message_id:
                self._read_soon(item)
        return changed

    def remove_queued(self, message_id: str) -> bool:
        """Takes a waiting message out. False if it is not there any more."""
        return self._state.waiting.remove(message_id)

    def take_next(self) -> QueuedMessage | None:
        """Takes the next message out of the queue, to be sent.

        None if there is none, while a turn runs, when the session was closed, or while the queue is
        paused: after a stop, a failure, a spent budget or a restart, until the person sends
        something.
        """
        return None if self.is_running or self._closed else self._state.waiting.take_next()

    def take_queued(self, message_id: str) -> QueuedMessage | None:
        """Takes this message out of the queue, paused or not, to be sent; the rest follows it.

        None if it is not there any more, while a turn runs, or when the session was closed.
        """
        if self.is_running or self._closed:
            return None
        return self._state.waiting.take(message_id)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("This session was closed.", hint="Open it again, then send.")

    def _put_aside(self, text: str, attachments: Sequence[Attachment]) -> None:
        """Into the queue; what was taken out of it is the next one in it again."""
        if not self._state.waiting.put_back(text):
            self.enqueue(text, attachments)

    def _read_soon(self, item: QueuedMessage) -> QueuedMessage:
        """Reads the files of a message that waits, in a thread."""
        if not item.is_read:
            reading = asyncio.get_running_loop().create_task(self._read(item))
            self._reading.add(reading)
            reading.add_done_callback(self._reading.discard)
        return item

    async def _read(self, item: QueuedMessage) -> None:
        waiting = self._state.waiting
        try:
            read = [await asyncio.to_thread(read_attached, one) for one in item.attachments]
        except SettingsError:
            # Told when it is sent: until then the file may be there again. What comes behind it
            # is not to wait for that.
            waiting.change(item.id, steering=False)
            return
        if any(one.id == item.id and one.attachments == item.attachments for one in waiting.items):
            waiting.change(item.id, attachments=tuple(read))
