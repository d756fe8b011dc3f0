"""One fact on the memory page: its text, where it came from and where it was used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kinet.ui.asking.approval_words import home_short
from kinet.ui.kept_facts import FactRow, FactUse, KeptFacts
from kinet.ui.kit.controls import ElidedLabel, IconButton, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tasks import in_thread, spawn

_SHOWN = 5


class FactLine(QWidget):
    """Shows a fact and says what was asked for. Its story is read when it is opened."""

    edit_requested = Signal(object)
    delete_requested = Signal(object)
    session_wanted = Signal(str)

    def __init__(self, fact: FactRow, memory: KeptFacts, parent: QWidget) -> None:
        super().__init__(parent)
        self.fact, self._memory = fact, memory
        self.setProperty("fact", fact.id)
        text = text_label(fact.text, parent=self)
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        place = ElidedLabel(_place(fact), self, mode=Qt.TextElideMode.ElideMiddle)
        place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        place.setProperty("type", "meta")
        place.setProperty("tone", "text_3")
        short = fact.text[:60]
        self.story = IconButton("chevron-down", f"Where from, where used: {short}", parent=self)
        self.story.clicked.connect(self.toggle)
        edit = IconButton("edit", f"Edit: {short}", parent=self)
        edit.clicked.connect(lambda: self.edit_requested.emit(self.fact))
        delete = IconButton("trash", f"Delete: {short}", parent=self)
        delete.clicked.connect(lambda: self.delete_requested.emit(self.fact))
        self._words = QVBoxLayout()
        self._words.setSpacing(2)
        self._words.addWidget(text)
        self._words.addWidget(place)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(2)
        row.addLayout(self._words, 1)
        for button in (self.story, edit, delete):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._open: QWidget | None = None

    def toggle(self) -> None:
        """Opens the story of the fact, or folds it."""
        if self._open is not None:
            self._open.deleteLater()
            self._open = None
            self.story.set_icon("chevron-down")
            return
        self.story.set_icon("chevron-up")
        self._open = QWidget(self)
        QVBoxLayout(self._open).setContentsMargins(0, 6, 0, 2)
        self._words.addWidget(self._open)
        spawn(self._tell(self._open), "story of a fact")

    async def _tell(self, holder: QWidget) -> None:
        def read() -> tuple[Sequence[FactUse], Sequence[FactUse]]:
            return self._memory.origins(self.fact.id), self._memory.uses(self.fact.id)

        origins, uses = await in_thread(read)
        if self._open is not holder:
            return
        column = holder.layout()
        assert isinstance(column, QVBoxLayout)
        column.setSpacing(2)
        for earlier in reversed(self.fact.earlier):
            self._line(column, f"Said until {_day(earlier.until)}: {earlier.text}")
        self._places(column, "Noticed in", origins)
        if not origins:
            self._line(column, "Written by hand" if self.fact.confirmed else "Its source is gone")
        self._places(column, "Told to the model in", uses)
        if not uses:
            self._line(column, "Not told to a model yet")

    def _places(self, column: QVBoxLayout, words: str, places: Sequence[FactUse]) -> None:
        for place in places[:_SHOWN]:
            row = QHBoxLayout()
            row.setSpacing(6)
            row.addWidget(text_label(words, type="meta", tone="text_3", parent=self))
            name = place.title or "Untitled"
            button = TextButton(
                name[:60], self, kind="quiet", size="row", name=f"Open the session {name}"
            )
            button.clicked.connect(
                lambda _checked=False, id_=place.session_id: self.session_wanted.emit(id_)
            )
            row.addWidget(button)
            when = datetime.fromtimestamp(place.at).strftime("%Y-%m-%d") if place.at else ""
            row.addWidget(text_label(when, type="meta", tone="text_3", parent=self))
            row.addStretch(1)
            column.addLayout(row)
        if len(places) > _SHOWN:
            self._line(column, f"and in {len(places) - _SHOWN} more")

    def _line(self, column: QVBoxLayout, words: str) -> None:
        label = text_label(words, type="meta", tone="text_3", parent=self)
        label.setWordWrap(True)
        column.addWidget(label)


def _place(fact: FactRow) -> str:
    parts = [home_short(fact.folder) if fact.folder else "About you"]
    if not fact.confirmed:
        parts.append(f"noticed {_day(fact.created)}".strip())
    elif fact.created:
        parts.append(_day(fact.created))
    if fact.earlier:
        parts.append(f"changed {_day(fact.earlier[-1].until)}".strip())
    return " · ".join(parts)


def _day(text: Any) -> str:
    return str(text)[:10]
