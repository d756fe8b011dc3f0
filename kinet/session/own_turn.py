"""The turn in which a command of the person's own runs: judged, asked about, run, stored."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinet.core.approval import Approver, Decision
from kinet.core.errors import SettingsError, StoreError, ToolError
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    Event,
    ToolFinished,
    TurnFinished,
    TurnStarted,
)
from kinet.core.own_command import OwnCommand
from kinet.core.pairing import STOPPED
from kinet.session.state import SessionState
from kinet.session.titles import shorten
from kinet.session.turn_ending import EndingTurn, unstored

if TYPE_CHECKING:
    from kinet.engine.base import Limits, StopSignal
    from kinet.engine.own_command import CommandRequest
    from kinet.policy.gate import Verdict

# Whose name a session has that was begun with a command, until a message gives it one.
TITLED_BY = "command"
_NOT_RUN = "The command was not run."


class OwnTurn(EndingTurn):
    """Runs once. `ended` is called when the end is stored, just before it is told.

    What still cleans up after a stop is put into `lingering`.
    """

    def __init__(
        self,
        state: SessionState,
        command: OwnCommand,
        approver: Approver,
        stop: StopSignal,
        ended: Callable[[TurnFinished], None],
        lingering: set[asyncio.Task[Any]],
    ) -> None:
        super().__init__(state, stop, ended)
        self._lingering = lingering
        self._command = command
        self._approver = approver
        self._turn_id = secrets.token_hex(6)
        self._judged: tuple[CommandRequest, Verdict] | None = None

    async def judge(self) -> None:
        """Looks at the command; SettingsError, before anything is stored, if it never runs."""
        request = self._request()
        self._judged = request, await self._verdict(request)

    async def events(self, *, sent: str = "") -> AsyncGenerator[Event, None]:
        """The events of the turn in order; the last is the one TurnFinished, after it is stored.

        `judge` comes first. To be closed by the one who iterates; leaving early leaves a stored
        history too.
        """
        from kinet.engine.own_command import run_command, started

        assert self._judged is not None, "a command runs only when it was judged"
        request, verdict = self._judged
        started_turn = TurnStarted(self._state.id, self._turn_id, time.time())
        try:
            self._state.take_beginning()
            self._state.take(started_turn, sent=sent)
            yield started_turn
            if verdict.verdict == "ask":
                async with aclosing(self._asked(request, verdict)) as asking:
                    async for event in asking:
                        yield event
                if self._finished:
                    return
            self._name()
            planned = started(request)
            self._state.take(planned)
            # What is about to be done is on the disk before it is done.
            refused = await self._unsaved()
            yield planned
            if refused is not None:
                yield self._taken(_unrun(request, refused))
                yield await self._end(unstored(refused))
                return
            async with aclosing(run_command(request, self._lingering)) as stream:
                async for event in stream:
                    yield self._taken(event)
            yield await self._end(None, "stopped" if self._stop.is_set else "completed")
        finally:
            self._leave()

    def _request(self) -> CommandRequest:
        from kinet.engine.own_command import CommandRequest

        state, parts = self._state, self._state.parts
        if state.folder is None:
            raise SettingsError(
                "A command needs a folder to run in, and this session has none.",
                hint="Choose a folder, then send the command again.",
            )
        return CommandRequest(
            state.id,
            self._turn_id,
            self._command,
            state.folder,
            self._approver,
            self._stop,
            self._limits(),
            state.remembered,
            parts.journal,
            parts.hooks,
            parts.data_dir,
            state.found,
        )

    def _limits(self) -> Limits:
        from kinet.engine.base import Limits

        parts = self._state.parts
        preset = parts.preset(self._state.preset)
        return parts.limits(preset) if parts.limits else preset.apply(Limits())

    async def _verdict(self, request: CommandRequest) -> Verdict:
        from kinet.engine.own_command import verdict_on

        try:
            verdict = await asyncio.to_thread(verdict_on, request)
        except ToolError as exc:
            raise SettingsError(exc.message, hint=exc.hint) from exc
        if verdict.verdict == "deny":
            raise SettingsError(
                f"This command is never run: {verdict.reason}.",
                hint="If you mean it, run it in a terminal of your own.",
            )
        return verdict

    async def _asked(
        self, request: CommandRequest, verdict: Verdict
    ) -> AsyncGenerator[Event, None]:
        """Asks about a protected place or a rule of the person's own; a no ends the turn."""
        from kinet.engine.own_command import question_on

        question = question_on(request, verdict)
        yield self._taken(ApprovalRequested(question))
        asking = asyncio.ensure_future(self._approver.ask(question))
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({asking, stopped}, return_when=asyncio.FIRST_COMPLETED)
            decision = asking.result() if asking.done() else Decision(False, reason=STOPPED)
        finally:
            asking.cancel()
            stopped.cancel()
        told = replace(decision, unasked=False)
        yield self._taken(ApprovalResolved(question.id, question.call_id, told))
        if not told.allowed:
            yield await self._end(None, "stopped", f"{_NOT_RUN} {verdict.reason}.")

    def _name(self) -> None:
        """A session that begins with a command is called after it until something is said."""
        state = self._state
        if state.title or self._command.private:
            return
        state.title = shorten(" ".join(self._command.typed().split()))
        state.titled_by = TITLED_BY
        state.parts.store.rename(state.id, state.title, by=TITLED_BY)

    def _taken(self, event: Event) -> Event:
        self._state.take(event)
        return event


def _unrun(request: CommandRequest, refused: StoreError) -> ToolFinished:
    from kinet.core.own_command import NAME

    text = f"[not run: it could not be stored. {refused.message}]"
    return ToolFinished(
        request.turn_id, NAME, is_error=True, preview="not run", content=text, model_content=text,
        details=request.arguments,
    )  # fmt: skip
