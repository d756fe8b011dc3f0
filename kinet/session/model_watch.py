"""Sees that another model or effort was chosen while a turn runs, and makes it ready."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kinet.core.errors import KinetError
from kinet.core.profile import Effort, ModelProfile
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.engine.base import ModelChange
    from kinet.providers.base import Provider


class ModelWatch:
    """Called before each request of a turn: what changed since the last call, None for nothing."""

    def __init__(self, state: SessionState, profile: ModelProfile, provider: Provider) -> None:
        self._state = state
        self._profile, self._provider = profile, provider
        self._seen = (state.profile, self._effort())

    async def __call__(self) -> ModelChange | None:
        """The change; where the new model cannot be had, the old one goes on and it is told."""
        chosen = (self._state.profile, self._effort())
        if chosen == self._seen:
            return None
        from kinet.engine.base import ModelChange

        same_model, self._seen = chosen[0] == self._seen[0], chosen
        notice = ""
        if not same_model:
            notice = await self._switch(chosen[0])
        return ModelChange(self._profile, self._provider, chosen[1], notice)

    async def _switch(self, name: str) -> str:
        parts = self._state.parts
        try:
            profile = parts.profile(name)
            self._provider = await asyncio.to_thread(parts.provider, profile)
        except KinetError as exc:
            return f"{exc.sentence()} {self._profile.model} goes on with this turn."
        self._profile = profile
        self._state.recorder.model = profile.model
        return f"From here on {profile.model} answers."

    def _effort(self) -> Effort:
        state = self._state
        return state.effort or state.parts.effort(state.parts.preset(state.preset))
