"""The whole results of a session's calls, for the person and for `read_output`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core.events import ToolFinished
from kinet.session.recorder import Recorder

if TYPE_CHECKING:
    from kinet.markup.terminal_inks import Inks
    from kinet.store.sessions import SessionStore


class WholeOutputs:
    """Implements tools.base.Outputs for one session."""

    def __init__(
        self,
        store: SessionStore,
        session_id: str,
        recorder: Recorder,
        data_dir: Path | None = None,
    ) -> None:
        self._data_dir = data_dir
        self._store = store
        self._session_id = session_id
        self._recorder = recorder

    async def part(self, call_id: str, offset: int, characters: int) -> str | None:
        """A part of an output that lies in a file; None if there is no such file any more."""
        from kinet.tools.processes import whole_output

        file = whole_output.place_of(self._data_dir, self._session_id, call_id)
        if file is None:
            return None
        read = await asyncio.to_thread(whole_output.page, file, offset, characters)
        return None if read is None else read.text

    async def colours(
        self, call_id: str, offset: int, characters: int, shift: int = 0
    ) -> Inks | None:
        """The colours of a part of an output, each place moved by `shift`; None for none."""
        from kinet.tools.processes import kept_colours, whole_output

        file = whole_output.place_of(self._data_dir, self._session_id, call_id)
        if file is None:
            return None
        return await asyncio.to_thread(kept_colours.inks, file, offset, characters, shift)

    async def save(self, call_id: str, to: Path) -> bool:
        """Writes such an output to another file; False if it is not kept any more.

        OSError if `to` cannot be written.
        """
        from kinet.tools.processes import whole_output

        file = whole_output.place_of(self._data_dir, self._session_id, call_id)
        return file is not None and await asyncio.to_thread(whole_output.save, file, to)

    def load(self, call_id: str, *, private: bool = False) -> str | None:
        """The whole output of a call of this session, or None. May raise StoreError.

        What the person keeps from the model is given only where `private` asks for it.
        """
        for event in reversed(self._recorder.waiting()):
            if isinstance(event, ToolFinished) and event.call_id == call_id:
                return event.content if private or not event.details.get("private") else None
        return self._store.output(self._session_id, call_id, private=private)
