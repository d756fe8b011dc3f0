"""What is said to a session while its turn runs: the queue, and messages that steer the turn."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.errors import SettingsError, StoreError
from kinet.session.choices import ChosenSession
from kinet.session.user_message import Attachment
from kinet.session.waiting import QueuedMessage


class QueueingSession(ChosenSession):
    """The part of a session that keeps what is said while a turn runs."""

    # Nothing is sent any more.
    _closed = False

    @property
    def is_running(self) -> bool:
        """True from the sending of a message to the end of its turn."""
        raise NotImplementedError

    @property
    def queue(self) -> list[QueuedMessage]:
        """What is sent after the turn, the oldest first."""
        return [item for item in self._state.waiting.items if not item.steering]

    @property
    def steering(self) -> list[QueuedMessage]:
        """What the running turn was given and has not taken up yet."""
        return [item for item in self._state.waiting.items if item.steering]

    def enqueue(self, text: str, *, command: bool = False) -> QueuedMessage:
        """Adds a message to the queue, or a command of the person's own as it was typed."""
        return self._state.waiting.add(text, command=command)

    def steer(self, text: str) -> QueuedMessage:
        """Gives a message to the running turn; the model gets it at its next step.

        Without a turn, or if it ends before, the message waits in the queue.
        """
        return self._state.waiting.add(text, steering=self.is_running)

    def edit_queued(self, message_id: str, text: str) -> bool:
        """Changes a waiting message. False if it is not there any more."""
        return self._state.waiting.change(message_id, text)

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
        """Into the queue, which keeps text alone; SettingsError for what it cannot keep."""
        if attachments:
            raise SettingsError(
                "A turn is running; what is attached cannot wait in the queue.",
                hint="Send it when the turn has ended, or stop that first. Nothing was sent.",
            )
        if not self._state.waiting.put_back(text):
            self.enqueue(text)
