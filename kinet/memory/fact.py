"""One thing to remember, and where it came from, as frozen values with a JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

FactScope = Literal["person", "project"]
MAX_CHARACTERS = 4_000
LEAST, USUAL, MOST = 1, 3, 5


@dataclass(frozen=True, slots=True)
class Support:
    """A place a fact was taken from: a session, the message in it, when (ISO form, UTC)."""

    session: str
    message: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a fact said before it changed, and until when (ISO form, UTC)."""

    text: str
    until: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to remember. `folder` is the project's real path, "" for a fact of the person.

    `created` is a date and time in ISO form, UTC, for display only; `source` is "person" for what
    was written by hand and "conversation" for what was noticed. `importance` is 1 to 5. `topic` is
    what it is about in one word; two facts on one topic cannot hold both. `support` is where it was
    taken from, `earlier` what it said before. `confirmed`: a person wrote, edited or kept it.
    """

    id: str
    text: str
    scope: FactScope = "person"
    source: str = "person"
    created: str = ""
    folder: str = ""
    importance: int = USUAL
    topic: str = ""
    support: tuple[Support, ...] = field(default=())
    earlier: tuple[Earlier, ...] = field(default=())
    confirmed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; `fact_from` reads them."""
        return asdict(self)

    @property
    def is_noticed(self) -> bool:
        """True if no person stands behind it: it was taken from conversations alone."""
        return self.source != "person" and not self.confirmed


def fact_from(raw: Any) -> Fact:
    """Reads what `to_dict` gave, and the shorter form of earlier versions.

    Fields of another type are left out. ValueError if there is no text.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("text"), str):
        raise ValueError("an entry has no text")
    words = {key: raw.get(key) for key in ("id", "source", "created", "folder", "topic")}
    plain = {key: value for key, value in words.items() if isinstance(value, str)}
    scope: FactScope = "project" if plain.get("folder") else "person"
    importance = raw.get("importance")
    return Fact(
        text=clean(raw["text"]),
        scope=scope,
        importance=within(importance if isinstance(importance, int) else USUAL),
        support=tuple(Support(**item) for item in _texts(raw.get("support"), "session")),
        earlier=tuple(Earlier(**item) for item in _texts(raw.get("earlier"), "text")),
        confirmed=raw.get("confirmed") is True,
        **{"id": "", **plain},
    )


def within(importance: int) -> int:
    """An importance from 1 to 5."""
    return max(LEAST, min(MOST, importance))


def clean(text: str) -> str:
    """No outer blanks, no half characters: such text could not be stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _texts(raw: Any, needed: str) -> list[dict[str, str]]:
    """The objects of a list that have the needed text; their other known texts with it."""
    known = ("session", "message", "at") if needed == "session" else ("text", "until")
    found = []
    for item in raw if isinstance(raw, list | tuple) else ():
        if isinstance(item, Mapping) and isinstance(item.get(needed), str):
            found.append({key: item[key] for key in known if isinstance(item.get(key), str)})
    return found
