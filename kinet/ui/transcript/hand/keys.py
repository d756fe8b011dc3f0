"""The keyboard in the transcript: scrolling, selecting, and reaching every button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.entries.entry import Hit
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.hand import caret
from kinet.ui.transcript.stage.painting import Artist
from kinet.ui.transcript.stage.selection import Place, Selection
from kinet.ui.transcript.stage.stage import Stage


class Keys(QObject):
    """Turns key events into scrolling, selecting and clicking."""

    clicked = Signal(object, object)  # Entry, Hit
    copy_wanted = Signal()

    def __init__(self, stage: Stage, selection: Selection, artist: Artist, on: QWidget) -> None:
        super().__init__(on)
        self._stage = stage
        self._selection = selection
        self._artist = artist
        self._on = on
        self._caret = caret.Caret(stage.flow)

    def press(self, event: QKeyEvent) -> bool:
        """True if the key was used here; printable keys are not."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
            return True
        if event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.all()
            self._on.update()
            return True
        key = Qt.Key(event.key())
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if key == Qt.Key.Key_Escape:
            return self._clear()
        if shift and key in caret.KEYS:
            return self._select(key, control)
        if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return self._next_hit(backwards=key == Qt.Key.Key_Backtab)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            return self._click(shift)
        return self._scroll(key, shift)

    def take_focus(self, *, by_key: bool) -> None:
        """The transcript has the focus; it shows so if that came by keyboard."""
        self._artist.highlights.by_key = by_key
        self._on.update()

    def lose_focus(self) -> None:
        """The keyboard is elsewhere: no button has it."""
        marks = self._artist.highlights
        if marks.focus is not None or marks.by_key:
            marks.focus, marks.by_key = None, False
            self._on.update()

    def _clear(self) -> bool:
        if self._selection.is_empty:
            return False
        self._selection.clear()
        self._on.update()
        return True

    def _scroll(self, key: Qt.Key, shift: bool) -> bool:
        bar, page = self._stage.bar, max(40, self._stage.height - 48)
        if key == Qt.Key.Key_PageUp and shift:
            self.to_message(-1)
        elif key == Qt.Key.Key_PageDown and shift:
            self.to_message(1)
        elif key == Qt.Key.Key_PageUp:
            bar.setValue(bar.value() - page)
        elif key == Qt.Key.Key_PageDown:
            bar.setValue(bar.value() + page)
        elif key == Qt.Key.Key_Up:
            bar.setValue(bar.value() - 48)
        elif key == Qt.Key.Key_Down:
            bar.setValue(bar.value() + 48)
        elif key == Qt.Key.Key_Home:
            bar.setValue(0)
        elif key == Qt.Key.Key_End:
            self._stage.jump_to_end()
        else:
            return False
        return True

    def to_message(self, step: int, kinds: Sequence[str] = ("user", "answer")) -> None:
        """To the previous or next message of these kinds: the person's, the model's."""
        flow, top = self._stage.flow, self._stage.bar.value()
        place = flow.at(top + 24)
        if step < 0 and place >= 0 and flow.top_of(place) >= top + 20:
            place -= 1
        elif step > 0:
            place += 1
        while 0 <= place < len(flow.entries) and flow.entries[place].kind not in kinds:
            place += step
        if 0 <= place < len(flow.entries):
            self._stage.bar.setValue(flow.top_of(place) - 20)

    def _select(self, key: Qt.Key, control: bool) -> bool:
        focus = self.place()
        if focus is None:
            return False
        anchor = self._selection.anchor or focus
        focus = self._caret.moved(focus, key, leap=control)
        self._selection.set(anchor, focus)
        spot = self._caret.spot(focus)
        self._stage.scroll_to(spot.top, spot.bottom)
        self._on.update()
        return True

    def place(self) -> Place | None:
        """Where the selection ends, else the first text that is seen; None without any."""
        return self._selection.focus or self._first_seen()

    def spot(self, hit: tuple[int, Hit] | None) -> QPoint:
        """Where in the viewport a button stands, or the text of `place`, as far as it is seen."""
        flow, top = self._stage.flow, self._stage.bar.value()
        place = self.place()
        x, y = 0, 0
        if hit is not None:
            corner = hit[1].rect.bottomLeft()
            x, y = corner.x(), flow.top_of(hit[0]) + corner.y() - top
        elif place is not None:
            found = self._caret.spot(place)
            x, y = int(found.x), found.bottom - top
        return QPoint(self._stage.column[0] + x, max(0, min(y, self._stage.height - 1)))

    def _first_seen(self) -> Place | None:
        flow, top = self._stage.flow, self._stage.bar.value()
        for number in flow.seen(top, top + self._stage.height):
            entry = flow.entries[number]
            if isinstance(entry, TextEntry) and not entry.is_folded and entry.piece_count:
                seen = entry.seen(top - flow.top_of(number), 10**6)
                return Place(number, seen.start, 0)
        return None

    def _seen_hits(self) -> list[tuple[int, Hit]]:
        flow, top = self._stage.flow, self._stage.bar.value()
        found: list[tuple[int, Hit]] = []
        for number in flow.seen(top, top + self._stage.height):
            above = flow.top_of(number) - top
            for hit in flow.entries[number].hits(flow.style, flow.width):
                if 0 <= above + hit.rect.center().y() < self._stage.height:
                    found.append((number, hit))
        return found

    def _next_hit(self, backwards: bool) -> bool:
        """To the next button that is seen; False at the end, so that the focus moves on."""
        hits = self._seen_hits()
        focus = self._artist.highlights.focus
        if focus in hits:
            place = hits.index(focus) + (-1 if backwards else 1)
        else:
            place = len(hits) - 1 if backwards else 0
        if not 0 <= place < len(hits):
            self._artist.highlights.focus = None
            self._on.update()
            return False
        self._artist.highlights.focus = hits[place]
        self._on.update()
        return True

    def _click(self, shift: bool) -> bool:
        focus = self._artist.highlights.focus
        if focus is None or focus[0] >= len(self._stage.flow.entries) or shift:
            return False
        self.clicked.emit(self._stage.flow.entries[focus[0]], focus[1])
        return True
