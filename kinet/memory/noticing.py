"""After a turn: one cheap model call that proposes facts, and what is kept of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from kinet.core.completion import Completion, Usage
from kinet.core.errors import ProviderError
from kinet.core.messages import Message
from kinet.memory.fact import Fact
from kinet.memory.facts import FactBook, Taken, now, real
from kinet.memory.proposals import answer_of, question, seen_of
from kinet.paths import resources_dir
from kinet.providers.base import ModelRequest, Provider, StreamItem

MAX_TOKENS = 1_500

# The messages of a conversation as they are when this is called.
Messages = Callable[[], Sequence[Message]]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked: the provider, and the model's name for its price."""

    provider: Provider
    model: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """What one call brought. `usage` is None if nothing was asked; `problem` says why it failed."""

    taken: tuple[Taken, ...] = ()
    refused: tuple[str, ...] = ()
    usage: Usage | None = None
    model: str = ""
    problem: str = ""


class Noticing:
    """Notices facts, for all sessions of a data folder; never two calls at a time.

    `choose(profile)` gives whom to ask for a session with this profile, None while it is switched
    off; it may read the keychain and is called in a thread.
    """

    def __init__(self, book: FactBook, choose: Callable[[str], Asked | None]) -> None:
        self._book = book
        self._choose = choose
        self._one = asyncio.Lock()
        self._waiting: set[str] = set()

    async def after_turn(
        self, session_id: str, profile: str, folder: Path | None, messages: Messages
    ) -> Noticed:
        """What the newest messages tell that is worth keeping; kept already when it returns.

        While a call for this session waits already, this does nothing: that one will see all.
        StoreError if the facts cannot be written, SettingsError if nobody can be asked.
        """
        if session_id in self._waiting:
            return Noticed()
        self._waiting.add(session_id)
        try:
            async with self._one:
                self._waiting.discard(session_id)
                return await self._ask(session_id, profile, folder, messages)
        finally:
            self._waiting.discard(session_id)

    async def _ask(
        self, session_id: str, profile: str, folder: Path | None, messages: Messages
    ) -> Noticed:
        # Asked for now: more may have been said while this waited.
        seen = seen_of(messages())
        if not any(item.by_person for item in seen):
            return Noticed()
        asked = await asyncio.to_thread(self._choose, profile)
        if asked is None:
            return Noticed()
        known = self._book.list(folder) if folder else _of_person(self._book)
        request = ModelRequest(
            system=_instructions(),
            messages=(Message("user", question(seen, known)),),
            max_tokens=MAX_TOKENS,
            effort="off",
            session_id=f"{session_id}:memory",
        )
        try:
            done = await _complete(asked.provider, request)
        except ProviderError as exc:
            return Noticed(model=asked.model, problem=exc.message)
        if done is None:
            return Noticed(model=asked.model, problem="the model gave no answer")
        place = real(folder) if folder else ""
        try:
            answer = answer_of(
                done.content, seen, known, session_id=session_id, folder=place, at=now()
            )
        except ValueError as exc:
            problem = f"the model's answer could not be read: {exc}"
            return Noticed(usage=done.usage, model=asked.model, problem=problem)
        taken: list[Taken] = []
        for proposal in answer.proposals:
            kept = await asyncio.to_thread(self._book.take, proposal.fact, proposal.replaces)
            if kept is not None:
                taken.append(kept)
        return Noticed(tuple(taken), answer.refused, done.usage, asked.model)


async def _complete(provider: Provider, request: ModelRequest) -> Completion | None:
    # Every provider's stream is an async generator; the protocol promises only the iteration.
    stream = cast("AsyncGenerator[StreamItem, None]", provider.stream(request))
    done: Completion | None = None
    async with aclosing(stream) as items:
        async for item in items:
            if isinstance(item, Completion):
                done = item
    return done


def _of_person(book: FactBook) -> list[Fact]:
    return [item for item in book.list() if item.scope == "person"]


@cache
def _instructions() -> str:
    return (resources_dir() / "prompts" / "memory.md").read_text(encoding="utf-8").strip()
