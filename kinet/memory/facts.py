"""The facts kept about the person and their projects: a small file, written whole."""

from __future__ import annotations

import builtins
import json
import os
import secrets
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kinet.core.atomic_write import write_bytes
from kinet.core.errors import StoreError
from kinet.memory.fact import MAX_CHARACTERS, Earlier, Fact, Support, clean, fact_from
from kinet.memory.merge import standing
from kinet.memory.refusals import refusal

_VERSION = 1
# What a fact said before is kept for the person to see; more than this nobody reads.
_EARLIER = 20
_SUPPORTS = 50


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a fact that was noticed. `was` is what it said before, "" for a new one."""

    fact: Fact
    was: str = ""


class FactBook:
    """All facts, in the order they were added. Safe to use from several threads.

    The file before the newest change stays beside it as a backup. A damaged file is set aside and
    named in `problems`, and the backup takes its place; its bytes are never lost. Nothing leaves
    by itself: only a person deletes, and the end of the last session a noticed fact came from.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._backup = path.with_name(f"{path.stem}.backup{path.suffix}")
        self._lock = threading.RLock()
        self.problems: builtins.list[str] = []
        self._facts: builtins.list[Fact] = self._load()

    def list(self, folder: Path | None = None) -> builtins.list[Fact]:
        """All facts; with `folder` those of the person and of this project."""
        with self._lock:
            if folder is None:
                return [*self._facts]
            place = real(folder)
            return [item for item in self._facts if item.scope == "person" or item.folder == place]

    def get(self, fact_id: str) -> Fact | None:
        """The fact of this id, None if there is none."""
        with self._lock:
            return next((item for item in self._facts if item.id == fact_id), None)

    def add(self, text: str, project: Path | None = None, source: str = "person") -> Fact:
        """Keeps what a person wrote, and gives it back; the same text twice is one fact.

        StoreError if the text is empty, too long, a secret or an order to the assistant, or if the
        file cannot be written.
        """
        tidy = _checked(text)
        place = real(project) if project else ""
        with self._lock:
            for known in self._facts:
                if (known.text, known.folder) == (tidy, place):
                    return known
            scope = "project" if place else "person"
            fact = Fact(_new_id(), tidy, scope, source, now(), place, confirmed=True)  # type: ignore[arg-type]
            self._save([*self._facts, fact])
            return fact

    def take(self, fact: Fact, replaces: str = "") -> Taken | None:
        """Merges a fact that was noticed; None if it was known already (its support is added).

        A fact that contradicts one becomes that one's new text; the old one stays in `earlier`.
        StoreError if the file cannot be written.
        """
        with self._lock:
            pool = [item for item in self._facts if item.folder == fact.folder]
            stands = standing(fact.text, fact.topic, replaces, pool)
            known = stands.known
            if known is None:
                kept = replace(fact, id=_new_id(), created=fact.created or now())
                self._save([*self._facts, kept])
                return Taken(kept)
            grown = _supported(known, fact)
            if stands.relation == "same":
                if grown != known:
                    self._replace(grown)
                return None
            kept = replace(
                grown,
                text=fact.text,
                topic=fact.topic or known.topic,
                earlier=(*known.earlier, Earlier(known.text, now()))[-_EARLIER:],
            )
            self._replace(kept)
            return Taken(kept, known.text)

    def edit(self, fact_id: str, text: str) -> Fact:
        """Another text for a fact, by a person. StoreError as for `add`, or if there is none."""
        tidy = _checked(text)

        def change(fact: Fact) -> Fact:
            if fact.text == tidy:
                return replace(fact, confirmed=True)
            earlier = (*fact.earlier, Earlier(fact.text, now()))[-_EARLIER:]
            return replace(fact, text=tidy, earlier=earlier, confirmed=True)

        return self._changed(fact_id, change)

    def confirm(self, fact_id: str) -> Fact:
        """A person wants it kept. StoreError if there is no such fact."""
        return self._changed(fact_id, lambda fact: replace(fact, confirmed=True))

    def move(self, fact_id: str, project: Path | None) -> Fact:
        """Makes it a fact of this project alone, or with None one of the person."""
        place = real(project) if project else ""

        def change(fact: Fact) -> Fact:
            scope = "project" if place else "person"
            return replace(fact, folder=place, scope=scope, confirmed=True)  # type: ignore[arg-type]

        return self._changed(fact_id, change)

    def take_back(self, fact_id: str) -> Fact:
        """Gives a fact the text it had before its newest change. StoreError if it had none."""

        def change(fact: Fact) -> Fact:
            if not fact.earlier:
                raise StoreError("This fact has always said this.")
            return replace(fact, text=fact.earlier[-1].text, earlier=fact.earlier[:-1])

        return self._changed(fact_id, change)

    def put_back(self, fact: Fact) -> None:
        """Keeps a fact as it was before it was deleted or changed."""
        with self._lock:
            if self.get(fact.id) is not None:
                self._replace(fact)
            else:
                self._save([*self._facts, fact])

    def delete(self, fact_id: str) -> bool:
        """Forgets a fact; False if there is none of this id. StoreError if it cannot be written."""
        with self._lock:
            kept = [item for item in self._facts if item.id != fact_id]
            if len(kept) == len(self._facts):
                return False
            self._save(kept)
            return True

    def forget_sessions(self, session_ids: Collection[str]) -> int:
        """Sessions go for good: facts that only they support go too. Gives their number.

        What a person wrote, edited or kept stays.
        """
        gone = set(session_ids)
        with self._lock:
            kept = []
            for fact in self._facts:
                left = tuple(item for item in fact.support if item.session not in gone)
                if left or not fact.support or not fact.is_noticed:
                    kept.append(fact if left == fact.support else replace(fact, support=left))
            if kept != self._facts:
                count = len(self._facts) - len(kept)
                self._save(kept)
                return count
            return 0

    def export(self) -> str:
        """All facts as JSON text, for `import_text`."""
        with self._lock:
            return _written(self._facts)

    def import_text(self, text: str) -> int:
        """Adds the facts of an export; known ones stay as they are. Gives the number of new ones.

        Secrets and orders are left out. StoreError if the text is not an export; nothing is
        changed then.
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
                if len(fact.text) > MAX_CHARACTERS or refusal(fact.text, by_hand=True):
                    continue
                known.add((fact.text, fact.folder))
                if fact.id in ids or not fact.id:
                    fact = replace(fact, id=_new_id())
                ids.add(fact.id)
                new.append(fact)
            if new:
                self._save([*self._facts, *new])
            return len(new)

    def _changed(self, fact_id: str, change: Callable[[Fact], Fact]) -> Fact:
        with self._lock:
            known = self.get(fact_id)
            if known is None:
                raise StoreError(f"There is no fact {fact_id!r}.", hint="It may be deleted.")
            fact = change(known)
            if fact != known:
                self._replace(fact)
            return fact

    def _replace(self, fact: Fact) -> None:
        self._save([fact if item.id == fact.id else item for item in self._facts])

    def _load(self) -> builtins.list[Fact]:
        try:
            return _read(self._path)
        except ValueError as exc:
            aside = self._set_aside()
            said = f"The memory file was damaged ({exc}) and was set aside as {aside.name}; "
        try:
            facts = _read(self._backup)
        except (ValueError, StoreError):
            facts = []
        if facts:
            said += f"{len(facts)} facts were taken from its backup; the newest change may be lost."
        else:
            said += "memory begins empty."
        self.problems.append(said)
        return facts

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
            if self._path.exists():
                write_bytes(self._backup, self._path.read_bytes())
            write_bytes(self._path, _written(facts).encode())
        except OSError as exc:
            raise StoreError(
                f"The memory file {self._path} cannot be written: {exc.strerror}.",
                hint="Check the free space and the permissions of the data folder.",
            ) from exc
        self._facts = facts


def real(folder: Path) -> str:
    """A project's name among facts: its real path."""
    return os.path.realpath(folder)


