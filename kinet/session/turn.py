"""One turn of a session: stores the message, hands the engine its request, stores what comes."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kinet.core.approval import ApprovalRequest, Approver, Decision
from kinet.core.conversation import Carry, Conversation
from kinet.core.errors import KinetError, ProviderError
from kinet.core.events import (
    NOT_SAVED,
    ApprovalRequested,
    ApprovalResolved,
    ContextCompacted,
    Event,
    MessageCompleted,
    Notice,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolProgress,
    TurnError,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.core.pairing import STOPPED, repair
from kinet.core.profile import ModelProfile
from kinet.net.exchanges import RECORDINGS, asking_turn
from kinet.session.model_watch import ModelWatch
from kinet.session.parts import Rules
from kinet.session.spending import Spending
from kinet.session.state import SessionState
from kinet.session.turn_ending import EndingTurn, unstored
from kinet.session.turn_servers import about_servers, toolbox_for, window_of

if TYPE_CHECKING:
    from kinet.engine.base import Section, StopSignal, TurnRequest
    from kinet.engine.presets import Preset
    from kinet.providers.base import Provider
    from kinet.session.parts import Standing

T = TypeVar("T")

# Told when they are on the disk: more depends on them than a few milliseconds.
_DURABLE = (MessageCompleted, ApprovalRequested, ApprovalResolved, TurnFinished)
# Nothing of these needs to be looked at before it goes on.
_PASSING = (TextDelta, ThinkingDelta, ToolArgumentsDelta, ToolProgress)


class Unasked:
    """Denies every question: there is nobody to ask."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """No, and why."""
        return Decision(False, reason="nobody is there to be asked", unasked=True)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a turn needs from disk and keychain."""

    provider: Provider
    rules: Rules
    memory_text: str
    skills: Sequence[Section]
    readable: tuple[Path, ...]
    # About skills, for the person.
    told: Sequence[str]
    preset: Preset
    servers: Standing | None = None
    # Of the model, in tokens; 0 where it is not known.
    window: int = 0


@dataclass(frozen=True, slots=True)
class Before:
    """Where the conversation stood before the turn."""

    history: tuple[Message, ...]
    occupancy: int
    occupancy_messages: int
    carry: Carry


