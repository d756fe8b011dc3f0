"""One session that a client has open: its turns are told, its queue runs by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from kinet.core.approval import Approver, NobodyToAsk
from kinet.core.errors import KinetError, SettingsError
from kinet.core.events import MessageCompleted, TurnFinished, to_json
from kinet.serve.messages import REFUSED, RpcError
from kinet.serve.outbox import first_of
from kinet.serve.peer import Peer
from kinet.session.outcome import Outcome

if TYPE_CHECKING:
    from kinet.session.attached import Attachment
    from kinet.session.session import Session
    from kinet.session.waiting import QueuedMessage


class ServedSession:
    """At most one turn runs at a time. With `denies` nobody is asked: the mode "deny".

    `changed` is called when the list of sessions is another one: with what is said, and after it.
    """

    def __init__(
        self,
        session: Session,
        peer: Peer,
        approver: Approver,
        *,
        denies: bool = False,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self.session, self._changed = session, changed
        self._peer, self._approver, self._denies = peer, approver, denies
        self._work: asyncio.Task[None] | None = None
        # Nothing more is to be sent after the running turn, and it waits for no reader.
        self._stopped = asyncio.Event()

    @property
    def is_busy(self) -> bool:
        """True while a turn runs, or the queue goes on after it."""
        return self._work is not None and not self._work.done()

    def to_dict(self) -> dict[str, Any]:
        """How it stands, for the client."""
        session = self.session
        return {
            "session_id": session.id,
            "title": session.title,
            "cwd": str(session.folder or ""),
            "mode": "deny" if self._denies else session.mode,
            "profile": session.profile,
            **_asking(session),
            "state": session.state,
            "warnings": list(session.warnings),
            "queue": [queued(item) for item in (*session.steering, *session.queue)],
        }

    def use_mode(self, mode: str) -> None:
        """Takes this approval mode, from the next turn on."""
        self._denies = mode == "deny"
        # So it is seen which calls were denied for want of someone to ask.
        self.session.set_mode("ask" if self._denies else mode)

    async def send(self, text: str, files: Sequence[Attachment] = ()) -> dict[str, Any]:
        """Takes a turn; what comes back, when it has ended, is how it went.

        RpcError while another one runs; KinetError if it cannot even begin.
        """
        if self.is_busy:
            said = "A turn is running: steer it with session/steer, or wait in line with queue/add."
            raise RpcError(REFUSED, said, {"kind": "busy"})
        ended: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._begin(self._turn_and_queue(text, files, ended))
        try:
            return _told(await ended)
        except asyncio.CancelledError:
            # Who cancels the request wants the turn to end.
            self.stop()
            await self.ended()
            raise

    def add(self, text: str, files: Sequence[Attachment] = ()) -> QueuedMessage:
        """Puts a message into the queue, which goes on at once if nothing runs."""
        item = self.session.enqueue(text, files)
        if not self.is_busy and self.session.state != "paused":
            self._begin(self._queue())
        return item

    def take(self, message_id: str) -> bool:
        """Sends this message of the queue now, paused or not. False if it is not there."""
        waiting = next((item for item in self.session.queue if item.id == message_id), None)
        if waiting is None:
            return False
        if self.is_busy:
            raise RpcError(REFUSED, "A turn is running; the queue goes on when it has ended.")
        _refuse_command(waiting)
        item = self.session.take_queued(message_id)
        assert item is not None
        self._begin(self._queue(item))
        return True

    def stop(self) -> bool:
        """Ends the running turn. False if none runs."""
        running = self.is_busy
        self.session.stop()
        self._stopped.set()
        return running

    async def ended(self) -> None:
        """Returns when nothing runs any more."""
        while self._work is not None and not self._work.done():
            await asyncio.wait({self._work})

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._stopped.clear()
        self._work = asyncio.create_task(work, name=f"serves {self.session.id}")

    async def _turn_and_queue(
        self, text: str, files: Sequence[Attachment], ended: asyncio.Future[Outcome]
    ) -> None:
        try:
            outcome = await self._turn(text, files)
        except KinetError as exc:
            _settle(ended, exc)
            return
        except BaseException as exc:
            _settle(ended, exc)
            raise
        if not ended.done():
            ended.set_result(outcome)
        await self._queue()

    async def _queue(self, item: QueuedMessage | None = None) -> None:
        """Sends what waits, one after the other, as long as it may go on."""
        while item is not None or (item := self._next()) is not None:
            try:
                await self._turn(item.text)
            except KinetError as exc:
                told = {"session_id": self.session.id, "message": exc.message, "hint": exc.hint}
                self._peer.tell("queue/refused", {**told, **queued(item)})
                return
            item = None

    def _next(self) -> QueuedMessage | None:
        if self._stopped.is_set():
            # It was stopped in the moment between two turns.
            return None
        head = next(iter(self.session.queue), None)
        # A command that was typed in a window waits for the window.
        return None if head is None or head.command else self.session.take_next()

    async def _turn(self, text: str, files: Sequence[Attachment] = ()) -> Outcome:
        outcome = Outcome()
        approver = NobodyToAsk() if self._denies else self._approver
        sending = self.session.send(text, approver, files)
        listed = False
        async with aclosing(sending) as events:
            async for event in events:
                outcome.take(event)
                if isinstance(event, TurnFinished) or (
                    isinstance(event, MessageCompleted) and not listed
                ):
                    listed = True
                    self._changed()
                told = {"session_id": self.session.id, "event": to_json(event)}
                self._peer.tell("session/event", told)
                if not self._peer.has_room.is_set():
                    await first_of(self._peer.has_room, self._stopped)
        return outcome


def _asking(session: Session) -> dict[str, str]:
    try:
        return {"preset": session.preset, "effort": session.effort}
    except SettingsError:
        # It was stored with a preset that is not there any more; its next turn says so.
        return {"preset": "", "effort": ""}


def queued(item: QueuedMessage) -> dict[str, Any]:
    """A waiting message, for the client."""
    return {
        "message_id": item.id,
        "text": item.text,
        "steering": item.steering,
        "command": item.command,
        "attachments": [attached.name for attached in item.attachments],
    }


def _refuse_command(item: QueuedMessage) -> None:
    if item.command:
        raise RpcError(REFUSED, "This is a command of the person's own; only the window runs it.")


def _settle(ended: asyncio.Future[Outcome], problem: BaseException) -> None:
    if ended.done():
        return
    if isinstance(problem, asyncio.CancelledError):
        ended.cancel()
    else:
        ended.set_exception(problem)


def _told(outcome: Outcome) -> dict[str, Any]:
    """How a turn went: the words of its last event, its figures, and the exit code of a run."""
    end = outcome.end
    last = to_json(end) if end is not None else {"reason": "failed", "error": None}
    last.pop("type", None)
    return {
        "turn_id": outcome.turn_id,
        **last,
        "text": outcome.text,
        "steps": outcome.steps,
        "usage": outcome.usage.to_dict(),
        "cost": outcome.cost,
        "estimate": outcome.estimate,
        "exit_code": outcome.code(),
    }
