"""Makes, changes and deletes the person's own skills, each a folder in Kinet's data folder."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from kinet.core.atomic_write import write_bytes
from kinet.core.errors import SettingsError
from kinet.policy.protected import OWN_SKILLS
from kinet.policy.steering_file import MAX_FILE_BYTES
from kinet.skills.places import FILE_NAME
from kinet.skills.skill import NAME, TOOLS, Skill, skill_of

_TRASH = ".deleted"
_LARGEST = 1024 * 1024

NEW_TEXT = """---
name: {name}
description: What it does, and when it is to be used
---

# {title}

1. …
"""


@dataclass(frozen=True, slots=True)
class Deleted:
    """A skill that was moved away, so that it can be put back."""

    name: str
    kept: Path


class OwnSkills:
    """The skills in the data folder. Each method is blocking file I/O and may raise SettingsError,
    which says why nothing was done."""

    def __init__(self, data_dir: Path) -> None:
        self.place = data_dir / OWN_SKILLS

    def check(self, text: str, folder_name: str) -> Skill:
        """What a text would be as a skill: its `problem` says why it would not be used."""
        if len(text.encode("utf-8", "replace")) > MAX_FILE_BYTES:
            raise SettingsError(
                f"The text is longer than {MAX_FILE_BYTES // 1024} KB.",
                hint="Put what is not always needed into files beside it.",
            )
        return skill_of(text, folder_name)

    def create(self, name: str, text: str = "") -> Path:
        """A new folder with a skill of this name; the file is what comes back."""
        folder = self.free_folder(name)
        written = text or NEW_TEXT.format(name=name, title=name.replace("-", " ").capitalize())
        try:
            folder.mkdir(mode=0o700, parents=True)
            write_bytes(folder / FILE_NAME, written.encode("utf-8", "replace"))
        except OSError as exc:
            raise _failed(f"The skill {name} cannot be made", exc) from exc
        return folder / FILE_NAME

    def raw(self, skill: Skill) -> str:
        """The text of a skill as it lies on the disk, whole, with what cannot be seen in it."""
        try:
            if skill.file.stat().st_size > _LARGEST:
                raise SettingsError(f"{skill.file.name} is too large to be edited here.")
            return _plain(skill.file.read_bytes())
        except OSError as exc:
            raise _failed(f"{skill.file.name} cannot be read", exc) from exc

    def save(self, file: Path, text: str, before: str) -> None:
        """Writes a skill's text. SettingsError if the file no longer says `before`."""
        try:
            now = _plain(file.read_bytes())
            if now != _plain(before.encode("utf-8", "replace")):
                raise SettingsError(
                    f"{file.name} was changed by another program meanwhile; nothing was written.",
                    hint="Open it again to see its new text; yours stays in this window.",
                )
            mode = file.stat().st_mode & 0o777
            write_bytes(file, text.encode("utf-8", "replace"), mode=mode)
        except OSError as exc:
            raise _failed(f"{file.name} cannot be written", exc) from exc

    def delete(self, skill: Skill) -> Deleted:
        """Moves one's own skill away; `put_back` brings it back."""
        folder = skill.folder
        if not folder.is_relative_to(os.path.realpath(self.place)):
            raise SettingsError(
                f"{skill.name} lies in {folder}, which belongs to another program or a project.",
                hint="Switch it off here, or delete its folder yourself.",
            )
        kept = self.place / _TRASH / f"{folder.name}-{int(time.time() * 1000)}"
        try:
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.rename(folder, kept)
        except OSError as exc:
            raise _failed(f"The skill {skill.name} cannot be deleted", exc) from exc
        return Deleted(folder.name, kept)

    def put_back(self, deleted: Deleted) -> None:
        """Brings a deleted skill back."""
        try:
            os.rename(deleted.kept, self.free_folder(deleted.name))
        except OSError as exc:
            raise _failed(f"The skill {deleted.name} cannot be put back", exc) from exc

    def forget_deleted(self) -> None:
        """Removes for good what was deleted; a folder that cannot be removed stays."""
        shutil.rmtree(self.place / _TRASH, ignore_errors=True)

    def free_folder(self, name: str) -> Path:
        """Where a skill of this name would lie."""
        if not NAME.fullmatch(name):
            raise SettingsError(
                "A skill's name is made of small letters, digits and hyphens, 64 at most.",
                hint="Such as write-tests.",
            )
        if name in TOOLS:
            raise SettingsError(
                f"{name} is the name of a tool.", hint="Give the skill another name."
            )
        if os.path.lexists(self.place / name):
            raise SettingsError(
                f"There is a skill {name} already.", hint="Choose another name, or delete it first."
            )
        return self.place / name


def _plain(data: bytes) -> str:
    """As a text box shows it: another line end is no other text."""
    return data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _failed(what: str, exc: OSError) -> SettingsError:
    return SettingsError(
        f"{what}: {exc.strerror or exc}.", hint="Look at the permissions and the free space there."
    )
