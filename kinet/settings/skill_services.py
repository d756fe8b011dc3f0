"""What the settings say of skills, and the skills as a face lists and changes them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.settings.store import SettingsStore
from kinet.skills.catalog import Catalog, Choice
from kinet.skills.editing import OwnSkills
from kinet.skills.library import SkillLibrary
from kinet.skills.skill import Skill

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.skills.importing import Imported


def skill_library(
    settings: SettingsStore, trusted: Callable[[Path], bool], data_dir: Path
) -> SkillLibrary:
    """The library as the settings have it, asked anew each time."""
    return SkillLibrary(lambda: _choice(settings), trusted, data_dir)


class SkillServices:
    """Lists, switches, makes, changes, deletes and imports skills. Blocking file I/O.

    What is changed here holds for new sessions and, called by name, at once. SettingsError says
    why something cannot be done.
    """

    def __init__(self, settings: SettingsStore, library: SkillLibrary, data_dir: Path) -> None:
        self._settings, self._library = settings, library
        self.own = OwnSkills(data_dir)

    def catalog(self, folder: Path | None) -> Catalog:
        """Every skill for a session on this folder, with its state."""
        return self._library.catalog(folder)

    def switch(self, skill: Skill, on: bool) -> Future[None]:
        """Uses the skill in this very folder, or does not; the future says when that is kept."""
        place = str(skill.folder)
        off = [path for path in self._settings.values.skills.off if path != place]
        return self._settings.keep("skills.off", tuple(off if on else [*off, place]))

    def import_from(self, source: Path) -> Imported:
        """Takes in the skills of a folder or a zip file."""
        # Unpacking is imported by the few who ask for it.
        from kinet.skills.importing import import_skills

        return import_skills(source, self.own)


def _choice(settings: SettingsStore) -> Choice:
    chosen = settings.values.skills
    others = {"agents", "codex"} if chosen.codex else set()
    if chosen.claude:
        others.add("claude")
    off = frozenset(os.path.realpath(Path(path).expanduser()) for path in chosen.off)
    return Choice(chosen.offered, frozenset(others), off)
