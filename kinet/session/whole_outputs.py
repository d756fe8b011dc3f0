"""The whole results of a session's calls, for the person and for `read_output`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinet.core.events import ToolFinished
from kinet.session.recorder import Recorder

if TYPE_CHECKING:
    from kinet.store.sessions import SessionStore


class WholeOutputs:
    """Implements tools.base.Outputs for one session."""

    def __init__(self, store: SessionStore, session_id: str, recorder: Recorder) -> None:
        self._store = store
        self._session_id = session_id
        self._recorder = recorder

    def load(self, call_id: str) -> str | None:
        """The whole output of a call of this session, or None. May raise StoreError."""
        for event in reversed(self._recorder.waiting()):
            if isinstance(event, ToolFinished) and event.call_id == call_id:
                return event.content
        return self._store.output(self._session_id, call_id)
