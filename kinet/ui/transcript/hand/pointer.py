"""The mouse over the transcript: hovering, clicking, selecting by dragging."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.entries import piece_paint
from kinet.ui.transcript.entries.entry import Entry, Hit
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.painting import Artist
from kinet.ui.transcript.stage.selection import Place, Selection
from kinet.ui.transcript.stage.stage import Stage


class Pointer(QObject):
    """Turns mouse events into hits and selections."""

    clicked = Signal(object, object)  # Entry, Hit
    hovered = Signal(str)  # address of the link below the mouse, "" for none
    selecting = Signal()
    held = Signal(bool)  # selected text was pressed and may be dragged away; False: it is not
    lifted = Signal()  # selected text is dragged away

    def __init__(self, stage: Stage, selection: Selection, artist: Artist, on: QWidget) -> None:
        super().__init__(on)
        self._stage = stage
        self._selection = selection
        self._artist = artist
        self._on = on
        self._pressed: tuple[int, Hit] | None = None
        self._dragging = False
        # True while a press on selected text may become a drag of it.
        self._may_lift = False
        self._thumb: tuple[Piece, int] | None = None
        self._begun = QPoint()
        self._clicks = 0
        self._last_click = 0
        # The word or the paragraph that was clicked: dragging on selects whole ones.
        self._unit: tuple[Place, Place] | None = None
        self._last = QPoint()
        self._edge = QTimer(self)
        self._edge.setInterval(30)
        self._edge.timeout.connect(self._scroll_while_dragging)

    def press(self, event: QMouseEvent, *, double: bool = False) -> None:
        """A button, or the beginning of a selection."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        near = (point - self._begun).manhattanLength() < QApplication.startDragDistance()
        soon = event.timestamp() - self._last_click < QApplication.doubleClickInterval()
        self._clicks = 2 if double else 3 if near and soon and self._clicks == 2 else 1
        self._last_click = event.timestamp()
        self._begun = self._last = point
        self._pressed, self._unit = self.hit(point), None
        self._thumb = self._grabbed()
        if self._thumb is not None:
            return
        self._dragging = True
        place = self.place_at(point)
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._may_lift = self._clicks == 1 and not shifted and self._selection.holds(place)
        if self._may_lift:
            # A click takes the selection away, but only when the button is let go.
            self.held.emit(True)
            return
        if shifted and self._selection.anchor is not None:
            self._selection.set(self._selection.anchor, place)
        elif self._clicks >= 2:
            self._unit = self._around(place)
            if self._unit is not None:
                self._selection.set(*self._unit)
                self.selecting.emit()
        else:
            self._selection.set(place, place)
        self._on.update()

    def move(self, event: QMouseEvent) -> None:
        """Hovers, or selects."""
        point = event.position().toPoint()
        if self._thumb is not None:
            self._drag_thumb(self._thumb, point.x() - self._begun.x())
            return
        if not self._dragging:
            self._hover(point)
            return
        self._last = point
        far = (point - self._begun).manhattanLength() >= QApplication.startDragDistance()
        if far and self._may_lift:
            self._dragging = self._may_lift = False
            self._pressed = None
            self.lifted.emit()
            return
        if far and (self._clicks == 1 or self._unit is not None):
            if self._pressed is not None and self._pressed[1].action != "link":
                return
            self._pressed = None
            self._extend(point)
            outside = point.y() < 0 or point.y() > self._on.height()
            if outside and not self._edge.isActive():
                self._edge.start()
            elif not outside:
                self._edge.stop()

    def release(self, event: QMouseEvent) -> None:
        """A click on what was pressed."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._dragging, self._thumb = False, None
        self._edge.stop()
        if self._may_lift:
            self._may_lift = False
            self.held.emit(False)
            self._selection.clear()
            self._on.update()
        point = event.position().toPoint()
        pressed, self._pressed = self._pressed, None
        found = self.hit(point)
        if pressed is None or found is None or found[0] != pressed[0]:
            return
        if (found[1].action, found[1].value) == (pressed[1].action, pressed[1].value):
            self.clicked.emit(self._stage.flow.entries[found[0]], found[1])
            self._hover(point)

    def _grabbed(self) -> tuple[Piece, int] | None:
        """The block whose thumb was pressed, and where it was scrolled to."""
        if self._pressed is None or self._pressed[1].action != "thumb":
            return None
        entry = self._stage.flow.entries[self._pressed[0]]
        if not isinstance(entry, TextEntry):
            return None
        piece = entry.piece(self._pressed[1].piece)
        return (piece, piece.run.scroll) if piece.run is not None else None

    def _drag_thumb(self, thumb: tuple[Piece, int], moved: int) -> None:
        piece, begun = thumb
        run, width = piece.run, self._stage.flow.width
        if run is not None:
            wanted = begun + piece_paint.scroll_of(piece, width, moved)
            run.scroll = max(0, min(run.content_width - width, wanted))
            self._on.update()

    def move_marks(self, count: int) -> None:
        """So many entries came above what is pressed."""
        if self._pressed is not None:
            self._pressed = self._pressed[0] + count, self._pressed[1]

    def leave(self) -> None:
        """The mouse is away."""
        if self._artist.highlights.hover is not None:
            self._artist.highlights.hover = None
            self.hovered.emit("")
            self._on.update()

    def hit(self, point: QPoint) -> tuple[int, Hit] | None:
        """What can be clicked at a point."""
        place, inner = self._stage.entry_at(point)
        _, width = self._stage.column
        if place < 0 or not -6 <= inner.x() <= width + 6:
            return None
        entry = self._stage.flow.entries[place]
        if not 0 <= inner.y() < entry.height:
            return None
        found = entry.hit(inner.x(), inner.y(), self._stage.flow.style, width)
        return (place, found) if found is not None else None

    def tooltip(self, point: QPoint, at: QPoint) -> None:
        """Tells where a link leads or what a button does."""
        found = self.hit(point)
        text = found[1].tip if found is not None else ""
        if text:
            QToolTip.showText(at, text[:1000], self._on)
        else:
            QToolTip.hideText()

    def place_at(self, point: QPoint) -> Place | None:
        """The place between characters that is nearest to a point."""
        number, inner = self._stage.entry_at(point)
        if number < 0:
            return None
        entry = self._stage.flow.entries[number]
        if not isinstance(entry, TextEntry) or entry.is_folded:
            return Place(number, 0, 1 if inner.y() > entry.height // 2 else 0)
        return self._place_in(entry, number, inner)

    def _place_in(self, entry: TextEntry, number: int, inner: QPoint) -> Place:
        style, width = self._stage.flow.style, self._stage.flow.width
        piece_number = entry.piece_at(inner.y())
        if piece_number < 0:
            return Place(number, 0, 0)
        piece = entry.piece(piece_number)
        document = entry.document_of(piece_number, style, width)
        left, top = piece.text_origin(style)
        x = inner.x() - entry.piece_left(style, width) - left
        y = inner.y() - entry.piece_top(piece_number) - top + piece_paint.lift(piece, style)
        offset = document.documentLayout().hitTest(QPointF(x, y), Qt.HitTestAccuracy.FuzzyHit)
        return Place(number, piece_number, max(0, offset))

    def _around(self, place: Place | None) -> tuple[Place, Place] | None:
        """The word around a place, or its paragraph after a third click; None without text."""
        if place is None:
            return None
        entry: Entry = self._stage.flow.entries[place.entry]
        if not isinstance(entry, TextEntry) or entry.is_folded or not entry.piece_count:
            return None
        flow = self._stage.flow
        cursor = QTextCursor(entry.document_of(place.piece, flow.style, flow.width))
        cursor.setPosition(place.offset)
        if self._clicks == 2:
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            first, last = cursor.selectionStart(), cursor.selectionEnd()
        else:
            # The separator before the paragraph is no part of it.
            first = cursor.block().position()
            last = first + cursor.block().length() - 1
        return replace(place, offset=first), replace(place, offset=last)

    def _extend(self, point: QPoint) -> None:
        place = self.place_at(point)
        if self._unit is None:
            self._selection.set(self._selection.anchor, place)
        elif (around := self._around(place)) is not None:
            first, last = self._unit
            if around[0] < first:
                self._selection.set(last, around[0])
            else:
                self._selection.set(first, max(last, around[1]))
        self.selecting.emit()
        self._on.update()

    def _scroll_while_dragging(self) -> None:
        bar = self._stage.bar
        beyond = self._last.y() if self._last.y() < 0 else self._last.y() - self._on.height()
        bar.setValue(bar.value() + max(-60, min(60, beyond)))
        self._extend(self._last)

    def _hover(self, point: QPoint) -> None:
        found = self.hit(point)
        if found is not None and found == self._artist.highlights.hover:
            return
        self._artist.highlights.hover = found if found is None or found[1].action else None
        action = found[1].action if found is not None else ""
        if action:
            self._on.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._over_text(point):
            self._on.setCursor(Qt.CursorShape.IBeamCursor)
        else:
            self._on.unsetCursor()
        self.hovered.emit(found[1].value if found is not None and action == "link" else "")
        self._on.update()

    def _over_text(self, point: QPoint) -> bool:
        number, inner = self._stage.entry_at(point)
        if number < 0 or not 0 <= inner.x() <= self._stage.column[1]:
            return False
        entry = self._stage.flow.entries[number]
        return isinstance(entry, TextEntry) and 0 <= inner.y() < entry.height
