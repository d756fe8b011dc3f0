"""Lets a screen reader walk through the transcript: message by message, part by part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from shiboken6 import VoidPtr, getCppPointer

from kinet.ui.transcript.entries.entry import Entry, Hit
from kinet.ui.transcript.entries.reasoning import ReasoningEntry
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.widget_entry import WidgetEntry
from kinet.ui.transcript.spoken.accessible_text import Offers, SpokenWords
from kinet.ui.transcript.spoken.spoken import (
    count_of_parts,
    name_of,
    name_of_part,
    piece_of_part,
    words_of,
    words_of_part,
)
from kinet.ui.transcript.stage.stage import Stage

_PARTS = {"answer": QAccessible.Role.Paragraph, "steps": QAccessible.Role.ListItem}


class _Virtual(QAccessibleInterface):
    """Something that is painted and has no widget of its own."""

    def __init__(self, owner: TranscriptReader) -> None:
        super().__init__()
        self.owner = owner
        self._text: SpokenWords | None = None
        self._offers: Offers | None = None
        self._known = 0

    def make_known(self) -> None:
        """Gives it to Qt, which keeps its address until it is forgotten again."""
        self._known = QAccessible.registerAccessibleInterface(self)

    def forget(self) -> None:
        """Takes it back from Qt, and with that ends it: an address that stays there after the
        object has gone ends the program, at the latest when it closes."""
        if self._known:
            QAccessible.deleteAccessibleInterface(self._known)

    def isValid(self) -> bool:
        """True while the transcript is there."""
        return self.owner.isValid()

    def object(self) -> Any:
        """There is none."""
        return None

    def window(self) -> Any:
        """The window of the transcript."""
        return self.owner.window()

    def childAt(self, x: int, y: int) -> Any:
        """Parts are found by their order."""
        return None

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Nothing here is written by a reader."""

    def foregroundColor(self) -> QColor:
        """Not told."""
        return QColor()

    def backgroundColor(self) -> QColor:
        """Not told."""
        return QColor()

    def focusChild(self) -> Any:
        """The transcript has the focus, not its parts."""
        return None

    def relations(self, match: Any = None) -> list[Any]:
        """None."""
        return []

    def words(self) -> str:
        """What is read letter by letter; "" where the parts are read instead."""
        return ""

    def hits(self) -> list[Hit]:
        """What can be pressed."""
        return []

    def press(self, hit: Hit) -> None:
        """Does what a click would."""

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
        """The words and the offers, as addresses: Qt asks for them so; 0 for anything else."""
        made: Any = None
        if kind == QAccessible.InterfaceType.TextInterface and self.words():
            made = self._text = self._text or SpokenWords(self.words, self.rect)
        elif kind == QAccessible.InterfaceType.ActionInterface and self.hits():
            made = self._offers = self._offers or Offers(self.hits, self.press)
        return VoidPtr(getCppPointer(made)[0] if made is not None else 0)

    def state(self) -> QAccessible.State:
        """Text that can be read and not changed."""
        state = QAccessible.State()
        state.readOnly = 1
        return state


class EntryReader(_Virtual):
    """One message, group of steps, or line."""

    def __init__(self, owner: TranscriptReader, entry: Entry) -> None:
        super().__init__(owner)
        self.entry = entry
        self._parts: list[PartReader] = []

    def parent(self) -> Any:
        """The transcript."""
        return self.owner

    def role(self) -> QAccessible.Role:
        """An item of the conversation."""
        return QAccessible.Role.ListItem

    def text(self, kind: QAccessible.Text) -> str:
        """Who says what."""
        if kind != QAccessible.Text.Name:
            return ""
        return name_of(self.entry, self.owner.stage.flow)

    def rect(self) -> QRect:
        """Where it is on the screen."""
        return self.owner.rect_of(self.entry)

    def childCount(self) -> int:
        """How many parts it has now."""
        return len(self._made())

    def child(self, index: int) -> Any:
        """One of its parts."""
        parts = self._made()
        return parts[index] if 0 <= index < len(parts) else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """The number of a part, -1 if it is none."""
        return next((n for n, part in enumerate(self._parts) if part is child), -1)

    def state(self) -> QAccessible.State:
        """Steps and thoughts tell whether they are open."""
        state = super().state()
        if isinstance(self.entry, StepGroup | ReasoningEntry):
            state.expandable = 1
            state.expanded = int(self.entry.open)
            state.collapsed = int(not self.entry.open)
        return state

    def words(self) -> str:
        """The message; an answer is read part by part."""
        return "" if count_of_parts(self.entry) else words_of(self.entry, self.owner.stage.flow)

    def hits(self) -> list[Hit]:
        """What belongs to the whole."""
        parts, rows = self.entry.kind == "answer", isinstance(self.entry, StepGroup)
        return [
            hit
            for hit in self.owner.hits_of(self.entry)
            if hit.action and not (rows and hit.action == "step") and not (parts and hit.piece >= 0)
        ]

    def press(self, hit: Hit) -> None:
        """Does what a click would."""
        self.owner.act(self.entry, hit)

    def forget(self) -> None:
        """Its parts go with it."""
        for part in self._parts:
            part.forget()
        self._parts.clear()
        super().forget()

    def _made(self) -> list[PartReader]:
        count = count_of_parts(self.entry)
        while len(self._parts) < count:
            part = PartReader(self, len(self._parts))
            part.make_known()
            self._parts.append(part)
        return self._parts[:count]


