"""Where a place stands on screen, and which place a key leads to from there."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextCursor, QTextDocument

from kinet.ui.transcript.blocks.ornaments import first_of
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.flow import Flow
from kinet.ui.transcript.stage.selection import Place

_STEPS = {
    Qt.Key.Key_Left: QTextCursor.MoveOperation.Left,
    Qt.Key.Key_Right: QTextCursor.MoveOperation.Right,
    Qt.Key.Key_Home: QTextCursor.MoveOperation.StartOfLine,
    Qt.Key.Key_End: QTextCursor.MoveOperation.EndOfLine,
}
_LEAPS = {
    Qt.Key.Key_Left: QTextCursor.MoveOperation.WordLeft,
    Qt.Key.Key_Right: QTextCursor.MoveOperation.WordRight,
    Qt.Key.Key_Up: QTextCursor.MoveOperation.PreviousBlock,
    Qt.Key.Key_Down: QTextCursor.MoveOperation.NextBlock,
}
_BACK = (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Home)
KEYS = frozenset({*_STEPS, *_LEAPS})


@dataclass(frozen=True)
class Spot:
    """Where a place is: its line's edges in the whole conversation, its x within the column."""

    top: int
    bottom: int
    x: float


class Caret:
    """Walks over the text of all messages, block by block; hidden text is walked over."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        # The x that a walk up or down keeps, and the place it came to.
        self._column: tuple[Place, float] | None = None

    def moved(self, place: Place, key: Qt.Key, *, leap: bool) -> Place:
        """Where a key leads; with `leap` by words, paragraphs, or to either end of all."""
        place = self._whole(place)
        if leap and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            return Place(0, 0, 0) if key == Qt.Key.Key_Home else self._last()
        if not leap and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return self._line_beside(place, back=key == Qt.Key.Key_Up)
        move = _LEAPS.get(key) if leap else _STEPS.get(key)
        if move is None:
            return place
        entry = self._text(place)
        if entry is not None:
            with entry.lent_document(place.piece, self._flow.style, self._flow.width) as document:
                cursor = QTextCursor(document)
                cursor.setPosition(min(place.offset, document.characterCount() - 1))
                if cursor.movePosition(move):
                    return Place(place.entry, place.piece, cursor.position())
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            return place
        back = key in _BACK
        beside = self._beside(place, back)
        if beside is None:
            return Place(place.entry, place.piece, 0) if back else self._end_of(place)
        return self._end_of(beside) if back else beside

    def spot(self, place: Place) -> Spot:
        """Where a place is on screen."""
        place = self._whole(place)
        entry, above = self._text(place), self._flow.top_of(place.entry)
        if entry is None:
            height = self._flow.entries[place.entry].height
            return Spot(above, above + height, 0)
        style, width = self._flow.style, self._flow.width
        with entry.lent_document(place.piece, style, width) as document:
            box = _line(document, place.offset)
            # Laying it out may have moved it.
            left, top = entry.piece(place.piece).text_origin(style)
            top += self._flow.top_of(place.entry) + entry.piece_top(place.piece)
            x = entry.piece_left(style, width) + left + box.x()
        return Spot(top + math.floor(box.top()), top + math.ceil(box.bottom()), x)

    def _line_beside(self, place: Place, *, back: bool) -> Place:
        """The place a line above or below, at the x where the walk began."""
        kept = self._column
        x = kept[1] if kept is not None and kept[0] == place else self.spot(place).x
        found = self._line_in(place, x, back=back) or self._line_in_next(place, x, back=back)
        self._column = (found, x)
        return found

    def _line_in(self, place: Place, x: float, *, back: bool, enter: bool = False) -> Place | None:
        """The next line within the block; with `enter` its first or last line."""
        entry = self._text(place)
        if entry is None:
            return place if enter else None
        style, width = self._flow.style, self._flow.width
        with entry.lent_document(place.piece, style, width) as document:
            left = entry.piece_left(style, width) + entry.piece(place.piece).text_origin(style)[0]
            height = document.size().height()
            here = _line(document, place.offset)
            y = here.top() - 1 if back else here.bottom() + 1
            if enter:
                y = _line(document, document.characterCount() if back else 0).center().y()
            while 0 <= y <= height:
                hit = QPointF(x - left, y)
                offset = document.documentLayout().hitTest(hit, Qt.HitTestAccuracy.FuzzyHit)
                if offset >= 0:
                    there = _line(document, offset)
                    gone = there.top() < here.top() if back else there.top() > here.top()
                    if enter or gone:
                        return Place(place.entry, place.piece, offset)
                y += -4 if back else 4
        return None

    def _line_in_next(self, place: Place, x: float, *, back: bool) -> Place:
        beside = self._beside(place, back)
        while beside is not None:
            entry = self._text(beside)
            if entry is None or entry.piece(beside.piece).height > 0:
                return self._line_in(beside, x, back=back, enter=True) or beside
            beside = self._beside(beside, back)
        return self._end_of(place) if not back else Place(place.entry, place.piece, 0)

    def _beside(self, place: Place, back: bool) -> Place | None:
        """The block before or after, at its beginning; None at either end of all."""
        entries, entry = self._flow.entries, self._text(place)
        if entry is not None and 0 <= place.piece + (-1 if back else 1) < len(entry.pieces):
            return Place(place.entry, place.piece + (-1 if back else 1), 0)
        number = place.entry + (-1 if back else 1)
        if not 0 <= number < len(entries):
            return None
        other = self._text(Place(number, 0, 0))
        if other is None:
            return Place(number, 0, 0 if back else 1)
        return Place(number, len(other.pieces) - 1 if back else 0, 0)

    def _end_of(self, place: Place) -> Place:
        entry = self._text(place)
        if entry is None:
            return place
        with entry.lent_document(place.piece, self._flow.style, self._flow.width) as document:
            return Place(place.entry, place.piece, document.characterCount() - 1)

    def _last(self) -> Place:
        return self._end_of(self._whole(Place(len(self._flow.entries) - 1, 10**6, 10**9)))

    def _whole(self, place: Place) -> Place:
        """The place, within what there is."""
        number = min(place.entry, len(self._flow.entries) - 1)
        entry = self._text(Place(number, 0, 0))
        if entry is None:
            return Place(number, 0, min(place.offset, 1))
        return Place(number, min(place.piece, len(entry.pieces) - 1), place.offset)

    def _text(self, place: Place) -> TextEntry | None:
        """The entry whose text can be walked through, or None."""
        entry = self._flow.entries[place.entry]
        readable = isinstance(entry, TextEntry) and not entry.is_folded
        return entry if readable and isinstance(entry, TextEntry) and entry.pieces else None


def _line(document: QTextDocument, offset: int) -> QRectF:
    """The line of a place: its x, and the edges of the line."""
    offset = max(0, min(offset, document.characterCount() - 1))
    block = document.findBlock(offset)
    box = document.documentLayout().blockBoundingRect(block)
    line = block.layout().lineForTextPosition(offset - block.position())
    if not line.isValid():
        return QRectF(box.x(), box.y(), 0, box.height())
    x = first_of(line.cursorToX(offset - block.position()))
    # blockBoundingRect begins where the first line does.
    return QRectF(box.x() + x, box.y() + line.y(), 0, line.height())
