"""Takes skills in from a folder or a zip file: looked at first, copied whole or not at all."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from kinet.core.errors import SettingsError
from kinet.policy.visible import visible_line
from kinet.skills.editing import OwnSkills
from kinet.skills.places import Place, skill_folders
from kinet.skills.skill import NAME, Skill, read_skill

MOST_FILES = 1_000
MOST_BYTES = 32 * 1024 * 1024
LARGEST_FILE = 8 * 1024 * 1024
_DEEPEST = 12
# A text shrinks to a tenth; what shrinks to a two-hundredth is made to burst.
_MOST_SHRINKING = 200
_LEFT_OUT = frozenset({"__MACOSX", ".git", "node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class Imported:
    """Names that were taken in; `refused` says of each other one why not; `notes` of odd ones."""

    names: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def import_skills(source: Path, own: OwnSkills) -> Imported:
    """Copies the skills in `source`, a folder or a zip file. Runs nothing; blocking file I/O.

    SettingsError says in words why nothing can be taken in: a link, a path that climbs, too many
    or too large files, no skill. Nothing is left behind then.
    """
    try:
        own.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".import-", dir=own.place) as room:
            unpacked = Path(room) / "in"
            unpacked.mkdir()
            if source.is_dir():
                target = unpacked / (source.resolve().name or "skill")
                _copy(source, target)
            elif source.is_file():
                _unpack(source, unpacked)
            else:
                raise SettingsError(f"There is no folder or zip file {source}.")
            return _take_in(unpacked, source.stem, own)
    except OSError as exc:
        raise SettingsError(
            f"{source.name} cannot be taken in: {exc.strerror or exc}.",
            hint="Look at the permissions and the free space there.",
        ) from exc


def _take_in(unpacked: Path, stem: str, own: OwnSkills) -> Imported:
    found = [item for item in _skills(unpacked, stem) if item is not None]
    if not found:
        raise SettingsError(
            "No SKILL.md was found there.", hint="Choose the folder that holds it, or one above."
        )
    names: list[str] = []
    refused: list[str] = []
    notes: list[str] = []
    for skill in found:
        if skill.problem:
            refused.append(f"{skill.name}: {skill.problem}")
            continue
        try:
            target = own.free_folder(skill.name)
        except SettingsError as exc:
            refused.append(exc.sentence())
            continue
        os.rename(skill.folder, target)
        names.append(skill.name)
        notes += [f"{skill.name}: {note}" for note in skill.notes]
    return Imported(tuple(names), tuple(refused), tuple(notes))


def _skills(unpacked: Path, stem: str) -> Iterator[Skill]:
    """The skills below; a zip file may hold one without a folder around it."""
    place = Place(unpacked, "kinet")
    folders, _ = skill_folders(place)
    bare = [name for name in os.listdir(unpacked) if name.casefold() == "skill.md"]
    if bare:
        name = stem.lower() if NAME.fullmatch(stem.lower()) else "skill"
        inside = unpacked.with_name(name)
        os.rename(unpacked, inside)
        yield read_skill(inside, bare[0], place)
        return
    for folder, file_name in folders:
        if file_name:
            yield read_skill(folder, file_name, place)


def _copy(source: Path, target: Path) -> None:
    """All regular files; a link or something special ends it."""
    count = size = 0
    for top, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        below = Path(top).relative_to(source)
        if len(below.parts) > _DEEPEST:
            raise _too_deep()
        (target / below).mkdir(parents=True, exist_ok=True)
        for name in (*folders, *names):
            path = Path(top) / name
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode):
                continue
            if not stat.S_ISREG(mode):
                raise _no_file(below / name, link=stat.S_ISLNK(mode))
            count, size = count + 1, size + path.stat().st_size
            _check(below / name, count, size, path.stat().st_size)
            shutil.copyfile(path, target / below / name, follow_symlinks=False)
            os.chmod(target / below / name, 0o700 if mode & stat.S_IXUSR else 0o600)


def _unpack(source: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(source) as packed:
            entries = [item for item in packed.infolist() if not _left_out(item.filename)]
            size = 0
            for count, item in enumerate(entries, 1):
                _check_entry(item)
                size += item.file_size
                _check(Path(item.filename), count, size, item.file_size)
            left = MOST_BYTES
            for item in entries:
                left -= _unpack_one(packed, item, target, left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as exc:
        raise SettingsError(f"{source.name} is not a zip file that can be read ({exc}).") from exc


def _unpack_one(packed: zipfile.ZipFile, item: zipfile.ZipInfo, target: Path, left: int) -> int:
    """Writes one entry, counting what really comes out: the size in the list may be a lie."""
    path = target.joinpath(*PurePosixPath(item.filename).parts)
    if item.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with packed.open(item) as reading, path.open("xb") as writing:
        while piece := reading.read(64 * 1024):
            written += len(piece)
            if written > min(left, LARGEST_FILE):
                raise _too_large(Path(item.filename))
            writing.write(piece)
    os.chmod(path, 0o700 if (item.external_attr >> 16) & stat.S_IXUSR else 0o600)
    return written


def _check_entry(item: zipfile.ZipInfo) -> None:
    name = item.filename
    parts = PurePosixPath(name).parts
    mode = item.external_attr >> 16
    climbs = name.startswith("/") or ".." in parts or "\\" in name or ":" in name
    if climbs or not parts:
        raise SettingsError(
            f"The entry {visible_line(name)[:120]} leads out of its folder; nothing was taken in."
        )
    if len(parts) > _DEEPEST:
        raise _too_deep()
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise _no_file(Path(name), link=stat.S_ISLNK(mode))
    if item.file_size > 1024 * 1024 and item.file_size > _MOST_SHRINKING * item.compress_size:
        raise SettingsError(
            f"The entry {visible_line(name)[:120]} would grow to {item.file_size:,} bytes from "
            f"{item.compress_size:,}; nothing was taken in."
        )


def _check(name: Path, count: int, size: int, own_size: int) -> None:
    if count > MOST_FILES:
        raise SettingsError(
            f"There are more than {MOST_FILES:,} files; nothing was taken in.",
            hint="Choose the folder of one skill.",
        )
    if size > MOST_BYTES or own_size > LARGEST_FILE:
        raise _too_large(name)


def _left_out(name: str) -> bool:
    return any(part in _LEFT_OUT for part in PurePosixPath(name).parts)


def _too_large(name: Path) -> SettingsError:
    return SettingsError(
        f"With {visible_line(str(name))[:120]} it is too large: a file may have "
        f"{LARGEST_FILE // 1024**2} MB and all together {MOST_BYTES // 1024**2} MB; nothing was "
        "taken in."
    )


def _too_deep() -> SettingsError:
    return SettingsError(f"Its folders are nested deeper than {_DEEPEST}; nothing was taken in.")


def _no_file(name: Path, *, link: bool) -> SettingsError:
    what = "a link" if link else "no regular file"
    return SettingsError(f"{visible_line(str(name))[:120]} is {what}; nothing was taken in.")
