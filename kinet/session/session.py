"""A conversation that is open: send, steer, stop; what happens comes back as events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Literal

from kinet.core.approval import Approver
from kinet.core.context_map import ContextMap
from kinet.core.conversation import Conversation
from kinet.core.errors import SettingsError
from kinet.core.events import Event, Notice, TurnFinished
from kinet.core.messages import Message
from kinet.core.pairing import repair
from kinet.session.attached import Attached, Attachment, attached_of, read_attached
from kinet.session.changes import Changes
from kinet.session.commanding import CommandingSession
from kinet.session.commands import command_in
from kinet.session.context_report import context_report
from kinet.session.leftovers import end_all, end_at_once, forget_folder, leave_servers
from kinet.session.own_turn import TITLED_BY
from kinet.session.shelf import Shelf
from kinet.session.state import SessionState
from kinet.session.titles import title_from
from kinet.session.user_message import user_message

if TYPE_CHECKING:
    from kinet.core.profile import ModelProfile

State = Literal["idle", "running", "waiting", "paused", "stopping"]

# What a turn says that was interrupted and left so.
LEFT = "Left as it was."
# What waits was meant to follow a turn that did its work: the person says when it is sent.
_PAUSING = ("stopped", "failed", "budget", "no_progress")
# Seconds; how long a closing session waits for its turn to end by itself.
_LONGEST_END = 3.0


class Session(CommandingSession):
    """One conversation. At most one turn runs at a time; all calls come from the loop's thread.

    `warnings` tells what could not be read when it was opened; `changes` shows what its turns
    changed on disk and takes it back; `shelf` has what runs beside the turns; `outputs` reads and
    saves outputs that lie in files.
    """

    def __init__(
        self, state: SessionState, warnings: Sequence[str] = (), loaded: list[Event] | None = None
    ) -> None:
        super().__init__(state)
        # What was just read, for the first replay; not kept any longer.
        self._loaded = loaded
        # So many generators of `afterwards` are not at their end.
        self._following = 0
        self.warnings = tuple(warnings)
        self.changes = Changes(state)
        self.shelf = Shelf(state.id)
        self.outputs = state.outputs

    @property
    def conversation(self) -> Conversation:
        """Where the conversation stands; to be looked at only."""
        return self._state.conversation

    @property
    def state(self) -> State:
        """waiting: for a person's answer; stopping: the turn was told to end.

        paused: nothing runs, and what waits in the queue is not sent before the person says so:
        after a stop, a failure, a spent budget, and a restart.
        """
        if self._stop is None:
            waiting = self._state.waiting
            return "paused" if waiting.paused and waiting.items else "idle"
        if self._stop.is_set:
            return "stopping"
        return "waiting" if self._state.conversation.state == "waiting" else "running"

    @property
    def is_running(self) -> bool:
        """True from the sending of a message to the end of its turn."""
        return self._stop is not None

    async def send(
        self,
        text: str,
        approver: Approver | None = None,
        attachments: Sequence[Attachment] = (),
        *,
        insist: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """Sends a message; the events of its turn, the last one TurnFinished.

        The message is stored before the request leaves. While a turn runs, it is put into the queue
        and one Notice says so; while the conversation goes back, it waits for that. "/compact
        topic" compacts instead of asking. `insist` asks also a server that is left alone because it
        failed again and again. A message of the queue brings what is attached to it. Raises
        SettingsError, before anything is stored, if no model is chosen or an attachment cannot be
        read; StoreError if the session was closed. A message of the queue that is refused is the
        next one in it again.
        """
        from kinet.engine.base import StopSignal
        from kinet.session.turn import Turn, Unasked

        await self._still()
        if self._stop is not None:
            self._put_aside(text, attachments)
            yield Notice("A turn is running; the message is sent when it has ended.", keep=False)
            return
        state = self._state
        stop = self._stop = StopSignal()
        self._idle.clear()
        try:
            try:
                self._check_open()
                profile = state.parts.profile(state.profile)
                parts = await _read(attachments or state.waiting.attached_to(text))
                command = command_in(text) if not parts else None
                message = None if command else user_message(state, text, parts, self.mode)
            except BaseException:
                # Also where nobody waits for it any more: nothing of it is stored yet.
                state.waiting.put_back(text)
                raise
            self._loaded = None
            state.recorder.model = profile.model
            if command is None:
                self._name_after(text)
            sent = state.waiting.sent_as(text)
            state.waiting.paused = False
            asked = approver or state.parts.approver or Unasked()
            turn = Turn(state, profile, asked, stop, self._turn_ended, insist=insist)
            self._turns_ran = True
            if message is not None:
                running = turn.events(message, sent=sent)
            else:
                running = turn.compact(command.argument if command else "", sent=sent)
            async with aclosing(running) as events:
                async for event in events:
                    yield event
        finally:
            if self._stop is stop:
                self._end()

    async def afterwards(self) -> AsyncGenerator[Event, None]:
        """What is done when a turn has ended: facts are noticed, if that is switched on.

        What a stopped turn is found to have changed is told too, as soon as that is known: of a
        large folder a while later; and what a job in the background had changed when it ends. For
        a face to iterate beside everything else; the events are stored whether it does or not.
        """
        from kinet.session.after_turn import notice_facts

        self._following += 1
        try:
            async with aclosing(notice_facts(self._state, self._idle)) as events:
                async for event in events:
                    yield event
            await self._cleaned_up()
            async with aclosing(self._state.found.events()) as found:
                async for event in found:
                    yield event
        finally:
            self._following -= 1

    def stop(self) -> None:
        """Ends the running turn; its last event still comes. The queue is paused.

        What its commands left running ends too; background jobs go on.
        """
        if self._stop is not None:
            self._stop.set()
        self._stop_telling()
        end_at_once(self.id)

    def history(self) -> tuple[Message, ...]:
        """All messages, legal for every provider; without system text and memory."""
        return repair(self._state.conversation.messages)

    def events(self) -> list[Event]:
        """All saved events, for replay. Blocks for a moment. May raise StoreError."""
        loaded, self._loaded = self._loaded, None
        if loaded is None:
            loaded = self._state.parts.store.load(self.id)
        unsaved = self._state.recorder.unsaved(len(loaded))
        # In place: a copy of a very long list takes a tenth of a second.
        loaded[:0] = [Notice(text, "warning", keep=False) for text in self.warnings]
        loaded += unsaved
        return loaded

    async def context_map(self) -> ContextMap:
        """What fills the model's window, part by part. SettingsError if no model is chosen."""
        return await context_report(self._state)

    def output(self, call_id: str) -> str:
        """The whole output of a call; "" if there is none."""
        return self._state.outputs.load(call_id, private=True) or ""

    def note_facts(self, lines: Sequence[str]) -> None:
        """Facts noticed in another session are told with the next message."""
        self._state.memory.note(lines)

    def refresh_memory(self) -> None:
        """Takes up what is known with the next turn: the person edited it."""
        self._state.memory.edited = True

    def leave_interrupted(self) -> None:
        """The person leaves an interrupted turn as it is: nothing is offered for it any more."""
        self._state.take_entry(TurnFinished("stopped", detail=LEFT, at=time.time()))

    async def report(self, turn_id: str = "") -> str:
        """A report on a turn, "" for the newest: what was said and what came back, keys masked.

        `kinet replay` takes the turn again from it, without a network. StoreError if there is none.
        """
        from kinet.session.failure_report import report_on

        state = self._state
        events = await asyncio.to_thread(state.parts.store.load, self.id)
        profile: ModelProfile | None = None
        with suppress(SettingsError):
            profile = state.parts.profile(state.profile)
        return await asyncio.to_thread(report_on, events, turn_id, profile)

    def rest(self) -> SessionState | None:
        """Closes it at once, where nothing runs, follows a turn, or is not stored yet; else None.

        What comes back is all it knows: another session made of that goes on as if it were this.
        """
        works = self._stop is not None or not self._idle.is_set() or self._following
        if works or self._lingering or self._reading or self._closed or self.shelf.items():
            return None
        if not self._state.recorder.is_still:
            return None
        self._closed = True
        leave_servers(self.id, self._state.parts.servers)
        return self._state

    async def close(self) -> None:
        """Stops the turn, and returns when everything is stored. May raise StoreError.

        Nothing can be sent any more.
        """
        self._closed = True
        self.stop()
        try:
            async with asyncio.timeout(_LONGEST_END):
                await self._idle.wait()
        except TimeoutError:
            self._end()
        await self._cleaned_up()
        await asyncio.gather(*self._reading, return_exceptions=True)
        await self._state.found.close()
        await end_all(self.id)
        forget_folder(self.id)
        leave_servers(self.id, self._state.parts.servers)
        self._state.recorder.flush()
        await self._state.recorder.durable()

    def _name_after(self, text: str) -> None:
        state = self._state
        # A command's name stands in until something was said.
        named = state.title and state.titled_by != TITLED_BY
        if named or not (title := title_from(text)):
            return
        state.title, state.titled_by = title, ""
        if state.recorder.new is None:
            state.parts.store.rename(self.id, title, by="first line")
        else:
            state.recorder.change_new(title=title)

    def _turn_ended(self, end: TurnFinished) -> None:
        self._state.waiting.end_of_turn(pause=end.reason in _PAUSING)
        self._end()

    def _end(self) -> None:
        self._stop = None
        self._idle.set()


async def _read(attachments: Sequence[Attachment]) -> Sequence[Attached]:
    """Files read and pictures checked: in a thread, for a photograph takes a while."""
    attached = [attached_of(item) for item in attachments]
    if all(item.part is not None for item in attached):
        return attached
    return await asyncio.to_thread(lambda: list(map(read_attached, attached)))
