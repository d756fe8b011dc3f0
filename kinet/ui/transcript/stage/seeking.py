"""Shows a step of the conversation: at once, or as soon as what stands far above is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, SignalInstance

from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.stage.stage import Stage


class _Shown(Protocol):
    """Whatever shows steps: the transcript."""

    stage: Stage

    @property
    def step_activated(self) -> SignalInstance:
        """The step is to be opened."""
        ...

    @property
    def step_found(self) -> SignalInstance:
        """Words in it are to be shown."""
        ...

    def select_step(self, call_id: str) -> None:
        """Marks the row of a step."""
        ...

    def go_to(self, entry: Entry) -> None:
        """Brings an entry into view."""
        ...


class Seeker(QObject):
    """Looks for one step at a time."""

    def __init__(self, transcript: _Shown) -> None:
        super().__init__(transcript.stage)
        self._transcript = transcript
        self._stage = transcript.stage
        # The step that is to be shown when it is told.
        self._sought: tuple[str, str, Callable[[], object] | None] | None = None
        self._stage.filler.prepended.connect(lambda _count: self._seek())
        self._stage.filler.finished.connect(self._seek)

    def open(self, call_id: str, words: str, otherwise: Callable[[], object] | None) -> None:
        """Shows the step of this call, at `words`; `otherwise` if there is none, or will be."""
        self._sought = None
        for entry in reversed(self._stage.flow.entries):
            if isinstance(entry, StepGroup) and call_id in entry.records:
                self._stage.follower.hold()
                self._show(call_id)
                self._transcript.go_to(entry)
                if words:
                    self._transcript.step_found.emit(call_id, words)
                return
        if not self._stage.filler.is_idle:
            self._sought = (call_id, words, otherwise)
        elif otherwise is not None:
            otherwise()

    def open_number(self, index: int) -> None:
        """Shows step number `index` of all (-1: the newest); nothing if there are not so many."""
        if index >= 0:
            # Counted from the beginning, which may not be told yet.
            self._stage.filler.complete()
        if call_id := self._call_at(index):
            self._show(call_id)

    def _show(self, call_id: str) -> None:
        self._transcript.select_step(call_id)
        self._transcript.step_activated.emit(call_id)

    def _call_at(self, index: int) -> str:
        """The id of call number `index`, "" if there are not so many."""
        back = index < 0
        left = -index - 1 if back else index
        for entry in reversed(self._stage.flow.entries) if back else self._stage.flow.entries:
            if isinstance(entry, StepGroup):
                calls = list(entry.records)
                if left < len(calls):
                    return calls[-1 - left] if back else calls[left]
                left -= len(calls)
        return ""

    def _seek(self) -> None:
        """More is told: the step that was asked for may be there now."""
        if self._sought is not None:
            self.open(*self._sought)
