"""The skills a session may use: listed for the model, called by the person, loaded by the tool."""

from __future__ import annotations

import asyncio
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.engine.base import Section
from kinet.skills.catalog import Catalog, Choice, read_catalog
from kinet.skills.files import file_text
from kinet.skills.skill import COMMANDS, Skill
from kinet.skills.wording import called_section, list_section, loaded_text
from kinet.tools.base import ToolOutput

_CALL = re.compile(r"\A\s*/([a-z0-9][a-z0-9-]{0,63})(?:\s+(.*))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Called:
    """A message that called a skill. Without a `section` the skill cannot be used: `problem`."""

    name: str
    arguments: str
    section: Section | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()


def call_in(text: str) -> tuple[str, str] | None:
    """Name and arguments of the call that `text` may be; None if it cannot be one."""
    found = _CALL.match(text)
    return (found[1], (found[2] or "").strip()) if found else None


class SkillLibrary:
    """Reads the places anew each time it is asked; what it reads is small.

    `choice` gives what the person chose, `trusted` whether what a folder brings along is trusted
    as it is now. Apart from `load` and `file` everything is blocking file I/O: call it in a thread.
    """

    def __init__(
        self,
        choice: Callable[[], Choice],
        trusted: Callable[[Path], bool],
        data_dir: Path | None,
        home: Path | None = None,
    ) -> None:
        self._choice, self._trusted = choice, trusted
        self._data_dir, self._home = data_dir, home

    def catalog(self, folder: Path | None) -> Catalog:
        """Every skill for a session on this folder, used or not."""
        trusted = folder is not None and self._trusted(folder)
        home = self._home or Path.home()
        return read_catalog(folder, home, self._data_dir, self._choice(), trusted=trusted)

    def sections(self, folder: Path | None) -> Sequence[Section]:
        """What the prompt says of skills; empty where there are none or none are offered."""
        if not self._choice().offered:
            return ()
        return list_section(self.catalog(folder).used)

    def readable(self, folder: Path | None) -> tuple[Path, ...]:
        """The real folders of the skills in use: their files may be read without a question."""
        return tuple(skill.folder for skill in self.catalog(folder).used)

    def called(self, folder: Path | None, text: str, session_id: str = "") -> Called | None:
        """What a message calls; None for any other message, an unknown word among them."""
        call = call_in(text)
        if call is None:
            return None
        name, arguments = call
        listed = self.catalog(folder).find(name)
        if listed is None:
            return None
        skill = listed.skill
        if listed.state != "used":
            why = f"The skill {name} is not used: {listed.why}"
            return Called(name, arguments, problem=why)
        if not skill.by_person:
            # The words of the window's own commands are no calls, whatever bears their names.
            why = f"The skill {name} is one that only the model loads."
            return None if name in COMMANDS else Called(name, arguments, problem=why)
        section = called_section(skill, arguments, folder, session_id)
        return Called(name, arguments, section, notes=skill.losses)

    async def load(
        self, name: str, arguments: str, folder: Path | None, session_id: str = ""
    ) -> ToolOutput:
        """The skill's text for the model. ToolError says which there are, or why it is not used."""
        return await asyncio.to_thread(self._load, name, arguments, folder, session_id)

    async def file(self, name: str, file: str, folder: Path | None) -> ToolOutput:
        """The text of a file in a skill's folder, also where there are no file tools.

        ToolError says which files there are, or why this one cannot be given.
        """
        return await asyncio.to_thread(self._file, name, file, folder)

    def _load(self, name: str, arguments: str, folder: Path | None, session_id: str) -> ToolOutput:
        skill = self._usable(name, folder)
        if not skill.by_model:
            raise ToolError(
                f"The skill {skill.name} is for the person to call (/{skill.name}).",
                kind="refused",
            )
        text = loaded_text(skill, arguments, folder, session_id)
        count = len(skill.files)
        preview = skill.name + (f", {count} file{'' if count == 1 else 's'}" if count else "")
        return ToolOutput(
            text, preview, {"skill": skill.name, "folder": str(skill.folder)}, model_content=text
        )

    def _file(self, name: str, file: str, folder: Path | None) -> ToolOutput:
        # One that the person called is in the prompt with the names of its files.
        skill = self._usable(name, folder)
        text = file_text(skill, file)
        details = {"skill": skill.name, "folder": str(skill.folder)}
        return ToolOutput(text, f"{skill.name}, {file}", details, model_content=text)

    def _usable(self, name: str, folder: Path | None) -> Skill:
        catalog = self.catalog(folder)
        listed = catalog.find(name.strip().lstrip("/").lower())
        offered = {skill.name for skill in catalog.used if skill.by_model}
        if listed is None:
            near = difflib.get_close_matches(name, offered, n=3, cutoff=0.4)
            hint = f"Did you mean {' or '.join(near)}?" if near else ""
            known = ", ".join(sorted(offered)) or "none"
            raise ToolError(
                f"There is no skill {name!r}. Available: {known}.", hint=hint, kind="not-found"
            )
        if listed.state != "used":
            why = f"The skill {listed.skill.name} is not used: {listed.why}"
            raise ToolError(why, kind="refused")
        return listed.skill
