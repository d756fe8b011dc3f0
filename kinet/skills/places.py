"""Where skills lie: in the project, in Kinet's own folder, and where other programs keep them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kinet.policy.project import project_root, way_down
from kinet.policy.protected import OWN_SKILLS

# Whose folder it is; the words on the screen follow from it.
Owner = Literal["project", "kinet", "agents", "claude", "codex"]

# In the order in which they count within one folder: Kinet's own, the shared one, the others'.
PROJECT_FOLDERS = (".kinet/skills", ".agents/skills", ".claude/skills", ".codex/skills")
_USER_FOLDERS: tuple[tuple[Owner, str], ...] = (
    ("agents", ".agents/skills"),
    ("claude", ".claude/skills"),
    ("codex", ".codex/skills"),
)
FILE_NAME = "SKILL.md"
MOST_SKILLS = 100
_DEEPEST = 3
_MOST_ENTRIES = 2_000


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of skills. What lies in a project may not lead out of `root`, its real root."""

    path: Path
    owner: Owner
    root: Path | None = None


def project_places(folder: Path | None) -> tuple[Place, ...]:
    """The places of the project, the nearest first; none without a folder."""
    if folder is None:
        return ()
    folder = Path(os.path.realpath(folder))
    root = project_root(folder)
    return tuple(
        Place(above / name, "project", root)
        for above in reversed(way_down(root, folder))
        for name in PROJECT_FOLDERS
    )


def user_places(home: Path, data_dir: Path | None, others: Collection[str]) -> tuple[Place, ...]:
    """The person's own places: Kinet's, then those of the programs named in `others`."""
    own = (Place(data_dir / OWN_SKILLS, "kinet"),) if data_dir is not None else ()
    asked = tuple(Place(home / name, owner) for owner, name in _USER_FOLDERS if owner in others)
    return (*own, *asked)


def skill_folders(place: Place) -> tuple[list[tuple[Path, str]], str]:
    """The folders in `place` that hold a skill, each with the name of its file; by name.

    A folder without a skill has "" as the name, and so has a link that leads out of a project.
    The second value says in words what was left out. Never raises. Hidden folders are passed over;
    skills may stand in groups of folders.
    """
    found: list[tuple[Path, str]] = []
    budget = [_MOST_ENTRIES]
    for folder in _folders(place.path, budget):
        inside = list(_below(folder, place, _DEEPEST, budget))
        found += inside or [(folder, "")]
    left_out = ""
    if len(found) > MOST_SKILLS or budget[0] <= 0:
        left_out = f"{place.path} holds more than can be listed; the first {MOST_SKILLS} are used."
    return found[:MOST_SKILLS], left_out


def leads_out(folder: Path, place: Place) -> bool:
    """True for a folder of a project that is a link to somewhere else."""
    return place.root is not None and not Path(os.path.realpath(folder)).is_relative_to(place.root)


def _below(folder: Path, place: Place, depth: int, budget: list[int]) -> Iterator[tuple[Path, str]]:
    if leads_out(folder, place):
        return
    name = _skill_file(folder)
    if name:
        yield folder, name
    elif depth > 1:
        for inner in _folders(folder, budget):
            yield from _below(inner, place, depth - 1, budget)


def _folders(place: Path, budget: list[int]) -> list[Path]:
    try:
        names = sorted(os.listdir(place))
    except OSError:
        return []
    budget[0] -= len(names)
    if budget[0] <= 0:
        names = names[:MOST_SKILLS]
    return [
        place / name
        for name in names
        if not name.startswith(".") and name != "node_modules" and (place / name).is_dir()
    ]


def _skill_file(folder: Path) -> str:
    """The name of the file, however its letters are written; "" if there is none."""
    if os.path.lexists(folder / FILE_NAME):
        return FILE_NAME
    try:
        names = os.listdir(folder)
    except OSError:
        return ""
    return next((name for name in sorted(names) if name.casefold() == "skill.md"), "")
