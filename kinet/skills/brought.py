"""What a project's own skills are, for the question whether its folder is trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from kinet.policy.project import project_root
from kinet.policy.visible import visible_line
from kinet.skills.catalog import read_places
from kinet.skills.places import project_places
from kinet.skills.skill import Skill

# Bytes of a file, and of all files of all skills, that are read.
_LARGEST = 1024 * 1024
_MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class BroughtSkills:
    """A line for each skill, the texts that trust is bound to, and what a person should know."""

    lines: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def brought_skills(folder: Path) -> BroughtSkills:
    """All skills of the project, broken ones too. Runs nothing, never raises; blocking file I/O."""
    root = project_root(folder)
    found, warnings = read_places(project_places(folder))
    lines: list[str] = []
    texts: dict[str, str] = {}
    room = [_MOST_BYTES]
    for skill in found:
        shown = visible_line(skill.name)
        if skill.problem:
            warnings.append(f"Skill {shown} is not used: {skill.problem}")
        else:
            lines.append(f"{shown}: “{skill.description}”")
        warnings += [f"Skill {shown}: {note}" for note in skill.notes]
        if skill.text:
            name = _name(skill.file, root)
            texts[name] = skill.text
            if skill.files:
                texts[f"{name} · files beside it"] = _files(skill, room)
    return BroughtSkills(tuple(lines), texts, tuple(warnings))


def _files(skill: Skill, room: list[int]) -> str:
    """A line for each file with the hash of its bytes, so that a changed one is seen."""
    lines = []
    for name in skill.files:
        path = skill.folder / name
        try:
            status = path.stat()
            room[0] -= status.st_size
            small = status.st_size <= _LARGEST and room[0] >= 0
            # What is too large to be read with every turn is known by its last change.
            mark = _digest(path, *_stamp(status)) if small else f"of {status.st_mtime_ns}"
        except OSError:
            lines.append(f"{visible_line(name)}  cannot be read")
            continue
        lines.append(f"{visible_line(name)}  {status.st_size:,} bytes  {mark}")
    return "\n".join(lines) + "\n"


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    """Changes with the bytes; the time of the last change of the entry cannot be set back."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@lru_cache(maxsize=2_048)
def _digest(path: Path, *stamp: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _name(path: Path, root: Path) -> str:
    return visible_line(
        path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    )
