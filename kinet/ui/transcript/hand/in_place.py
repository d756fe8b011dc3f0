"""A widget that stands in the place of one entry for a while: the editor of a sent message."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.transcript.entries.widget_entry import StandIn
from kinet.ui.transcript.stage.stage import Stage


class InPlace(QObject):
    """At most one widget. `dropped` comes when other entries are shown: its place is gone."""

    dropped = Signal()

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._stage = stage
        stage.replaced.connect(self._drop)

    def put(self, turn_id: str, widget: QWidget) -> Entry | None:
        """Shows the widget in place of the message that began a turn; None if it is not shown."""
        original = self._question(turn_id)
        if original is None and not self._stage.filler.is_idle:
            # It stands above what is told yet.
            self._stage.filler.complete()
            original = self._question(turn_id)
        if original is None:
            return None
        self.take_back()
        stand_in = StandIn(widget, original)
        self._exchange(original, stand_in)
        self._stage.cards.stand_in = stand_in
        self._stage.refresh()
        return stand_in

    def take_back(self) -> None:
        """Shows the entry again; the widget is hidden and not deleted."""
        stand_in = self._stage.cards.stand_in
        if stand_in is not None:
            self._stage.cards.stand_in = None
            stand_in.widget.hide()
            self._exchange(stand_in, stand_in.original)
            self._stage.refresh()

    def _exchange(self, old: Entry, new: Entry) -> None:
        self._stage.flow.insert_before(new, old)
        self._stage.flow.remove(old)

    def _question(self, turn_id: str) -> Entry | None:
        """The first message of the person in the turn whose last line has this id."""
        found: Entry | None = None
        within = False
        for entry in reversed(self._stage.flow.entries):
            if isinstance(entry, MetaEntry):
                if within:
                    break
                within = entry.turn_id == turn_id
            elif within and entry.kind == "user":
                found = entry
        return found

    def _drop(self) -> None:
        stand_in = self._stage.cards.stand_in
        if stand_in is not None:
            self._stage.cards.stand_in = None
            stand_in.widget.hide()
            self.dropped.emit()
