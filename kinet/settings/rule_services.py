"""Saved rules and the rule simulator, as a face shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kinet.core.approval import Decision
from kinet.policy.rules import RuleBook, describe
from kinet.policy.simulator import Simulated, simulate


@dataclass(frozen=True, slots=True)
class ShownRule:
    """One rule in words."""

    id: str
    text: str


class RuleServices:
    """Lists, adds, revokes and tries rules. `mode` gives the usual approval mode."""

    def __init__(self, book: RuleBook, mode: Callable[[], str], data_dir: Path | None) -> None:
        self._book, self._mode, self._data_dir = book, mode, data_dir

    def rules(self) -> Sequence[ShownRule]:
        """All rules, those of open sessions first."""
        return [ShownRule(rule.id, describe(rule)) for rule in self._book.all_rules()]

    def revoke_rule(self, rule_id: str) -> None:
        """Takes a rule away. SettingsError if it stays stored."""
        self._book.revoke(rule_id)

    def add_rule(self, words: str, folder: str, *, allowed: bool) -> None:
        """A rule for commands that begin with these words; "" as folder: everywhere.

        SettingsError says why it may not be kept.
        """
        decision = Decision(allowed, "folder" if folder else "always")
        self._book.add_prefix(words, folder, decision)

    def simulate(self, command: str, folder: str) -> Simulated:
        """What the gate would say to this command; nothing is run."""
        place = Path(folder) if folder else Path.home()
        return simulate(command, place, self._book, self._mode(), self._data_dir)
