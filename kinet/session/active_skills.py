"""The skills a person called in a session: whole in the prompt until they are taken away."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kinet.engine.base import Section
    from kinet.tools.base import ToolOutput


class Called(Protocol):
    """A message that called a skill (`skills.library`)."""

    @property
    def name(self) -> str:
        """The skill's name."""
        ...

    @property
    def arguments(self) -> str:
        """What followed the name."""
        ...

    @property
    def section(self) -> Section | None:
        """Its text for the prompt; None where it cannot be used."""
        ...

    @property
    def problem(self) -> str:
        """Why it cannot be used, a sentence; "" where it can."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was taken out of its text, sentences for the person."""
        ...


class SkillSource(Protocol):
    """Where a session has its skills from. All but `load` and `file` is called in a thread."""

    def sections(self, folder: Path | None) -> Sequence[Section]:
        """What the prompt says of them, once per session."""
        ...

    def called(self, folder: Path | None, text: str, session_id: str = "") -> Called | None:
        """The skill that a message calls; None for any other message."""
        ...

    def readable(self, folder: Path | None) -> tuple[Path, ...]:
        """Real folders of the skills in use, whose files may be read without a question."""
        ...

    async def load(
        self, name: str, arguments: str, folder: Path | None, session_id: str = ""
    ) -> ToolOutput:
        """A skill's text, as the tool of that name gives it."""
        ...

    async def file(self, name: str, file: str, folder: Path | None) -> ToolOutput:
        """The text of a file in a skill's folder. ToolError says which there are."""
        ...


ReadCall = Callable[[str], Called | None]


@dataclass(frozen=True, slots=True)
class _Active:
    arguments: str
    digest: str = ""
    # None until it is read: after a restart, or when the folder has changed.
    section: Section | None = None


class ActiveSkills:
    """In the order in which they were called. A text stays as it was read, so that the prompt does.

    `read` reads the skill that a message calls; it is blocking file I/O.
    """

    def __init__(self) -> None:
        self._items: dict[str, _Active] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self._items)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Their texts, as far as they were read."""
        return tuple(
            item.section for item in tuple(self._items.values()) if item.section is not None
        )

    def follow(self, text: str, read: ReadCall) -> list[str]:
        """Takes up the skill that a message calls, and reads what is not read yet.

        What comes back are sentences for the person: each of them costs one miss of the cache.
        """
        told = self._reread(read)
        called = read(text)
        if called is None:
            return told
        if called.section is None:
            return [*told, f"{called.problem} The message was sent as it is."]
        digest = _digest(called.section)
        before = self._items.get(called.name)
        if before is None or before.digest != digest:
            self._items[called.name] = _Active(called.arguments, digest, called.section)
            told.append(f"The skill {called.name} is active; this request reads the prompt anew.")
            told += [f"Skill {called.name}: {note}" for note in called.notes]
        return told

    def go_over(
        self, path: Sequence[str], left: Sequence[str], reached: Sequence[str], read: ReadCall
    ) -> None:
        """The conversation stands at another place: what was called there counts, no more.

        `path` are the messages that lead there, `reached` those of them that were not on the old
        way, `left` those of the old way that are not on this one. What the person took away stays
        away, unless a message that is reached called it.
        """
        calls = {_word(text): text for text in path if _word(text)}
        there = {_word(text) for text in reached}
        for word in dict.fromkeys(_word(text) for text in (*left, *reached) if _word(text)):
            name = word[1:]
            if word not in calls:
                self.remove(name)
                continue
            before = self._items.get(name)
            called = read(calls[word]) if before is not None or word in there else None
            if called is None or called.section is None:
                continue
            if before is None or before.arguments != called.arguments:
                self._items[name] = _Active(called.arguments)

    def remove(self, name: str) -> bool:
        """Takes a skill out of the prompt. False if it is not active."""
        return self._items.pop(name, None) is not None

    def forget_texts(self) -> None:
        """Reads all anew with the next turn: the folder is another one."""
        self._items = {
            name: _Active(item.arguments, item.digest) for name, item in self._items.items()
        }

    def to_note(self) -> list[dict[str, str]]:
        """What is kept of them."""
        return [
            {"name": name, "arguments": item.arguments, "digest": item.digest}
            for name, item in self._items.items()
        ]

    def take_note(self, note: Any) -> None:
        """Takes up what was kept; odd entries are left out."""
        for row in note if isinstance(note, list) else ():
            if isinstance(row, Mapping) and isinstance(row.get("name"), str):
                self._items[row["name"]] = _Active(
                    str(row.get("arguments", "")), str(row.get("digest", ""))
                )

    def _reread(self, read: ReadCall) -> list[str]:
        told = []
        for name, item in list(self._items.items()):
            if item.section is not None:
                continue
            called = read(f"/{name} {item.arguments}")
            if called is None or called.section is None:
                del self._items[name]
                why = called.problem if called else f"There is no skill {name} any more."
                told.append(f"{why} It is no longer active.")
                continue
            digest = _digest(called.section)
            self._items[name] = _Active(item.arguments, digest, called.section)
            if item.digest and item.digest != digest:
                told.append(f"The skill {name} changed; its new text is used from now on.")
        return told


def _word(text: str) -> str:
    """The word with a slash that a message begins with; "" where it begins otherwise."""
    first = text.split(maxsplit=1)[:1]
    return first[0] if first and first[0].startswith("/") else ""


def _digest(section: Section) -> str:
    return hashlib.sha256(section.text.encode("utf-8", "replace")).hexdigest()[:16]
