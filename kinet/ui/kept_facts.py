"""What the window needs of memory: the facts that are kept, and all a person does with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Support(Protocol):
    """A place a fact was taken from."""

    @property
    def session(self) -> str:
        """The id of the session."""
        ...

    @property
    def at(self) -> str:
        """When, in ISO form, UTC; "" where not known."""
        ...


class Earlier(Protocol):
    """What a fact said before it changed."""

    @property
    def text(self) -> str:
        """The text."""
        ...

    @property
    def until(self) -> str:
        """Until when, in ISO form, UTC."""
        ...


class FactUse(Protocol):
    """A session that was told a fact."""

    @property
    def session_id(self) -> str:
        """Its id."""
        ...

    @property
    def title(self) -> str:
        """Its name."""
        ...

    @property
    def at(self) -> float:
        """Wall time of the first time, in seconds."""
        ...


class FactRow(Protocol):
    """A fact the assistant keeps."""

    @property
    def id(self) -> str:
        """Unique among all facts."""
        ...

    @property
    def text(self) -> str:
        """The fact, as the model reads it."""
        ...

    @property
    def scope(self) -> str:
        """`person` (in every session) or `project` (in sessions on `folder`)."""
        ...

    @property
    def folder(self) -> str:
        """The project's folder; "" for facts of the person."""
        ...

    @property
    def created(self) -> str:
        """When it was added, in ISO form, UTC; "" where not known."""
        ...

    @property
    def importance(self) -> int:
        """1 to 5."""
        ...

    @property
    def support(self) -> Sequence[Support]:
        """Where it was taken from, the oldest first; empty for what was written by hand."""
        ...

    @property
    def earlier(self) -> Sequence[Earlier]:
        """What it said before, the oldest first."""
        ...

    @property
    def confirmed(self) -> bool:
        """True if a person wrote, edited or kept it."""
        ...


class KeptFacts(Protocol):
    """All facts. What changes them may raise StoreError with a sentence."""

    def on_change(self, listener: Callable[[], None]) -> Callable[[], object]:
        """Calls `listener` after each change; what comes back ends that."""
        ...

    def facts(self, words: str = "") -> Sequence[FactRow]:
        """The facts kept, oldest first; with `words` those that fit, the best first."""
        ...

    def add_fact(self, text: str, folder: str = "") -> FactRow:
        """Keeps a fact of the person, or of the project in `folder`."""
        ...

    def edit_fact(self, fact_id: str, text: str) -> FactRow:
        """Another text for a fact."""
        ...

    def keep_fact(self, fact_id: str) -> FactRow:
        """The person wants a noticed fact kept."""
        ...

    def move_fact(self, fact_id: str, folder: str) -> FactRow:
        """Makes it a fact of the project in `folder` alone, with "" one of the person."""
        ...

    def take_back_fact(self, fact_id: str) -> FactRow:
        """What a fact said before its newest change."""
        ...

    def put_back_fact(self, fact: Any) -> FactRow:
        """A fact as it was before it was deleted or changed."""
        ...

    def delete_fact(self, fact_id: str) -> None:
        """Forgets it."""
        ...

    def origins(self, fact_id: str) -> Sequence[FactUse]:
        """The sessions it was taken from, the newest first. Blocks for a moment."""
        ...

    def uses(self, fact_id: str) -> Sequence[FactUse]:
        """The sessions that were told this fact, the newest first. Blocks for a moment."""
        ...

    def export_facts(self) -> str:
        """All facts as text, for `import_facts`."""
        ...

    def import_facts(self, text: str) -> int:
        """Adds the facts of an export; the number of new ones."""
        ...
