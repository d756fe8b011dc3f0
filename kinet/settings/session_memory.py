"""What sessions have of memory: the block, the search, who notices facts and which were told."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.local.tour_thread import PROFILE_NAME as TOUR
from kinet.memory.noticing import Asked, Noticing
from kinet.memory.recall import Recall, block_text, shown_in
from kinet.settings.options import Options
from kinet.store.fact_uses import FactUses
from kinet.store.search import SearchIndex

if TYPE_CHECKING:
    from kinet.memory.facts import FactBook
    from kinet.settings.model_choice import ModelChoice
    from kinet.settings.store import SettingsStore
    from kinet.store.search import SearchHit
    from kinet.store.sessions import SessionStore


class SessionMemory:
    """For the sessions of one runtime; read anew each time, so that settings hold at once.

    `recall` is None where the command line switched memory off. All but `noticing` block.
    """

    def __init__(
        self,
        book: FactBook,
        store: SessionStore,
        settings: SettingsStore,
        models: ModelChoice,
        options: Options,
    ) -> None:
        self._book, self._settings, self._models = book, settings, models
        self._options = options
        self._uses = FactUses(store.database)
        self._index = SearchIndex(store.database, store.fetch)
        self.recall = Recall(book, self.places) if options.memory else None
        self.noticing = Noticing(book, self.whom_to_ask)

    def block(self, folder: Path | None) -> str:
        """The memory block for a session on this folder; "" for none."""
        if not self._is_used:
            return ""
        room = self._settings.values.memory.characters
        return block_text(self._book.list(folder), folder, room)

    def told(self, session_id: str, folder: Path | None) -> None:
        """Notes that a session was given the block of this folder."""
        if self._is_used and self._options.save:
            room = self._settings.values.memory.characters
            shown = shown_in(self._book.list(folder), folder, room)
            self._uses.note(session_id, [fact.id for fact in shown])

    def leaving(self, session_ids: Collection[str]) -> None:
        """Sessions go for good: facts that only they support go with them."""
        self._book.forget_sessions(session_ids)

    def places(self, query: str, limit: int) -> Sequence[SearchHit]:
        """What was said in saved sessions, the best first."""
        return self._index.find(query, limit=limit, best=True, any_word=True, told=True)

    def whom_to_ask(self, profile_name: str) -> Asked | None:
        """Whom to ask for facts after a turn with this profile; None while that is switched off.

        Never in a run without a window, nor with a profile that only the command line knows, nor
        on the tour. May ask the keychain.
        """
        chosen, options = self._settings.values.memory, self._options
        off = options.headless or options.base_url or not options.memory or not options.save
        if off or not chosen.notice:
            return None
        profile = self._models.profile(profile_name)
        if profile.name == TOUR:
            return None
        if chosen.profile:
            profile = self._models.profile(chosen.profile)
        if chosen.model:
            profile = replace(profile, model=chosen.model)
        return Asked(self._models.provider(profile), profile.model)

    @property
    def _is_used(self) -> bool:
        return self._options.memory and bool(self._settings.values.memory.use)
