"""Follows the `@file` of a CLAUDE.md, as the program that reads those does, inside the project."""

from __future__ import annotations

import os
from pathlib import Path

from kinet.policy.steering_file import Refused, SteeringFile, read_steering_file

# Of the convention: a file may ask for another, that for a third, and so on.
DEEPEST = 5
MOST_FILES = 20
_FOLLOWED = "CLAUDE.md"


def imported_files(
    file: SteeringFile, root: Path, seen: set[str], warnings: list[str]
) -> list[SteeringFile]:
    """The files that a CLAUDE.md asks for, each once, in their order; for others none.

    `seen` are real paths that were read already. What leads out of the project, is missing or is no
    text is not read; `warnings` say so. The files count like rules of their own.
    """
    if not file.imports:
        return []
    if file.path.name != _FOLLOWED:
        names = ", ".join(file.imports[:3])
        warnings.append(f"{file.path.name} asks for other files ({names}); they are not read.")
        return []
    found: list[SteeringFile] = []
    _follow(file, root, seen, warnings, found, 1)
    return found


def _follow(
    file: SteeringFile,
    root: Path,
    seen: set[str],
    warnings: list[str],
    found: list[SteeringFile],
    depth: int,
) -> None:
    for name in file.imports:
        path = file.path.parent / name
        real = os.path.realpath(path)
        if real in seen:
            continue
        if name.startswith("~") or not Path(real).is_relative_to(os.path.realpath(root)):
            warnings.append(f"{file.path.name} asks for {name}, outside the project: not read.")
            continue
        if not os.path.exists(real):
            # Most of what looks so is a name in a sentence, such as an address or a package.
            continue
        if depth > DEEPEST or len(found) >= MOST_FILES:
            warnings.append(f"{file.path.name} asks for {name}: too many files, not read.")
            continue
        seen.add(real)
        try:
            read = read_steering_file(Path(real), root)
        except Refused as exc:
            warnings.append(str(exc))
            continue
        found.append(read)
        _follow(read, root, seen, warnings, found, depth + 1)
