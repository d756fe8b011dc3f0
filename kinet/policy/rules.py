"""Saved answers to questions, and how far each one reaches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kinet.core.approval import Decision


class RuleBook:
    """Remembers decisions; implements engine.base.Remembered."""

    def __init__(self, data_dir: Path | None = None, session_id: str = "") -> None:
        self._data_dir = data_dir
        self._session_id = session_id

    def for_session(self, session_id: str) -> RuleBook:
        """The same saved rules with a session's own answers beside them."""
        return RuleBook(self._data_dir, session_id)

    def decision(self, tool: str, arguments: Mapping[str, object], folder: str) -> Decision | None:
        """A remembered decision for such a call, or None."""
        return None

    def remember(
        self, tool: str, arguments: Mapping[str, object], folder: str, decision: Decision
    ) -> None:
        """Keeps a decision of scope session, folder or always."""
