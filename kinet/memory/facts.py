"""The facts kept about the person and their projects: a small file, written whole."""

from __future__ import annotations

import builtins
import json
import os
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from kinet.core.atomic_write import write_bytes
from kinet.core.errors import StoreError

FactScope = Literal["person", "project"]
MAX_CHARACTERS = 4_000
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to remember. `folder` is the project's real path, "" for a fact of the person.

    `created` is a date and time in ISO form, UTC, for display only; `source` says who told it.
    """

    id: str
    text: str
    scope: FactScope = "person"
    source: str = "person"
    created: str = ""
    folder: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain values, for JSON."""
        return asdict(self)


class FactBook:
    """All facts, in the order they were added. Safe to use from several threads.

    A damaged file is set aside beside itself and named in `problems`; its bytes are never lost.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self.problems: builtins.list[str] = []
        self._facts: builtins.list[Fact] = self._load()

    def list(self, folder: Path | None = None) -> builtins.list[Fact]:
        """All facts; with `folder` those of the person and of this project."""
        with self._lock:
            if folder is None:
                return [*self._facts]
            place = _real(folder)
            return [item for item in self._facts if item.scope == "person" or item.folder == place]

    def add(self, text: str, project: Path | None = None, source: str = "person") -> Fact:
        """Keeps a fact and gives it back; the same text twice is one fact.

        StoreError if the text is empty or too long, or the file cannot be written.
        """
        clean = _clean(text)
        if not clean:
            raise StoreError("There is nothing to remember: the text is empty.")
        if len(clean) > MAX_CHARACTERS:
            raise StoreError(
                f"The text has {len(clean):,} characters; a fact may have {MAX_CHARACTERS:,}.",
                hint="Keep the point and leave the rest.",
            )
        place = _real(project) if project else ""
        with self._lock:
            for known in self._facts:
                if (known.text, known.folder) == (clean, place):
                    return known
            fact = Fact(
                secrets.token_hex(4),
                clean,
                "project" if place else "person",
                source,
                datetime.now(UTC).isoformat(timespec="seconds"),
                place,
            )
            self._save([*self._facts, fact])
            return fact

    def delete(self, fact_id: str) -> bool:
        """Forgets a fact; False if there is none of this id. StoreError if it cannot be written."""
        with self._lock:
            kept = [item for item in self._facts if item.id != fact_id]
            if len(kept) == len(self._facts):
                return False
            self._save(kept)
            return True

    def export(self) -> str:
        """All facts as JSON text, for `import_text`."""
        with self._lock:
            return _written(self._facts)

    def import_text(self, text: str) -> int:
        """Adds the facts of an export; known ones stay as they are. Gives the number of new ones.

        StoreError if the text is not an export; nothing is changed then.
        """
        try:
            given = _parsed(text)
        except ValueError as exc:
            raise StoreError(
                f"This is not a list of facts: {exc}.", hint="Use a file made by the export."
            ) from exc
        with self._lock:
            known = {(item.text, item.folder) for item in self._facts}
            ids = {item.id for item in self._facts}
            new = []
            for fact in given:
                if (fact.text, fact.folder) in known or not fact.text:
                    continue
                known.add((fact.text, fact.folder))
                if fact.id in ids or not fact.id:
                    fact = Fact(**{**fact.to_dict(), "id": secrets.token_hex(4)})  # type: ignore[arg-type]
                ids.add(fact.id)
                new.append(fact)
            if new:
                self._save([*self._facts, *new])
            return len(new)

    def _load(self) -> builtins.list[Fact]:
        try:
            data = self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as exc:
            raise StoreError(
                f"The memory file {self._path} cannot be read: {exc.strerror}.",
                hint="Check its permissions.",
            ) from exc
        try:
            return _parsed(data.decode("utf-8"))
        except ValueError as exc:
            aside = self._set_aside()
            self.problems.append(
                f"The memory file was damaged ({exc}) and was set aside as {aside.name}; memory "
                "begins empty."
            )
            return []

    def _set_aside(self) -> Path:
        aside = self._path.with_name(f"{self._path.name}.damaged-{secrets.token_hex(3)}")
        try:
            os.replace(self._path, aside)
        except OSError as exc:
            raise StoreError(
                f"The memory file {self._path} is damaged and cannot be set aside: {exc.strerror}.",
                hint="Move it away by hand.",
            ) from exc
        return aside

    def _save(self, facts: builtins.list[Fact]) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_bytes(self._path, _written(facts).encode())
        except OSError as exc:
            raise StoreError(
                f"The memory file {self._path} cannot be written: {exc.strerror}.",
                hint="Check the free space and the permissions of the data folder.",
            ) from exc
        self._facts = facts


def _written(facts: Iterable[Fact]) -> str:
    value = {"version": _VERSION, "facts": [fact.to_dict() for fact in facts]}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _parsed(text: str) -> builtins.list[Fact]:
    """ValueError with a reason if it is not a list of facts."""
    try:
        value = json.loads(text)
    except RecursionError as exc:
        raise ValueError("it is nested too deeply") from exc
    facts = value.get("facts") if isinstance(value, Mapping) else value
    if not isinstance(facts, builtins.list):
        raise ValueError('there is no "facts"')
    return [_fact(item) for item in facts]


def _fact(raw: Any) -> Fact:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("text"), str):
        raise ValueError("an entry has no text")
    words = {key: raw.get(key) for key in ("id", "source", "created", "folder")}
    plain = {key: value for key, value in words.items() if isinstance(value, str)}
    scope: FactScope = "project" if plain.get("folder") else "person"
    return Fact(text=_clean(raw["text"]), scope=scope, **{"id": "", **plain})


def _clean(text: str) -> str:
    """No outer blanks, no half characters: such text could not be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _real(folder: Path) -> str:
    return os.path.realpath(folder)
