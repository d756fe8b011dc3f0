"""The facts of a folder as a window has them, without a database behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kinet.memory.facts import FactBook
from kinet.settings.memory_services import MemoryServices


class Told:
    """Which sessions were told a fact: what a test puts here."""

    def __init__(self) -> None:
        self.told: dict[str, list[Any]] = {}
        self.known: list[Any] = []

    def of(self, fact_id: str) -> list[Any]:
        return self.told.get(fact_id, [])

    def sessions(self, session_ids: Sequence[str]) -> list[Any]:
        return [item for item in self.known if item.session_id in session_ids]


def facts_at(home: Path, told: Told | None = None) -> MemoryServices:
    """The facts of `home`; nothing else hears of changes."""
    return MemoryServices(FactBook(home / "facts.json"), told or Told(), lambda: None)  # type: ignore[arg-type]
