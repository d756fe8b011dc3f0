"""Which folders are trusted, and for exactly which content."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kinet.core.atomic_write import write_bytes
from kinet.core.data_folder import why_unusable
from kinet.core.errors import SettingsError
from kinet.engine.base import Section
from kinet.policy.project import project_root
from kinet.policy.stand_ins import is_there
from kinet.tools.files.diff import unified_diff
from kinet.workspace.folder_content import SERVERS, FolderContent, ReadSkills, look

_FILE = "trust.json"
_LARGEST_FILE = 16 * 1024 * 1024

# nothing: there is nothing to trust; changed: trusted, but not as it is now; refused: opened
# without; new: never asked.
State = Literal["nothing", "trusted", "changed", "refused", "new"]


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """What a person is asked about a folder. `changes` is a diff if it was trusted before."""

    content: FolderContent
    changes: str = ""


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """One answer kept; `answered` is wall time in seconds, for display only."""

    folder: str
    trusted: bool
    digest: str
    names: tuple[str, ...] = ()
    answered: float = 0.0


class TrustBook:
    """Answers about folders, by real path, in `trust.json` of the data folder.

    Each is bound to the content it was given for, which is kept too: a change can be shown as a
    diff. A damaged file is set aside and trusts nothing.
    """

    def __init__(self, data_dir: Path | None, read_skills: ReadSkills) -> None:
        self._read_skills = read_skills
        self._path = data_dir / _FILE if data_dir is not None else None
        self._kept: dict[str, Any] = {}
        self.problem = ""

    def look(self, folder: Path) -> FolderContent:
        """What the folder brings along as it is now. Blocking file I/O."""
        return look(folder, self._read_skills)

    def state(self, content: FolderContent) -> State:
        """How the folder stands as it is now."""
        if not content.digest:
            return "nothing"
        entry = self._entry(content.folder)
        if entry is None:
            return "new"
        if entry["digest"] == content.digest:
            return "trusted" if entry["trusted"] else "refused"
        return "changed" if entry["trusted"] else "new"

    def question(self, folder: Path) -> TrustQuestion | None:
        """What to ask before the folder is used; None if that is settled. Blocking file I/O."""
        content = self.look(folder)
        state = self.state(content)
        if state in ("nothing", "trusted", "refused"):
            return None
        return TrustQuestion(content, self.changes(content) if state == "changed" else "")

    def changes(self, content: FolderContent) -> str:
        """What is different from what was trusted, as a unified diff; "" if it never was."""
        entry = self._entry(content.folder)
        if entry is None or not entry["trusted"]:
            return ""
        before: Mapping[str, str] = entry["texts"]
        names = sorted({*before, *content.texts})
        diffs = (
            unified_diff(before.get(name), content.texts.get(name, ""), name).text for name in names
        )
        return "".join(diffs)

    def answer(self, content: FolderContent, trusted: bool) -> None:
        """Keeps the answer for exactly this content. SettingsError if it cannot be stored."""
        texts = dict(content.texts) if trusted else {}
        self._store(content.folder, trusted, content.digest, texts)

    def accept(self, folder: Path, names: Collection[str], *, own_words: bool = False) -> None:
        """Keeps trust after a change a person allowed with its diff, if nothing else changed.

        With `own_words`, which the person wrote, a folder that brings nothing else is trusted too.
        """
        content = self.look(folder)
        entry = self._entry(content.folder)
        if entry is None and own_words and set(content.texts) <= set(names):
            self.answer(content, True)
            return
        if entry is None or not entry["trusted"] or entry["digest"] == content.digest:
            return
        before: Mapping[str, str] = entry["texts"]
        changed = {
            name
            for name in {*before, *content.texts}
            if before.get(name) != content.texts.get(name)
        }
        root = project_root(content.folder)
        paths = (Path(os.path.realpath(content.folder / name)) for name in names)
        written = {path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)}
        if changed <= {*names, *written}:
            self.answer(content, True)

    def folders(self) -> tuple[TrustedFolder, ...]:
        """All answers kept, by path."""
        return tuple(
            TrustedFolder(
                folder,
                entry["trusted"],
                entry["digest"],
                tuple(sorted(entry["texts"])),
                float(entry.get("answered", 0.0)),
            )
            for folder, entry in sorted(self._read().items())
        )

    def _entry(self, folder: Path) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._read().get(os.path.realpath(folder))
        return found

    def _read(self) -> dict[str, Any]:
        if self._path is None:
            return self._kept
        try:
            if self._path.stat().st_size > _LARGEST_FILE:
                raise ValueError("it is far too large")
            raw = json.loads(self._path.read_bytes())
            return {str(key): entry for key, entry in raw["folders"].items() if _is_whole(entry)}
        except FileNotFoundError:
            return {}
        except OSError as exc:
            self.problem = f"The trusted folders cannot be read: {exc.strerror}."
            return {}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
            aside = self._path.with_suffix(f".damaged-{uuid.uuid4().hex[:8]}")
            try:
                os.replace(self._path, aside)
            except OSError:
                aside = self._path
            self.problem = f"The trusted folders could not be read ({exc}); they lie in {aside}."
            return {}

    def _store(self, folder: Path, trusted: bool, digest: str, texts: Mapping[str, str]) -> None:
        kept = dict(self._read())
        kept[os.path.realpath(folder)] = {
            "trusted": trusted,
            "digest": digest,
            "texts": dict(texts),
            "answered": time.time(),
        }
        if self._path is None:
            self._kept = kept
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = json.dumps({"version": 1, "folders": kept}, indent=1)
            write_bytes(self._path, data.encode("utf-8", "replace"))
        except OSError as exc:
            home = self._path.parent
            why, hint = why_unusable(home, exc)
            raise SettingsError(
                f"The answer about the folder could not be kept in {home}: {why}.", hint=hint
            ) from exc


class FolderTrust:
    """The rules of folders as far as they are trusted.

    `asks` is True where a window asks a person first. Without one a folder that was named counts as
    trusted for the text of its rules. `trust` is the answer for this run, None for none.
    """

    def __init__(
        self, data_dir: Path | None, read_skills: ReadSkills, trust: bool | None = None
    ) -> None:
        self.book = TrustBook(data_dir, read_skills)
        self.asks = False
        self._trust = trust

    def rules(self, folder: Path | None) -> tuple[Sequence[Section], Sequence[str]]:
        """Sections for the request and warnings for the person. Blocking file I/O."""
        if folder is None or self._trust is False:
            return (), ()
        content = self.book.look(folder)
        found = content.rules
        state = self.book.state(content)
        if not self.asks or self._trust:
            told = ("The rules of this folder changed since they were trusted.",)
            return found.sections, (*(told if state == "changed" else ()), *found.warnings)
        if state in ("nothing", "trusted"):
            return found.sections, found.warnings
        why = {
            "changed": "What this folder brings along changed since you trusted it",
            "refused": "This folder was opened without what it brings along",
            "new": "This folder is not trusted yet",
        }[state]
        return (), (f"{why}: its rules and skills are not used.",)

    def trusts(self, folder: Path) -> bool:
        """Whether the folder's texts may be used as they are now. Blocking file I/O."""
        if self._trust is not None:
            return self._trust
        return not self.asks or self.book.state(self.book.look(folder)) in ("nothing", "trusted")

    def server_list(self, folder: Path | None) -> tuple[str, bool]:
        """The text of the folder's list of servers, and whether they may be started.

        A folder that was merely named for a run is not trusted for programs. Blocking file I/O.
        """
        if folder is None or not is_there(folder / SERVERS):
            return "", False
        content = self.book.look(folder)
        trusted = self._trust if self._trust is not None else self.book.state(content) == "trusted"
        return content.texts.get(SERVERS, ""), trusted

    def pending(self, folder: Path | None) -> TrustQuestion | None:
        """What to ask about the folder; None if nothing is to be asked. Blocking file I/O."""
        if folder is None or not self.asks or self._trust is not None:
            return None
        return self.book.question(folder)

    def reconsider(self, folder: Path | None) -> TrustQuestion | None:
        """What was asked about the folder, to be answered anew; None if it brings nothing.

        Blocking file I/O.
        """
        if folder is None or not self.asks or self._trust is not None:
            return None
        content = self.book.look(folder)
        if self.book.state(content) == "nothing":
            return None
        return self.book.question(folder) or TrustQuestion(content)

    def answer(self, question: TrustQuestion, trusted: bool) -> None:
        """Keeps the answer. SettingsError if it cannot be stored."""
        self.book.answer(question.content, trusted)

    def edited(self, folder: Path | None, names: Collection[str]) -> None:
        """What the person wrote in the window needs no look either. Blocking file I/O."""
        if folder is not None:
            self.book.accept(folder, names, own_words=True)

    def written(self, folder: Path | None, names: Collection[str]) -> None:
        """A change a person allowed, diff and all, needs no second look. Blocking file I/O."""
        if folder is not None:
            self.book.accept(folder, names)


def _is_whole(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("trusted"), bool)
        and isinstance(entry.get("digest"), str)
        and isinstance(entry.get("texts"), dict)
        and all(isinstance(text, str) for text in entry["texts"].values())
    )
