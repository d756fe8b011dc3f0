"""Reads for the step panel what of an output lies in files: parts of its words, and its colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from kinet.ui.kit.tasks import spawn

if TYPE_CHECKING:
    from kinet.ui.panel.step_detail import StepDetail
    from kinet.ui.program import OpenSession

# More characters than any output has.
_ALL = 1 << 60


class StepOutputs(QObject):
    """Serves one panel; `session_of` gives the session whose steps it shows."""

    def __init__(
        self,
        detail: StepDetail,
        session_of: Callable[[], OpenSession | None],
        tell: Callable[[str], None],
    ) -> None:
        super().__init__(detail)
        self._whole, self._session_of, self._tell = detail.whole, session_of, tell
        detail.part_requested.connect(self._load_part)
        detail.whole.colours_wanted.connect(self._load_colours)
        detail.whole_wanted.connect(self._save_whole)

    def _load_part(self, call_id: str, part: int) -> None:
        session = self._session_of()
        if session is not None:
            spawn(self._show_part(session, call_id, part), "read an output")

    async def _show_part(self, session: OpenSession, call_id: str, part: int) -> None:
        from kinet.ui.panel.whole_strip import PART

        begin = part * PART
        text = await session.outputs.part(call_id, begin, PART)
        inks = await session.outputs.colours(call_id, begin, PART, -begin)
        self._whole.show_part(call_id, part, text, inks)

    def _load_colours(self, call_id: str, places: object) -> None:
        session = self._session_of()
        if session is not None and isinstance(places, Sequence) and len(places) == 4:
            spawn(self._show_colours(session, call_id, *map(int, places)), "read colours")

    async def _show_colours(
        self, session: OpenSession, call_id: str, begins: int, head: int, gap: int, dropped: int
    ) -> None:
        """Of an output that begins at `begins` of its text; after `head` of it a line of `gap`
        tells what was left out."""
        outputs = session.outputs
        found = [await outputs.colours(call_id, 0, head if dropped else _ALL, begins)]
        if dropped:
            moved = begins + gap - dropped
            found.append(await outputs.colours(call_id, head + dropped, _ALL, moved))
        self._whole.show_colours(call_id, [one for one in found if one is not None])

    def _save_whole(self, call_id: str, path: str) -> None:
        session = self._session_of()
        if session is not None:
            spawn(self._write_whole(session, call_id, Path(path)), "save an output")

    async def _write_whole(self, session: OpenSession, call_id: str, path: Path) -> None:
        from kinet.ui.kit.save_text import not_written
        from kinet.ui.panel.whole_strip import GONE

        try:
            kept = await session.outputs.save(call_id, path)
        except OSError as exc:
            self._tell(not_written(path, exc))
            return
        self._tell(f"Saved as {path.name}" if kept else GONE)