class Turn(EndingTurn):
    """Runs once. `ended` is called when the end is stored, just before it is told."""

    def __init__(
        self,
        state: SessionState,
        profile: ModelProfile,
        approver: Approver,
        stop: StopSignal,
        ended: Callable[[TurnFinished], None],
        *,
        insist: bool = False,
    ) -> None:
        super().__init__(state, stop, ended)
        self._profile = profile
        self._approver = approver
        self._insist = insist
        self._spending = Spending(state)
        self._told_unsaved = False
        self._turn_id = ""

    async def events(self, message: Message, *, sent: str = "") -> AsyncGenerator[Event, None]:
        """The events of the turn in order; the last is the one TurnFinished, after it is stored.

        To be closed by the one who iterates. Leaving early leaves a legal, stored history too.
        """
        before = _before(self._state.conversation)
        self._turn_id = message.id
        started = TurnStarted(self._state.id, message.id, time.time())
        asked = MessageCompleted(message)
        try:
            self._state.take_beginning()
            self._state.take(started)
            self._state.take(asked, sent=sent)
            yield started
            refused = await self._unsaved()
            yield asked
            if refused is not None:
                yield await self._end(unstored(refused))
                return
            loaded = await self._loaded(message.text)
            if isinstance(loaded, TurnFinished):
                yield loaded
                return
            for notice in self._about(loaded):
                self._state.take(notice)
                yield notice
            async with aclosing(self._may_spend()) as asking:
                async for event in asking:
                    yield event
            if self._finished:
                return
            async with aclosing(self._run(self._request(message, before, loaded))) as running:
                async for event in running:
                    yield event
        finally:
            self._leave()

    async def compact(self, topic: str, *, sent: str = "") -> AsyncGenerator[Event, None]:
        """Compacts the conversation now; the events are those of a turn without a message."""
        before = _before(self._state.conversation)
        started = TurnStarted(self._state.id, "", time.time())
        try:
            self._state.take(started, sent=sent)
            yield started
            if not before.history:
                notice = Notice("There is nothing to compact yet.", keep=False)
                yield notice
                yield await self._end(None, "completed")
                return
            loaded = await self._loaded()
            if isinstance(loaded, TurnFinished):
                yield loaded
                return
            newest = before.history[-1]
            earlier = replace(before, history=before.history[:-1])
            request = self._request(newest, earlier, loaded)
            async with aclosing(self._run(request, topic)) as running:
                async for event in running:
                    yield event
        finally:
            self._leave()

    async def _loaded(self, text: str = "") -> Loaded | TurnFinished:
        """What the request needs; or the end, if it cannot be had or the person stopped."""
        try:
            loaded = await self._or_stop(asyncio.to_thread(self._read, text))
        except ProviderError as exc:
            return await self._end(TurnError(exc.kind, exc.message, exc.hint, exc.status))
        except KinetError as exc:
            return await self._end(TurnError("settings", exc.message, exc.hint))
        if loaded is None:
            return await self._end(None, "stopped")
        if (servers := self._state.parts.servers) is None:
            return loaded
        await self._or_stop(servers.settled(self._state.id))
        return replace(loaded, servers=servers.standing(self._state.id))

    async def _may_spend(self) -> AsyncGenerator[Event, None]:
        """Asks if the day's money is spent; ends the turn if it must not go on."""
        question = await self._spending.question()
        if question is None:
            return
        requested = ApprovalRequested(question)
        self._state.take(requested)
        self._spending.watch(requested)
        yield requested
        decision = await self._or_stop(self._approver.ask(question))
        told = replace(decision or Decision(False, reason=STOPPED), unasked=False)
        resolved = ApprovalResolved(question.id, "", told)
        self._state.take(resolved)
        self._spending.watch(resolved)
        yield resolved
        if not told.allowed:
            yield await self._end(
                None, "stopped" if decision is None else "budget", question.reason
            )

    async def _run(
        self, request: TurnRequest, topic: str | None = None
    ) -> AsyncGenerator[Event, None]:
        """The engine's turn; with a `topic` ("" too) a compaction instead."""
        asking_turn.set(self._turn_id)
        engine = self._state.parts.engine()
        running = engine.run(request) if topic is None else engine.compact(request, topic)
        async with aclosing(running) as stream:  # type: ignore[type-var]
            async for event in stream:
                self._state.take(event)
                self._spending.watch(event)
                if not isinstance(event, _PASSING) and (notice := await self._settled(event)):
                    yield notice
                if isinstance(event, TurnFinished):
                    self._finish(event)
                yield event

    def _finish(self, end: TurnFinished) -> None:
        if end.reason != "failed":
            RECORDINGS.drop(self._turn_id)
        super()._finish(end)

    async def _settled(self, event: Event) -> Notice | None:
        """Waits for the disk where more depends on it; the first failure of a turn is told."""
        if isinstance(event, ContextCompacted):
            self._state.save_notes()
        if not isinstance(event, _DURABLE):
            return None
        if self._stop.is_set and not isinstance(event, TurnFinished):
            # The end waits for all of them at once: the person waits for the end.
            return None
        refused = await self._unsaved()
        if refused is None or self._told_unsaved:
            return None
        self._told_unsaved = True
        return Notice(refused.sentence(), "error", keep=False, about=NOT_SAVED)

    async def _or_stop(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What `work` gives; None if the person stopped before."""
        working = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            stopped.cancel()
            working.cancel()

    def _read(self, text: str) -> Loaded:
        state, parts = self._state, self._state.parts
        preset = parts.preset(state.preset)
        provider = parts.provider(self._profile)
        if parts.servers is not None:
            parts.servers.wake(state.id, state.folder)
        if state.written:
            parts.written(state.folder, state.written)
            state.written.clear()
        rules = parts.rules(state.folder)
        if state.memory.begun is None:
            state.memory.begun = parts.memory_text(state.folder)
            parts.memory_told(state.id, state.folder)
        told, readable = state.take_skills(text)
        return Loaded(
            provider,
            rules,
            state.memory.begun,
            (*(state.skills or ()), *state.active.sections),
            readable,
            told,
            preset,
            window=window_of(self._profile),
        )

    def _about(self, loaded: Loaded) -> list[Notice]:
        """What there is to tell about skills, and about rules that are not those of last time."""
        rules, skills = loaded.rules, [Notice(text) for text in loaded.told]
        skills += about_servers(self._state, loaded.servers, loaded.window)
        sections = (*rules.personal, *rules.sections)
        texts = "\0".join(f"{section.path}\0{section.text}" for section in sections)
        digest = hashlib.sha256(texts.encode("utf-8", "replace")).hexdigest()[:16]
        before, self._state.rules_digest = self._state.rules_digest, digest
        self._state.save_notes()
        if before == digest:
            return skills
        notices = [Notice(text, "warning") for text in rules.warnings]
        if before:
            names = ", ".join(section.title for section in sections) or "none are left"
            notices.insert(0, Notice(f"The rules changed ({names}); they apply from this turn on."))
        return skills + notices

    def _request(self, message: Message, before: Before, loaded: Loaded) -> TurnRequest:
        from kinet.engine.base import Limits, TurnRequest

        state, parts, preset = self._state, self._state.parts, loaded.preset
        limits = parts.limits(preset) if parts.limits else preset.apply(Limits())
        return TurnRequest(
            session_id=state.id,
            user=message,
            history=before.history,
            profile=self._profile,
            provider=loaded.provider,
            toolbox=toolbox_for(parts, preset, loaded.servers, loaded.window),
            approver=self._approver,
            stop=self._stop,
            folder=state.folder,
            mode=state.mode or parts.mode(),
            limits=self._spending.limits(limits),
            effort=state.effort or parts.effort(preset),
            rules=tuple(loaded.rules.sections),
            personal=tuple(loaded.rules.personal),
            skills=tuple(loaded.skills),
            skill_library=parts.skills,
            readable=loaded.readable,
            memory_text=loaded.memory_text,
            price=parts.price,
            remembered=state.remembered,
            steering=state.waiting.take_steering,
            files=state.files,
            outputs=state.outputs,
            memory=parts.memory,
            occupancy=before.occupancy,
            occupancy_messages=before.occupancy_messages,
            data_dir=parts.data_dir,
            unsandboxed=parts.unsandboxed or state.unsandboxed,
            sandbox=parts.sandbox,
            local_permits=parts.local_permits(),
            carry=before.carry,
            journal=parts.journal,
            turn_id=self._turn_id,
            hooks=parts.hooks,
            changed=ModelWatch(state, self._profile, loaded.provider),
            insist=self._insist,
            allowances=self._spending.allowances(),
            afterwards=state.found,
        )


def _before(conversation: Conversation) -> Before:
    return Before(
        repair(conversation.context()),
        conversation.occupancy,
        conversation.occupancy_messages,
        conversation.carry(),
    )
