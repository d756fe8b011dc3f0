"""The skills of a session: which are active, and how they are taken away."""

from __future__ import annotations

from kinet.session.read_beside import ReadBeside


class SkilledSession(ReadBeside):
    """The part of a session that shows its skills; they are called by a message."""

    @property
    def active_skills(self) -> tuple[str, ...]:
        """The skills that were called and are in the prompt, in their order."""
        return self._state.active.names

    def remove_skill(self, name: str) -> None:
        """Takes a skill out of the prompt, from the next turn on."""
        if self._state.active.remove(name):
            self._state.save_notes()

    def refresh_skills(self) -> None:
        """Lists the skills anew with the next turn: the person trusted the folder meanwhile."""
        self._state.skills = None
