"""What a project's own skills are, for the question whether its folder is trusted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kinet.policy.project import project_root
from kinet.policy.visible import visible_line
from kinet.skills.catalog import read_places
from kinet.skills.places import project_places
from kinet.skills.skill import Skill

# Bytes of one skill's files that are looked at; of what lies beyond only the size counts.
_MOST_BYTES = 4 * 1024 * 1024


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
                texts[f"{name} · files beside it"] = _files(skill)
    return BroughtSkills(tuple(lines), texts, tuple(warnings))


def _files(skill: Skill) -> str:
    """A line for each file with the hash of its bytes, so that a changed one is seen."""
    room = _MOST_BYTES
    lines = []
    for name in skill.files:
        try:
            data = (skill.folder / name).read_bytes() if room > 0 else b""
            size = len(data) or (skill.folder / name).stat().st_size
        except OSError:
            lines.append(f"{visible_line(name)}  cannot be read")
            continue
        room -= size
        digest = hashlib.sha256(data).hexdigest()[:16] if data else "-"
        lines.append(f"{visible_line(name)}  {size:,} bytes  {digest}")
    return "\n".join(lines) + "\n"


def _name(path: Path, root: Path) -> str:
    return visible_line(
        path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    )
