"""The facts that are kept, as a face lists, finds and changes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kinet.memory.recall import search

if TYPE_CHECKING:
    from kinet.memory.fact import Fact
    from kinet.memory.facts import FactBook
    from kinet.store.fact_uses import FactUse, FactUses

T = TypeVar("T")

_ALL = 10_000


class MemoryServices:
    """All acts of a person on facts. Each may raise StoreError; sessions then take up the change.

    `changed` is called after each act, `on_change` adds listeners of a face.
    """

    def __init__(self, book: FactBook, uses: FactUses, changed: Callable[[], None]) -> None:
        self._book, self._uses, self._changed = book, uses, changed
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each act; what comes back ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def facts(self, words: str = "") -> Sequence[Fact]:
        """The facts kept, oldest first; with `words` those that fit, the best first."""
        known = self._book.list()
        return search(known, words, _ALL) if words.strip() else known

    def fact(self, fact_id: str) -> Fact | None:
        """The fact of this id, None if it is not kept."""
        return self._book.get(fact_id)

    def add_fact(self, text: str, folder: str = "") -> Fact:
        """Keeps a fact of the person, or of the project in `folder`."""
        return self._told(self._book.add(text, Path(folder) if folder else None))

    def edit_fact(self, fact_id: str, text: str) -> Fact:
        """Another text for a fact; the old one is kept with it."""
        return self._told(self._book.edit(fact_id, text))

    def keep_fact(self, fact_id: str) -> Fact:
        """The person wants a noticed fact kept."""
        # What the model is told does not change by that.
        fact = self._book.confirm(fact_id)
        self._tell()
        return fact

    def move_fact(self, fact_id: str, folder: str) -> Fact:
        """Makes it a fact of the project in `folder` alone, with "" one of the person."""
        return self._told(self._book.move(fact_id, Path(folder) if folder else None))

    def take_back_fact(self, fact_id: str) -> Fact:
        """What a fact said before its newest change."""
        return self._told(self._book.take_back(fact_id))

    def put_back_fact(self, fact: Fact) -> Fact:
        """A fact as it was before it was deleted or changed."""
        self._book.put_back(fact)
        return self._told(fact)

    def delete_fact(self, fact_id: str) -> None:
        """Forgets it."""
        self._book.delete(fact_id)
        self._told(None)

    def origins(self, fact_id: str) -> Sequence[FactUse]:
        """The sessions it was taken from, the newest first. Blocks for a moment."""
        fact = self._book.get(fact_id)
        supports = fact.support if fact is not None else ()
        return self._uses.sessions([item.session for item in reversed(supports)])

    def uses(self, fact_id: str) -> Sequence[FactUse]:
        """The sessions that were told this fact, the newest first. Blocks for a moment."""
        return self._uses.of(fact_id)

    def export_facts(self) -> str:
        """All facts as text, for `import_facts`."""
        return self._book.export()

    def import_facts(self, text: str) -> int:
        """Adds the facts of an export; the number of new ones."""
        count = self._book.import_text(text)
        self._told(None)
        return count

    def _told(self, value: T) -> T:
        self._changed()
        self._tell()
        return value

    def _tell(self) -> None:
        for listener in list(self._listeners):
            listener()
