"""The text of a file beside a skill, for a model that has no file tools, or wants it by name."""

from __future__ import annotations

import difflib
import os
from pathlib import Path, PurePosixPath

from kinet.core.errors import ToolError
from kinet.policy.paths import is_secret_path
from kinet.policy.steering_file import MAX_FILE_BYTES, Refused, read_steering_file
from kinet.policy.visible import visible_line
from kinet.skills.skill import Skill


def file_text(skill: Skill, wanted: str) -> str:
    """The first 64 KB of the file, with a line that names it; what was left out is said.

    `wanted` is its name in the skill's folder, or its whole path. ToolError for one that is not
    there, leads out of the folder, is hidden, may hold secrets or is no text. Blocking file I/O.
    """
    name = _within(skill, wanted)
    path = skill.folder / name
    if ".." in name.parts or any(part.startswith(".") for part in name.parts):
        raise _not_given(skill, wanted, "it is hidden or leads out of the skill's folder")
    if not os.path.lexists(path) or path.is_dir():
        raise _missing(skill, wanted)
    if is_secret_path(Path(os.path.realpath(path)), skill.folder):
        raise _not_given(skill, wanted, "it may hold secrets")
    try:
        read = read_steering_file(path, skill.folder)
    except Refused as exc:
        raise _not_given(skill, wanted, str(exc).rstrip(".")) from exc
    left_out = [f"[{warning}]" for warning in read.warnings if read.hidden and "removed" in warning]
    if read.cut:
        size = path.stat().st_size
        left_out.append(
            f"[Only its first {MAX_FILE_BYTES // 1024} KB of {size:,} bytes are here; with a folder"
            f" read_file reads the rest.]"
        )
    return "\n".join([f"File {_shown(name)} of the skill {skill.name}", *left_out, read.text])


def _within(skill: Skill, wanted: str) -> PurePosixPath:
    given = Path(wanted)
    if given.is_absolute() and given.is_relative_to(skill.folder):
        given = given.relative_to(skill.folder)
    elif given.is_absolute():
        raise _not_given(skill, wanted, "it lies outside the skill's folder")
    return PurePosixPath(given.as_posix())


def _missing(skill: Skill, wanted: str) -> ToolError:
    near = difflib.get_close_matches(wanted, skill.files, n=3, cutoff=0.4)
    known = ", ".join(map(_shown, skill.files[:60])) or "none"
    return ToolError(
        f"The skill {skill.name} has no file {visible_line(wanted)[:120]!r}. Its files: {known}.",
        hint=f"Did you mean {' or '.join(map(_shown, near))}?" if near else "",
        kind="not-found",
    )


def _not_given(skill: Skill, wanted: str, why: str) -> ToolError:
    return ToolError(
        f"The file {visible_line(wanted)[:120]!r} of the skill {skill.name} is not given: {why}.",
        kind="refused",
    )


def _shown(name: str | PurePosixPath) -> str:
    return visible_line(str(name))
