"""What a person sent while a turn ran: the queue, and the messages that steer the turn."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kinet.core.messages import Message, TextPart
from kinet.session.attached import Attached, attached_from_json, attached_to_json

if TYPE_CHECKING:
    from kinet.store.queued import QueuedKind
    from kinet.store.sessions import SessionStore


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits. `steering` ones reach the model at its next step.

    A `command` is one of the person's own, as it was typed: it is run, not sent. `attachments` are
    kept with it; `is_read` says that what is sent of each is here.
    """

    id: str
    text: str
    steering: bool = False
    command: bool = False
    attachments: tuple[Attached, ...] = ()

    @property
    def is_read(self) -> bool:
        """True if nothing of it is still to be read from a file."""
        return all(item.part is not None for item in self.attachments)


class Waiting:
    """The waiting messages of one session, kept over a restart until their event is stored."""

    def __init__(self, store: SessionStore, session_id: str) -> None:
        from kinet.store.queued import QueueStore

        self._store = QueueStore(store.database)
        self._session_id = session_id
        self._items = [
            # What could not steer its turn any more is sent after the next one.
            QueuedMessage(
                row.id,
                row.text,
                command=row.kind == "command",
                attachments=attached_from_json(row.attached),
            )
            for row in self._store.list(session_id)
        ]
        # Taken out to be sent, and not a message of the conversation yet.
        self._taken: list[QueuedMessage] = []
        # Given to the running turn, and not told by it yet.
        self._given: list[QueuedMessage] = []
        # After a restart nothing is sent before the person says so.
        self.paused = bool(self._items)

    @property
    def items(self) -> list[QueuedMessage]:
        """All of them, the oldest first."""
        return list(self._items)

    def add(
        self,
        text: str,
        attachments: tuple[Attached, ...] = (),
        *,
        steering: bool = False,
        command: bool = False,
    ) -> QueuedMessage:
        """Puts a message or a command at the end."""
        from kinet.store.event_rows import clean
        from kinet.store.queued import queued_id

        # As it will be stored: a conversation is the same before and after a restart.
        item = QueuedMessage(queued_id(), clean(text), steering, command, attachments)
        self._items.append(item)
        self._keep(item)
        return item

    def change(
        self,
        id_: str,
        text: str | None = None,
        attachments: tuple[Attached, ...] | None = None,
        *,
        steering: bool | None = None,
    ) -> bool:
        """Changes a waiting message. False if it is not there any more."""
        from kinet.store.event_rows import clean

        for place, item in enumerate(self._items):
            if item.id == id_:
                changed = replace(
                    item,
                    text=item.text if text is None else clean(text),
                    steering=item.steering if steering is None else steering,
                    attachments=item.attachments if attachments is None else attachments,
                )
                self._items[place] = changed
                self._keep(changed)
                return True
        return False

    def remove(self, id_: str) -> bool:
        """Takes a message out for good. False if it is not there any more."""
        found = [item for item in self._items if item.id == id_]
        self._items = [item for item in self._items if item.id != id_]
        if found:
            self._store.remove(id_)
        return bool(found)

    def take_next(self) -> QueuedMessage | None:
        """Takes the oldest one out to be sent; None if there is none, or the queue is paused.

        It stays on the disk until `send` has stored it as a message.
        """
        if self.paused or not self._items:
            return None
        item = self._items.pop(0)
        self._taken.append(item)
        return item

    def take(self, id_: str) -> QueuedMessage | None:
        """Takes this one out to be sent, though the queue is paused; None if it is not there."""
        item = next((item for item in self._items if item.id == id_), None)
        if item is not None:
            self._items.remove(item)
            self._taken.append(item)
        return item

    def sent_as(self, text: str) -> str:
        """The id of the taken message that says `text`; "" if none does."""
        taken = self._taken_as(text)
        return taken.id if taken is not None else ""

    def attached_to(self, text: str) -> tuple[Attached, ...]:
        """What is attached to the taken message that says `text`."""
        found = next((item for item in self._taken if item.text == text), None)
        return found.attachments if found is not None else ()

    def put_back(self, text: str) -> bool:
        """A taken message was not sent: it is the next one again. False if none says `text`."""
        taken = self._taken_as(text)
        if taken is not None:
            self._items.insert(0, taken)
        return taken is not None

    def take_steering(self) -> tuple[Message, ...]:
        """Takes the steering ones out, as messages for the running turn.

        In their order: behind one whose files are still being read the others wait.
        """
        steering = [item for item in self._items if item.steering]
        ready = list(itertools.takewhile(lambda item: item.is_read, steering))
        self._items = [item for item in self._items if item not in ready]
        self._given += ready
        return tuple(_steers(item) for item in ready)

    def steered(self, id_: str) -> None:
        """The turn has told a message that it was given."""
        self._given = [item for item in self._given if item.id != id_]

    def end_of_turn(self, *, pause: bool) -> None:
        """What came too late to steer waits like the rest; nothing is sent if it is to `pause`.

        So does what the turn was given and never told: nobody listened any more.
        """
        self._items[:0], self._given = self._given, []
        for item in list(self._items):
            if item.steering:
                self.change(item.id, steering=False)
        if pause and self._items:
            self.paused = True

    def _taken_as(self, text: str) -> QueuedMessage | None:
        found = next((item for item in self._taken if item.text == text), None)
        if found is not None:
            self._taken.remove(found)
        return found

    def _keep(self, item: QueuedMessage) -> None:
        from kinet.store.queued import QueuedRow

        kind: QueuedKind = "steer" if item.steering else "command" if item.command else "next"
        attached = attached_to_json(item.attachments)
        self._store.add(self._session_id, QueuedRow(item.id, item.text, kind, attached))


def _steers(item: QueuedMessage) -> Message:
    parts = [attached.part for attached in item.attachments if attached.part is not None]
    content = (TextPart(item.text), *parts) if parts else item.text
    return Message("user", content, kind="steer", id=item.id)
