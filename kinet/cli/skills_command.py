"""`kinet skills`: lists skills with what becomes of each, checks one, takes some in."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from kinet.core.errors import SettingsError
from kinet.paths import data_dir
from kinet.settings.skill_services import SkillServices, skill_library
from kinet.settings.store import SettingsStore
from kinet.skills.brought import brought_skills
from kinet.skills.catalog import Listed
from kinet.skills.library import SkillLibrary
from kinet.skills.places import Place, skill_folders
from kinet.skills.skill import Skill, read_skill
from kinet.workspace.trust import FolderTrust

FAILED = 1


def skills(options: argparse.Namespace) -> int:
    """Does one act; exit 1 if something was refused. SettingsError says what is wrong."""
    match options.act:
        case "list":
            return _list(options)
        case "check":
            return _check(Path(options.path).expanduser(), as_json=options.json)
        case _:
            return _import(Path(options.path).expanduser(), as_json=options.json)


def library_at(home: Path) -> SkillLibrary:
    """The skills of this data folder and of whatever folder is named.

    As in `kinet run` a folder that is named counts as trusted for the text of its skills.
    """
    return skill_library(SettingsStore(home), FolderTrust(home, brought_skills).trusts, home)


def _services() -> SkillServices:
    home = data_dir()
    return SkillServices(SettingsStore(home), library_at(home), home)


def _list(options: argparse.Namespace) -> int:
    catalog = _services().catalog((options.cwd or Path.cwd()).absolute())
    if options.json:
        print(_json([_row(listed) for listed in catalog.skills]))
    else:
        for listed in catalog.skills:
            skill = listed.skill
            state = "" if listed.state == "used" else f"  [{listed.state}]"
            print(f"{skill.name}{state}  {skill.description}\n    {skill.folder}")
            for sentence in (*((listed.why,) if listed.why else ()), *skill.notes):
                print(f"    {sentence}")
    for problem in catalog.problems:
        print(problem, file=sys.stderr)
    return 0


def _check(path: Path, *, as_json: bool) -> int:
    """A skill's folder, its file, or a folder of skills; exit 1 if one cannot be used."""
    if not path.exists():
        raise SettingsError(f"There is no {path}.", hint="Name a skill's folder or its file.")
    found = _at(path.absolute())
    if as_json:
        print(_json([_checked(skill) for skill in found]))
    for skill in () if as_json else found:
        print(f"{skill.name}: {skill.problem or 'can be used'}")
        for note in skill.notes:
            print(f"    {note}")
    if not found:
        print(f"There is no SKILL.md in {path}.", file=sys.stderr)
    return FAILED if not found or any(skill.problem for skill in found) else 0


def _at(path: Path) -> list[Skill]:
    if not path.is_dir():
        return [read_skill(path.parent, path.name, Place(path.parent, "kinet"))]
    names = [name for name in sorted(os.listdir(path)) if name.casefold() == "skill.md"]
    if names:
        return [read_skill(path, names[0], Place(path.parent, "kinet"))]
    place = Place(path, "kinet")
    return [read_skill(folder, name, place) for folder, name in skill_folders(place)[0]]


def _import(source: Path, *, as_json: bool) -> int:
    done = _services().import_from(source)
    if as_json:
        print(_json({"imported": done.names, "refused": done.refused, "notes": done.notes}))
    else:
        for name in done.names:
            print(name)
    for sentence in () if as_json else (*done.refused, *done.notes):
        print(sentence, file=sys.stderr)
    return FAILED if done.refused else 0


def _row(listed: Listed) -> dict[str, Any]:
    skill = listed.skill
    return {**_checked(skill), "source": skill.owner, "state": listed.state, "why": listed.why}


def _checked(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "description": skill.description,
        "folder": str(skill.folder),
        "files": list(skill.files),
        "by_model": skill.by_model,
        "by_person": skill.by_person,
        "hidden": [
            {"code_point": hidden.code_point, "offset": hidden.offset} for hidden in skill.hidden
        ],
        "problem": skill.problem,
        "notes": list(skill.notes),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
