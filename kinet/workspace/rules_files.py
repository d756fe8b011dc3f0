"""Rules that are written in Kinet: opened, previewed as the model gets them, saved without loss."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from kinet.core.atomic_write import write_bytes
from kinet.core.errors import SettingsError
from kinet.engine.base import Section
from kinet.policy.hidden import Hidden
from kinet.policy.project import project_root, way_down
from kinet.policy.stand_ins import is_there
from kinet.policy.steering_file import Refused, SteeringFile, read_steering_file, steering_text
from kinet.tools.files.diff import unified_diff
from kinet.workspace.rules import load_rules
from kinet.workspace.three_way import merged

# project: KINET.md; background: KINET-CONTEXT.md; personal: for all projects, in the data folder.
Kind = Literal["project", "background", "personal"]
NAMES: dict[Kind, str] = {
    "project": "KINET.md",
    "background": "KINET-CONTEXT.md",
    "personal": "rules.md",
}
LARGEST = 1024 * 1024
_NEW_FILE = 0o644
_PRIVATE = 0o600
PERSONAL_TITLE = "The person's own rules"


@dataclass(frozen=True, slots=True)
class Document:
    """A rules file as it was read. `text` has plain line ends; `data` are its very bytes."""

    kind: Kind
    path: Path
    root: Path
    text: str = ""
    data: bytes = b""
    exists: bool = False

    def bytes_of(self, text: str) -> bytes:
        """The bytes that `text` is written as: line ends and mark as the file has them."""
        newline = "\r\n" if b"\r\n" in self.data else "\n"
        mark = b"\xef\xbb\xbf" if self.data.startswith(b"\xef\xbb\xbf") else b""
        return mark + text.replace("\n", newline).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Preview:
    """Exactly what the model gets, what a person should know of it, and what was taken out."""

    text: str
    warnings: tuple[str, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedMeanwhile:
    """The file on the disk is another one by now. `merged` has both changes, None if they touch."""

    theirs: Document
    merged: str | None


class RulesFiles:
    """Reads and writes rules files. Each method is blocking file I/O.

    `written` is told which files of a folder a person wrote here, so that trust need not ask.
    """

    def __init__(
        self, data_dir: Path, written: Callable[[Path | None, Collection[str]], None]
    ) -> None:
        self._data_dir, self._written = data_dir, written

    def personal(self) -> tuple[Sequence[Section], Sequence[str]]:
        """The person's own rules for the prompt, and what to know of them. Never raises."""
        path = self._data_dir / NAMES["personal"]
        if not os.path.lexists(path):
            return (), ()
        try:
            file = read_steering_file(path, self._data_dir)
        except Refused as exc:
            return (), (str(exc),)
        return _personal(file), file.warnings

    def places(self, folder: Path | None, kind: Kind) -> tuple[Path, ...]:
        """Where such a file lies or may lie, the nearest first; () where there is no folder."""
        if kind == "personal":
            return (self._data_dir / NAMES[kind],)
        if folder is None:
            return ()
        root = project_root(folder)
        down = [place / NAMES[kind] for place in way_down(root, Path(os.path.realpath(folder)))]
        found = [path for path in reversed(down) if is_there(path)]
        return tuple(dict.fromkeys((*found, down[0], down[-1])))

    def open(self, path: Path, kind: Kind) -> Document:
        """The file at `path`, which need not exist. SettingsError if it is nothing to be edited."""
        root = self._data_dir if kind == "personal" else project_root(path.parent)
        empty = Document(kind, path, root)
        if not is_there(path):
            return empty
        try:
            read_steering_file(path, root)
            if path.stat().st_size > LARGEST:
                raise Refused(f"{path.name} is larger than {LARGEST // 1024} KB.")
            data = path.read_bytes()
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except Refused as exc:
            raise SettingsError(str(exc), hint="Edit it with another program.") from exc
        except (OSError, ValueError) as exc:
            raise SettingsError(f"{path.name} cannot be read: {exc}.") from exc
        return replace(empty, text=text, data=data, exists=True)

    def preview(self, folder: Path | None, document: Document, text: str) -> Preview:
        """What the model would get with this text in the file. Never raises."""
        data = document.bytes_of(text)
        if document.kind == "personal":
            try:
                file = steering_text(document.path, data, len(data))
            except Refused as exc:
                return Preview("", (str(exc),))
            shown = _personal(file)
            return Preview(
                shown[0].text if shown else "", file.warnings, file.hidden, (document.path,)
            )
        rules = load_rules(folder, {document.path: data})
        hidden = next((file.hidden for file in rules.files if file.path == document.path), ())
        paths = tuple(file.path for file in rules.files if file.text.strip())
        return Preview(rules.text, rules.warnings, hidden, paths)

    def save(
        self, folder: Path | None, document: Document, text: str
    ) -> Document | ChangedMeanwhile:
        """Writes the text and gives the document as it is then; an emptied file is taken away.

        If the file is not what `document` was read from, nothing is written and the change of the
        others comes back. SettingsError if the file cannot be written.
        """
        now = self.open(document.path, document.kind)
        data = document.bytes_of(text)
        if now.data != document.data or now.exists != document.exists:
            joined = merged(document.data, data, now.data)
            both = None if joined is None else joined.decode("utf-8-sig").replace("\r\n", "\n")
            return ChangedMeanwhile(now, both)
        try:
            if text.strip():
                usual = _PRIVATE if document.kind == "personal" else _NEW_FILE
                mode = document.path.stat().st_mode & 0o777 if now.exists else usual
                document.path.parent.mkdir(parents=True, exist_ok=True)
                write_bytes(document.path, data, mode=mode)
            elif now.exists:
                os.unlink(document.path)
        except OSError as exc:
            raise SettingsError(
                f"{document.path.name} cannot be written: {exc.strerror or exc}.",
                hint="Your text is still in this window; look at the permissions and free space.",
            ) from exc
        if document.kind != "personal":
            self._written(folder, {document.path.relative_to(document.root).as_posix()})
        return self.open(document.path, document.kind)


def _personal(file: SteeringFile) -> tuple[Section, ...]:
    text = file.text.strip()
    cut = "\n[The rest is not shown: it is too long.]" if file.cut else ""
    return (Section(PERSONAL_TITLE, f"{text}{cut}", str(file.path)),) if text else ()


def change_of(before: Document, now: Document) -> str:
    """What became of the file, as a unified diff."""
    return unified_diff(before.text, now.text, now.path.name).text