class PartReader(_Virtual):
    """A paragraph, a block of code, a table, or the row of a step."""

    def __init__(self, whole: EntryReader, number: int) -> None:
        super().__init__(whole.owner)
        self._whole = whole
        self._number = number

    def parent(self) -> Any:
        """The entry it belongs to."""
        return self._whole

    def role(self) -> QAccessible.Role:
        """A paragraph, or an item of a list of steps."""
        return _PARTS.get(self._whole.entry.kind, QAccessible.Role.StaticText)

    def text(self, kind: QAccessible.Text) -> str:
        """Its words."""
        if kind != QAccessible.Text.Name:
            return ""
        return name_of_part(self._whole.entry, self._number, self.owner.stage.flow)

    def words(self) -> str:
        """Its words without what it is: code is the code alone."""
        return words_of_part(self._whole.entry, self._number, self.owner.stage.flow)

    def hits(self) -> list[Hit]:
        """Its buttons and links; the row of a step shows the step."""
        entry, found = self._whole.entry, self.owner.hits_of(self._whole.entry)
        if isinstance(entry, StepGroup):
            calls = list(entry.records)[self._number : self._number + 1]
            return [Hit("step", call) for call in calls]
        piece = piece_of_part(entry, self._number)
        return [hit for hit in found if hit.action and hit.piece == piece]

    def press(self, hit: Hit) -> None:
        """Does what a click would."""
        self.owner.act(self._whole.entry, hit)

    def rect(self) -> QRect:
        """That of the whole."""
        return self._whole.rect()

    def childCount(self) -> int:
        """It has no parts."""
        return 0

    def child(self, index: int) -> Any:
        """It has no parts."""
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """It has no parts."""
        return -1


class TranscriptReader(QAccessibleWidget):
    """The conversation as a list: its items are the entries, its cards the real widgets."""

    def __init__(self, area: QWidget, stage: Stage, act: Callable[[Entry, Hit], None]) -> None:
        super().__init__(area, QAccessible.Role.List, area.accessibleName())
        self.stage = stage
        self.act = act
        self._area = area
        self._readers: dict[int, EntryReader] = {}
        stage.replaced.connect(self.forget)

    def childCount(self) -> int:
        """How many entries there are."""
        return len(self.stage.flow.entries)

    def child(self, index: int) -> Any:
        """The entry of this number; a question's card answers for itself."""
        entries = self.stage.flow.entries
        if not 0 <= index < len(entries):
            return None
        entry = entries[index]
        if isinstance(entry, WidgetEntry):
            return QAccessible.queryAccessibleInterface(entry.widget)
        reader = self._readers.get(id(entry))
        if reader is not None and reader.entry is not entry:
            reader.forget()
            reader = None
        if reader is None:
            reader = self._readers[id(entry)] = EntryReader(self, entry)
            reader.make_known()
        return reader

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """The number of an entry, -1 if it is none."""
        for number, entry in enumerate(self.stage.flow.entries):
            if isinstance(entry, WidgetEntry):
                if child.object() is entry.widget:
                    return number
            elif self._readers.get(id(entry)) is child:
                return number
        return -1

    def childAt(self, x: int, y: int) -> Any:
        """The entry at a place of the screen."""
        point = self._area.mapFromGlobal(QRect(x, y, 1, 1).topLeft())
        number, _ = self.stage.entry_at(point)
        return self.child(number)

    def rect_of(self, entry: Entry) -> QRect:
        """Where an entry is on the screen; empty if it is gone."""
        flow = self.stage.flow
        place = flow.place_of(entry)
        if place < 0:
            return QRect()
        left, width = self.stage.column
        corner = self._area.mapToGlobal(
            QRect(left, flow.top_of(place) - self.stage.bar.value(), 1, 1).topLeft()
        )
        return QRect(corner.x(), corner.y(), width, entry.height)

    def hits_of(self, entry: Entry) -> list[Hit]:
        """What can be pressed in an entry."""
        return entry.hits(self.stage.flow.style, self.stage.flow.width)

    def forget(self) -> None:
        """Another conversation is shown, or none any more."""
        for reader in self._readers.values():
            reader.forget()
        self._readers.clear()


_readers: dict[int, TranscriptReader] = {}


def install() -> None:
    """Makes Qt ask here for what a transcript is to a screen reader; once for the program."""
    if not _installed:
        _installed.append(True)
        QAccessible.installFactory(_made)


_installed: list[bool] = []


def _made(class_name: str, thing: QObject) -> QAccessibleInterface | None:
    stage, act = getattr(thing, "stage", None), getattr(thing, "act", None)
    if class_name != "Transcript" or not isinstance(thing, QWidget) or not isinstance(stage, Stage):
        return None
    if not callable(act):
        return None
    key = id(thing)
    # Qt keeps the interface, Python must keep the object behind it as long as the widget lives.
    reader = _readers[key] = TranscriptReader(thing, stage, act)
    thing.destroyed.connect(lambda: _let_go(key))
    return reader


def _let_go(key: int) -> None:
    """The widget is gone."""
    reader = _readers.pop(key, None)
    if reader is not None:
        reader.forget()
