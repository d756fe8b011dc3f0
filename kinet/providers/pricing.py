"""Tokens to money: prices per model, from the person, from our table, or a marked estimate."""

from __future__ import annotations

from collections.abc import Mapping

from kinet.core.completion import Usage
from kinet.core.profile import Price


class PriceTable:
    """Prices in USD per million tokens."""

    def __init__(self, overrides: Mapping[str, Mapping[str, float]] | None = None) -> None:
        self._overrides = dict(overrides or {})

    def price_of(self, model: str) -> Price:
        """The price of a model; its fields are None where not known."""
        return Price()

    def cost(self, model: str, usage: Usage) -> tuple[float | None, bool]:
        """(USD or None where not known, True if it is a fallback estimate)."""
        return None, False

    def rows(self) -> list[tuple[str, Price]]:
        """All known models with their prices, by name."""
        return []


def known_window(model: str) -> int:
    """The context window of a model in tokens; 0 where it is not known."""
    return 0
