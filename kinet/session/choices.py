"""What a session is called and how it runs: name, folder, model, approval mode, preset."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kinet.core.events import ModelChosen
from kinet.core.profile import Effort
from kinet.session.skilled import SkilledSession

# Profile, effort and preset.
Choice = tuple[str, Effort, str]


class ChosenSession(SkilledSession):
    """The part of a session that a person chooses. Changes hold from the next turn on."""

    @property
    def id(self) -> str:
        """Unique among all sessions."""
        return self._state.id

    @property
    def is_new(self) -> bool:
        """True until something of it is stored: it cannot be opened again."""
        return self._state.recorder.new is not None

    @property
    def title(self) -> str:
        """One line; "" before the first message that says something."""
        return self._state.title

    @property
    def folder(self) -> Path | None:
        """Where the session works; None: no file or shell tools."""
        return self._state.folder

    @property
    def profile(self) -> str:
        """The name of the profile it uses; "" for the default one."""
        return self._state.profile

    @property
    def mode(self) -> str:
        """The approval mode: this session's own, else the usual one."""
        return self._state.mode or self._state.parts.mode()

    def rename(self, title: str) -> None:
        """Names the session, as a person does: no other name replaces it. May raise StoreError."""
        from kinet.store.event_rows import clean

        title = clean(title)
        self._state.title, self._state.titled_by = title, "person"
        self._state.recorder.change_new(title=title)
        self._state.parts.store.rename(self.id, title).result()

    def use_profile(self, name: str) -> None:
        """Uses another profile, "" for the default one; from the next request on."""
        self._choose(profile=name)
        self._state.recorder.change_new(profile=name)
        self._state.parts.store.set_profile(self.id, name)

    def set_mode(self, mode: str) -> None:
        """Uses this approval mode while the session is open; "" for the usual one."""
        self._state.mode = mode

    @property
    def unsandboxed(self) -> bool:
        """True if commands of mode all run without a sandbox: so started, or so confirmed."""
        return self._state.unsandboxed or self._state.parts.unsandboxed

    def set_unsandboxed(self, unsandboxed: bool) -> None:
        """What the person confirmed for this session, while it is open."""
        self._state.unsandboxed = unsandboxed

    async def sandbox_problem(self) -> str:
        """Why commands cannot run in a sandbox here, "" where they can or there is no folder."""
        folder = self._state.folder
        if folder is None:
            return ""
        return await asyncio.to_thread(self._state.parts.sandbox, folder)

    def set_effort(self, effort: Effort) -> None:
        """Lets the model think so long from the next request on; "" for the usual."""
        self._choose(effort=effort)

    def set_preset(self, name: str) -> None:
        """Uses another preset from the next turn on, "" for the usual one.

        SettingsError if there is none of this name.
        """
        self._state.parts.preset(name)
        self._choose(preset=name)

    @property
    def preset(self) -> str:
        """The name of the preset: this session's own choice, else the usual one.

        SettingsError if the one it was stored with does not exist any more.
        """
        return self._state.parts.preset(self._state.preset).name

    @property
    def effort(self) -> Effort:
        """How long the model thinks: this session's own choice, else the usual one."""
        parts = self._state.parts
        return self._state.effort or parts.effort(parts.preset(self._state.preset))

    def _chosen(self) -> Choice:
        state = self._state
        return state.profile, state.effort, state.preset

    def _choose(
        self, profile: str | None = None, effort: Effort | None = None, preset: str | None = None
    ) -> None:
        """A change is an entry of the conversation, so that going back undoes it."""
        state, was = self._state, self._chosen()
        state.profile = state.profile if profile is None else profile
        state.effort = state.effort if effort is None else effort
        state.preset = state.preset if preset is None else preset
        if was == self._chosen():
            return
        entry = ModelChosen(state.profile, state.effort, was[0], was[1], state.preset, was[2])
        # A session that is not in the store yet begins with what is chosen.
        if state.recorder.new is None:
            state.take_entry(entry)

    def set_folder(self, folder: Path) -> None:
        """Works on another folder."""
        if folder == self._state.folder:
            return
        self._state.folder = folder
        # Rules and skills are those of a folder.
        self._state.rules_digest, self._state.skills = "", None
        self._state.active.forget_texts()
        self._state.recorder.change_new(folder=str(folder))
        self._state.parts.store.set_folder(self.id, str(folder))