def now() -> str:
    """The time as facts keep it: ISO form, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _supported(known: Fact, other: Fact) -> Fact:
    """The known fact with the other's places, and the larger of both importances."""
    places = {(item.session, item.message) for item in known.support}
    more = [item for item in other.support if (item.session, item.message) not in places]
    support: tuple[Support, ...] = (*known.support, *more)[-_SUPPORTS:]
    return replace(known, support=support, importance=max(known.importance, other.importance))


def _checked(text: str) -> str:
    tidy = clean(text)
    if not tidy:
        raise StoreError("There is nothing to remember: the text is empty.")
    if len(tidy) > MAX_CHARACTERS:
        raise StoreError(
            f"The text has {len(tidy):,} characters; a fact may have {MAX_CHARACTERS:,}.",
            hint="Keep the point and leave the rest.",
        )
    if why := refusal(tidy, by_hand=True):
        raise StoreError(
            f"This is not kept: {why}.",
            hint="Facts lie in a plain file and are sent with every conversation.",
        )
    return tidy


def _read(path: Path) -> builtins.list[Fact]:
    """[] where there is no file. ValueError for a damaged one, StoreError if it is not readable."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as exc:
        raise StoreError(
            f"The memory file {path} cannot be read: {exc.strerror}.", hint="Check its permissions."
        ) from exc
    return _parsed(data.decode("utf-8"))


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
    return [fact_from(item) for item in facts]


def _new_id() -> str:
    return secrets.token_hex(4)
