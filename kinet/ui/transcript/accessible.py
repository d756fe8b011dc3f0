"""Lets a screen reader walk through the transcript: message by message, part by part."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QColor
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from kinet.ui.transcript.entry import Entry
from kinet.ui.transcript.spoken import name_of, parts_of
from kinet.ui.transcript.stage import Stage
from kinet.ui.transcript.widget_entry import WidgetEntry

_PARTS = {"answer": QAccessible.Role.Paragraph, "steps": QAccessible.Role.ListItem}


class _Virtual(QAccessibleInterface):
    """Something that is painted and has no widget of its own."""

    def __init__(self, owner: TranscriptReader) -> None:
        super().__init__()
        self.owner = owner

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
        return name_of(self.entry) if kind == QAccessible.Text.Name else ""

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

    def part_names(self) -> list[str]:
        """What its parts say."""
        return parts_of(self.entry, self.owner.stage.flow)

    def _made(self) -> list[PartReader]:
        count = len(self.part_names())
        while len(self._parts) < count:
            part = PartReader(self, len(self._parts))
            QAccessible.registerAccessibleInterface(part)
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
        names = self._whole.part_names() if kind == QAccessible.Text.Name else []
        return names[self._number] if self._number < len(names) else ""

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

    def __init__(self, area: QWidget, stage: Stage) -> None:
        super().__init__(area, QAccessible.Role.List, area.accessibleName())
        self.stage = stage
        self._area = area
        self._readers: dict[int, EntryReader] = {}
        stage.replaced.connect(self._forget)

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
        if reader is None or reader.entry is not entry:
            reader = self._readers[id(entry)] = EntryReader(self, entry)
            QAccessible.registerAccessibleInterface(reader)
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

    def _forget(self) -> None:
        """Another conversation is shown."""
        self._readers.clear()


_readers: dict[int, TranscriptReader] = {}


def install() -> None:
    """Makes Qt ask here for what a transcript is to a screen reader; once for the program."""
    if not _installed:
        _installed.append(True)
        QAccessible.installFactory(_made)


_installed: list[bool] = []


def _made(class_name: str, thing: QObject) -> QAccessibleInterface | None:
    stage = getattr(thing, "stage", None)
    if class_name != "Transcript" or not isinstance(thing, QWidget) or not isinstance(stage, Stage):
        return None
    key = id(thing)
    # Qt keeps the interface, Python must keep the object behind it as long as the widget lives.
    reader = _readers[key] = TranscriptReader(thing, stage)
    thing.destroyed.connect(lambda: _readers.pop(key, None))
    return reader
