"""Runs the turns of one session: one coroutine iterates `Session.send` and tells each event."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

from PySide6.QtCore import QObject, Signal

from kinet.core.approval import Approver
from kinet.core.errors import KinetError, SettingsError
from kinet.core.events import (
    ContextCompacted,
    Event,
    MessageCompleted,
    TurnFinished,
)
from kinet.core.own_command import as_message_text, typed_command
from kinet.ui.chat.turn_status import TurnStatus
from kinet.ui.kit.tasks import breathe, spawn
from kinet.ui.open_session import Queued
from kinet.ui.program import OpenSession
from kinet.ui.steps import StepBook, is_own_command

# Seconds of events in a row before painting and input get their turn.
_EVENT_SECONDS = 0.008
_BACK = "It is in the composer again."
_END_WORDS = {"failed": "failed", "stopped": "stopped"}


class TurnRunner(QObject):
    """The turn that runs and what is known of it; `end` is how the last one ended, in one word."""

    event_came = Signal(object)
    status_changed = Signal()
    running_changed = Signal(bool)
    queue_changed = Signal()
    failed = Signal(str)  # a sentence
    # A message that did not reach the conversation: its text, and what was attached to it.
    refused = Signal(str, object)

    def __init__(self, approver: Approver, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.running = False
        self.end = ""
        self.steps = StepBook()
        # The steps of what is restored next, where they were gathered beside the window.
        self.prepared: StepBook | None = None
        self.status = TurnStatus()
        self._approver = approver
        # What a turn needs before it begins, if anything.
        self.prepare: Callable[[], Awaitable[None]] | None = None
        self._session: OpenSession | None = None
        self._unsent = ""
        self._attached: Sequence[Any] = ()
        # Whether the turn tells of itself yet, and whether it is to be stopped as soon as it does.
        self._began = self._stopping = False
        # What the next turn is sent with beside its text.
        self._more: dict[str, Any] = {}
        # The kind of the error the last turn ended with, "" for none.
        self.end_kind = ""

    def restore(self, events: Sequence[Event]) -> None:
        """Takes in a saved conversation."""
        steps, self.prepared = self.prepared, None
        self.steps = steps if steps is not None and steps.go_on(events) else StepBook(events)
        last = next((event for event in reversed(events) if isinstance(event, TurnFinished)), None)
        self.end = _END_WORDS.get(last.reason, "") if last is not None else ""
        if last is not None and last.error is not None and last.error.kind == "interrupted":
            self.end = "interrupted"

    def start(
        self,
        session: OpenSession,
        text: str,
        attachments: Sequence[Any] = (),
        *,
        insist: bool = False,
        command: bool = False,
    ) -> None:
        """Starts a turn; afterwards what was queued meanwhile is sent too.

        `insist` asks also a server that is left alone for a while. A `command` of the person's own
        is run, as it was typed.
        """
        self._unsent, self._attached = _typed(text, command=command), attachments
        self._start(session, text, attachments, insist=insist, command=command)

    def start_waiting(self, session: OpenSession, item: Queued) -> None:
        """Starts a turn with a message that was taken out of the queue.

        If it is refused it goes back to the person, for at the head of the queue it would keep the
        rest from being sent.
        """
        self._unsent = ""
        # What is attached to it the session knows.
        self._start(session, item.text, (), command=item.command, waited=True)

    def _start(
        self,
        session: OpenSession,
        text: str,
        attachments: Sequence[Any],
        *,
        insist: bool = False,
        command: bool = False,
        waited: bool = False,
    ) -> None:
        self._session = session
        self._began = self._stopping = False
        self._more = {"attachments": attachments} if attachments else {}
        if insist:
            self._more["insist"] = True
        # At once: what is sent before the task begins is queued and starts no second turn.
        self._set_running(True)
        running = self._run(session, text, command=command, waited=waited)
        spawn(running, f"turn of {session.id}")

    def hold(self, session: OpenSession) -> None:
        """A turn is about to start: what is sent meanwhile waits in the queue. `start` follows, or
        `release`."""
        self._session, self._began = session, True
        self._set_running(True)

    def release(self) -> None:
        """No turn starts after all."""
        self.queue_changed.emit()
        self._set_running(False)

    def follow(self, event: Event | None, *, running: bool) -> None:
        """What happens in a turn that somebody else takes, and whether it goes on."""
        if event is not None:
            self._take(event)
        if running != self.running:
            self._set_running(running)

    @property
    def can_stop(self) -> bool:
        """True while a turn of ours runs; what somebody else takes is not ours to end."""
        return self.running and self._session is not None

    def stop(self) -> None:
        """Ends the running turn; its last event still comes."""
        if self._session is not None and self.running:
            # The session hears it only once its turn has begun.
            self._stopping = not self._began
            self._session.stop()

    async def _run(self, session: OpenSession, text: str, *, command: bool, waited: bool) -> None:
        following: str | None = text
        try:
            if self.prepare is not None:
                await self.prepare()
            while following is not None:
                await self._turn(session, following, command=command)
                spawn(self._afterwards(session), f"after a turn of {session.id}")
                queued = session.take_next()
                self.queue_changed.emit()
                following = queued.text if queued is not None else None
                text = following or ""
                command, waited = queued is not None and queued.command, True
        except SettingsError as exc:
            back = waited and self._take_back(session, text, command=command)
            self.failed.emit(f"{exc.sentence()} {_BACK}" if back else exc.sentence())
        except KinetError as exc:
            self.failed.emit(exc.sentence())
        finally:
            # Whatever went wrong, what the person wrote is not lost.
            if self._unsent:
                self.refused.emit(self._unsent, self._attached)
            self._unsent = ""
            self.queue_changed.emit()
            self._set_running(False)

    def _take_back(self, session: OpenSession, text: str, *, command: bool) -> bool:
        """Takes what was refused from the head of the queue, for the composer. False if it is not
        there."""
        head = next(iter(session.queue), None)
        if head is None or head.text != text:
            return False
        session.remove_queued(head.id)
        self._unsent, self._attached = _typed(text, command=command), head.attachments
        return True

    async def _turn(self, session: OpenSession, text: str, *, command: bool) -> None:
        self.end, self._began = "", False
        rested = time.monotonic()
        more, self._more = self._more, {}
        own = typed_command(text) if command else None
        if own is not None:
            running = session.run_command(own, self._approver)
        else:
            running = session.send(text, approver=self._approver, **more)
        async with aclosing(running) as events:
            async for event in events:
                self._began = True
                if self._stopping:
                    self._stopping = False
                    session.stop()
                self._take(event)
                if time.monotonic() - rested > _EVENT_SECONDS:
                    await breathe()
                    rested = time.monotonic()

    async def _afterwards(self, session: OpenSession) -> None:
        """What is done when a turn has ended; nobody waits for it."""
        try:
            async with aclosing(session.afterwards()) as events:
                async for event in events:
                    self.event_came.emit(event)
        except KinetError as exc:
            # That the disk takes nothing is told already, as long as it is so.
            if exc.sentence() != session.unsaved:
                self.failed.emit(exc.sentence())

    def _take(self, event: Event) -> None:
        if isinstance(event, MessageCompleted | ContextCompacted) or is_own_command(event):
            self._unsent = ""
        self.steps.apply(event, time.monotonic())
        if isinstance(event, TurnFinished):
            self.end = _END_WORDS.get(event.reason, "")
            self.end_kind = event.error.kind if event.error else ""
            # A command of its own (a compaction) makes no message.
            if event.reason == "completed":
                self._unsent = ""
        changed = self.status.apply(event)
        self.event_came.emit(event)
        if changed:
            self.status_changed.emit()

    def _set_running(self, running: bool) -> None:
        self.running = running
        self.running_changed.emit(running)


def _typed(text: str, *, command: bool) -> str:
    """The text as it is typed into the composer to be the same again."""
    return text if command else as_message_text(text)
