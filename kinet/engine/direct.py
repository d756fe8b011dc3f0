"""DirectEngine: runs a turn in a task of its own and gives its events, the last one always."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

from kinet.core.approval import Decision
from kinet.core.context_map import ContextMap
from kinet.core.events import Event, TurnFinished
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.branch_summary import branch_summary
from kinet.engine.context.context import Context
from kinet.engine.context.context_map import context_map
from kinet.engine.context.tokens import Calibration
from kinet.engine.ending import STOPPED, Ending, broken
from kinet.engine.event_flow import EventFlow
from kinet.engine.guards.circuit import Circuit, guarded
from kinet.engine.loop.tool_runner import offered
from kinet.engine.loop.turn import Turn, conversation_of

_log = logging.getLogger(__name__)

# A tool may need longer to clean up; the turn's last event does not wait for it.
_GRACE_SECONDS = 0.05


class DirectEngine:
    """Runs turns, many at once if asked; it keeps what tokens weigh and nothing of sessions."""

    def __init__(
        self, calibration: Calibration | None = None, circuit: Circuit | None = None
    ) -> None:
        self.calibration = calibration or Calibration()
        self.circuit = circuit or Circuit()
        # Work that was cancelled and still cleans up, with its session: kept, so that it is not
        # lost half-way.
        self._lingering: dict[asyncio.Task[Ending], str] = {}

    def run(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        """The events of the turn, in order; exactly one TurnFinished, as the last."""
        return self._events(request, Turn.work)

    def compact(self, request: TurnRequest, topic: str = "") -> AsyncGenerator[Event, None]:
        """Compacts the conversation now; the events are those of a turn, the last TurnFinished.

        `topic` is what the summary is to dwell on. `request.history` and then `request.user` are
        the whole context; the last message is not asked anything.
        """
        return self._events(request, lambda turn: turn.compact(topic))

    def context_map(self, request: TurnRequest) -> ContextMap:
        """What the request would carry, part by part; nothing is asked."""
        request = replace(request, toolbox=offered(request))
        conversation = conversation_of(request)
        context = Context(request, conversation, self.calibration)
        return context_map(request, context, conversation.messages)

    async def branch_summary(
        self, request: TurnRequest, left: Sequence[Message]
    ) -> Sequence[Event]:
        """What a branch that is left was: a message of kind "branch", and what it cost."""
        letters = 1 / self.calibration.coefficient(request.profile.model)
        return await branch_summary(guarded(request, self.circuit), left, letters)

    async def settled(self, session_id: str) -> None:
        """Returns when nothing of the session's ended turns cleans up any more."""
        mine = [work for work, session in self._lingering.items() if session == session_id]
        await _ended(mine)

    async def close(self) -> None:
        """Waits for what still cleans up after a stop."""
        await _ended(list(self._lingering))

    async def _events(
        self, request: TurnRequest, act: Callable[[Turn], Coroutine[Any, Any, Ending]]
    ) -> AsyncGenerator[Event, None]:
        flow = EventFlow()
        turn = Turn(request, flow.telling, self.calibration, self.circuit)
        driver = asyncio.create_task(self._drive(turn, act, request, flow))
        # Whatever befalls the driver, the one who iterates must not wait for ever.
        driver.add_done_callback(lambda task: flow.end())
        try:
            while (event := await flow.next()) is not None:
                yield event
                if isinstance(event, TurnFinished):
                    return
            yield _end_of_broken(driver)
        finally:
            driver.cancel()
            await asyncio.gather(driver, return_exceptions=True)

    async def _drive(
        self,
        turn: Turn,
        act: Callable[[Turn], Coroutine[Any, Any, Ending]],
        request: TurnRequest,
        flow: EventFlow,
    ) -> None:
        """Ends the turn when its work is done, when it is stopped, or when its time is up."""
        work = asyncio.create_task(act(turn))
        stop = asyncio.create_task(request.stop.wait())
        started = time.monotonic()
        limit = request.limits.max_seconds
        try:
            while not work.done() and not stop.done():
                # Neither a person's time nor that of who reads is the turn's.
                waited = turn.recorder.waited() + flow.held()
                left = limit - (time.monotonic() - started - waited)
                if limit and left <= 0:
                    decision = await self._ask_for_time(turn, work, stop, limit)
                    if decision is not None and not decision.allowed:
                        break
                    limit = _longer(limit, request.limits.max_seconds, decision)
                    continue
                timeout = left if limit else None
                await asyncio.wait(
                    {work, stop}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
                )
            if stop.done() or not work.done():
                await self._cancel(work, request.session_id)
            turn.close(_ending_of(work, stop.done(), limit))
        finally:
            stop.cancel()
            # Nobody listens any more; what is found from here on is told as such.
            turn.recorder.close()
            flow.end()
            await self._cancel(work, request.session_id)

    async def _ask_for_time(
        self, turn: Turn, work: asyncio.Task[Ending], stop: asyncio.Task[None], seconds: float
    ) -> Decision | None:
        """What the person says; None if the turn ended or was stopped before they said it."""
        asking = asyncio.create_task(turn.more_time(seconds))
        try:
            await asyncio.wait({work, stop, asking}, return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else None
        finally:
            asking.cancel()

    async def _cancel(self, work: asyncio.Task[Ending], session_id: str) -> None:
        """Ends the work; what needs longer than the grace time goes on cleaning up by itself."""
        if work.done() or work in self._lingering:
            return
        work.cancel()
        self._lingering[work] = session_id
        work.add_done_callback(lambda ended: self._lingering.pop(ended, None))
        await asyncio.wait({work}, timeout=_GRACE_SECONDS)


async def _ended(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Returns when all have ended; one who stops waiting ends none of them."""
    if tasks:
        await asyncio.wait(tasks)


def _longer(limit: float, usual: float, decision: Decision | None) -> float:
    """The time limit after a yes: as much again, the one that was raised, or none."""
    if decision is None or decision.scope == "once":
        return limit + usual
    return max(limit + usual, decision.raise_to) if decision.raise_to else 0.0


def _end_of_broken(driver: asyncio.Task[None]) -> TurnFinished:
    """The last event where not even the ending could be told as it should."""
    error = None if driver.cancelled() else driver.exception()
    _log.error("a turn could not be ended", exc_info=error)
    ending = broken(error or asyncio.CancelledError("the turn was cancelled from elsewhere"))
    return TurnFinished(ending.reason, ending.error, at=time.time())


def _ending_of(work: asyncio.Task[Ending], stopped: bool, seconds: float) -> Ending:
    if work.done() and not work.cancelled():
        error = work.exception()
        if error is None:
            # Even if Stop came in the same moment: the work was done.
            return work.result()
        if not stopped:
            _log.error("a turn failed unexpectedly", exc_info=error)
            return broken(error)
    if stopped:
        return STOPPED
    if not seconds:
        return broken(asyncio.CancelledError("the work was cancelled from elsewhere"))
    return Ending("budget", f"The time limit of {seconds:g} seconds was reached.")
