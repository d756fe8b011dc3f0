"""What a session is called and how it runs: name, folder, model, approval mode."""

from __future__ import annotations

from pathlib import Path

from kinet.core.events import ModelChosen
from kinet.core.profile import Effort
from kinet.session.state import SessionState


class ChosenSession:
    """The part of a session that a person chooses. Changes hold from the next turn on."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    @property
    def id(self) -> str:
        """Unique among all sessions."""
        return self._state.id

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
        self._state.title, self._state.titled_by = title, "person"
        self._state.recorder.change_new(title=title)
        self._state.parts.store.rename(self.id, title).result()

    def use_profile(self, name: str) -> None:
        """Uses another profile, "" for the default one; from the next request on."""
        self._choose(name, self._state.effort)
        self._state.recorder.change_new(profile=name)
        self._state.parts.store.set_profile(self.id, name)

    def set_mode(self, mode: str) -> None:
        """Uses this approval mode while the session is open; "" for the usual one."""
        self._state.mode = mode

    def set_effort(self, effort: Effort) -> None:
        """Lets the model think so long from the next request on; "" for the usual."""
        self._choose(self._state.profile, effort)

    @property
    def effort(self) -> Effort:
        """How long the model thinks: this session's own choice, else the usual one."""
        return self._state.effort or self._state.parts.effort()

    def _choose(self, profile: str, effort: Effort) -> None:
        """A change is an entry of the conversation, so that going back undoes it."""
        state = self._state
        if (profile, effort) == (state.profile, state.effort):
            return
        entry = ModelChosen(profile, effort, state.profile, state.effort)
        state.profile, state.effort = profile, effort
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
        self._state.recorder.change_new(folder=str(folder))
        self._state.parts.store.set_folder(self.id, str(folder))

    def refresh_memory(self) -> None:
        """Takes up what is known with the next turn: the person edited it."""
        self._state.memory.edited = True
