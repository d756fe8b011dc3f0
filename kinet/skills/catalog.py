"""All skills of one folder and one person, each with what becomes of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from kinet.skills.places import Place, project_places, skill_folders, user_places
from kinet.skills.skill import Skill, read_skill

# used; off: switched off; broken; hidden: a nearer one has its name; untrusted: of a folder that
# is not trusted.
State = Literal["used", "off", "broken", "hidden", "untrusted"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person chose: whose folders are read, which skills are off (by real folder)."""

    offered: bool = True
    others: frozenset[str] = frozenset({"agents", "claude", "codex"})
    off: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Listed:
    """A skill, its state, and in words why it is not used or what it stands in front of."""

    skill: Skill
    state: State
    why: str = ""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every skill that was found, the nearest first. `problems` are about whole places."""

    skills: tuple[Listed, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def used(self) -> tuple[Skill, ...]:
        """Those that may be called or loaded, by name."""
        found = [item.skill for item in self.skills if item.state == "used"]
        return tuple(sorted(found, key=lambda skill: skill.name))

    def find(self, name: str) -> Listed | None:
        """The one of this name that is used, else the nearest of that name, else None."""
        same = [item for item in self.skills if item.skill.name == name]
        return next((item for item in same if item.state == "used"), same[0] if same else None)


def read_catalog(
    folder: Path | None, home: Path, data_dir: Path | None, choice: Choice, *, trusted: bool
) -> Catalog:
    """Reads all places. Never raises for what lies there; blocking file I/O."""
    places = (*project_places(folder), *user_places(home, data_dir, choice.others))
    found, problems = read_places(places)
    listed: list[Listed] = []
    first: dict[str, int] = {}
    for skill in found:
        state, why = _state(skill, choice, trusted)
        nearer = first.get(skill.name)
        if state == "used" and nearer is not None:
            winner = listed[nearer]
            state, why = "hidden", f"A nearer skill of this name is used: {winner.skill.folder}."
            listed[nearer] = replace(winner, why=f"Used instead of the one in {skill.folder}.")
        elif state == "used":
            first[skill.name] = len(listed)
        listed.append(Listed(skill, state, why))
    return Catalog(tuple(listed), tuple(problems))


def read_places(places: Iterable[Place]) -> tuple[list[Skill], list[str]]:
    """The skills of these places in their order, each folder once, and what was left out."""
    found: list[Skill] = []
    problems: list[str] = []
    seen: set[Path] = set()
    for place in places:
        folders, left_out = skill_folders(place)
        problems += [left_out] if left_out else []
        for folder, file_name in folders:
            skill = read_skill(folder, file_name, place)
            if skill.folder not in seen:
                seen.add(skill.folder)
                found.append(skill)
    return found, problems


def _state(skill: Skill, choice: Choice, trusted: bool) -> tuple[State, str]:
    if skill.problem:
        return "broken", skill.problem
    if skill.owner == "project" and not trusted:
        return "untrusted", "The folder is not trusted as it is now; its skills are not used."
    if _off(skill.folder, choice.off):
        return "off", "It is switched off."
    return "used", ""


def _off(folder: Path, off: Collection[str]) -> bool:
    return str(folder) in off
