"""Keeps entries, scroll bar and screen in step: what grows, what is laid out, what stays put."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtWidgets import QAbstractScrollArea

from kinet.ui.transcript.blocks.style import MARGIN, Style
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.entries.widget_entry import WidgetEntry
from kinet.ui.transcript.stage.cards import CardShelf
from kinet.ui.transcript.stage.damage import Damage
from kinet.ui.transcript.stage.eye import Anchor, Eye
from kinet.ui.transcript.stage.filler import Filler
from kinet.ui.transcript.stage.flow import Flow
from kinet.ui.transcript.stage.follow import Follower
from kinet.ui.transcript.stage.live_clock import LiveClock
from kinet.ui.transcript.stage.pacing import Pacer
from kinet.ui.transcript.stage.sink import retire_newest

_ROUNDS = 4
LAYOUT_SECONDS = 0.010
# Of guessing heights at once: a short conversation; what is left follows in slices.
_GUESS_SECONDS = 0.002


class Stage(QObject):
    """The entries of a scroll area, and where its window on them is."""

    # Other entries are shown now.
    replaced = Signal()
    # What is on screen has another place or look.
    shifted = Signal()

    def __init__(self, area: QAbstractScrollArea, style: Style) -> None:
        super().__init__(area)
        self._area = area
        self.flow = Flow(style)
        self.cards = CardShelf(self.flow)
        self.bar = area.verticalScrollBar()
        self.follower = Follower(self.bar, self)
        self.eye = Eye(self.flow, self.bar, self.follower)
        self.follower.moved.connect(lambda: self.refresh(anew=True))
        self.pacer = Pacer(self._show_pieces, self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(lambda: self.refresh())
        self._clock = LiveClock(self.flow, area.viewport(), self)
        self.filler = Filler(self.flow, self._keep_eye, self)
        self._unpainted = False

    @property
    def column(self) -> tuple[int, int]:
        """(left, width) of the column; the scroll bar does not move it."""
        whole = self._area.width()
        width = max(120, min(self.flow.style.theme.column, whole - 2 * MARGIN))
        return (whole - width) // 2, width

    @property
    def height(self) -> int:
        """The height of the window on the entries."""
        return self._area.viewport().height()

    @property
    def is_idle(self) -> bool:
        """True when nothing waits to be shown, laid out or painted."""
        if not self.pacer.is_idle or self._later.isActive() or not self.filler.is_idle:
            return False
        formulas = self.flow.style.formulas
        if formulas is not None and not formulas.is_idle:
            return False
        return not (self._unpainted and not self._area.viewport().visibleRegion().isEmpty())

    def painted(self) -> None:
        """Says that the screen shows what the entries are."""
        self._unpainted = False

    def set_entries(self, entries: Iterable[Entry]) -> None:
        """Shows other entries, from their end."""
        self.cards.hide()
        self.filler.begin(None)
        self.flow.width = self.column[1]
        self.flow.set_entries(entries)
        self.replaced.emit()
        self.follower.follow()
        self.refresh(anew=True)

    def add(self, entry: Entry, before: Entry | None = None) -> None:
        """Puts an entry at the end, where cards stay behind it, or before another."""
        last = before if before is not None else self.cards.first()
        if last is None or isinstance(entry, WidgetEntry):
            self.flow.add(entry)
        else:
            self.flow.insert_before(entry, last)
        if entry.kind == "user":
            self.eye.asked(entry, self.height)
            self.eye.held = None
        self._grown()

    def remove(self, entry: Entry) -> None:
        """Takes an entry out."""
        if isinstance(entry, TextEntry):
            self.pacer.forget(entry)
        self.flow.remove(entry)
        self._grown()

    def touch(self, entry: Entry) -> None:
        """Says that an entry looks different now."""
        if not isinstance(entry, TextEntry):
            entry.estimate(self.flow.style, self.flow.width)
        self.flow.changed(entry, said=True)
        self._grown()

    def stream(self, entry: TextEntry, text: str) -> None:
        """A piece of streamed text for an entry; shown with the next flush."""
        self.pacer.add(entry, text)

    def finish(self, entry: TextEntry, source: str | None) -> None:
        """An entry's text is whole; `source` replaces what streamed if it differs."""
        self.pacer.flush()
        entry.finish(source, self.flow.style, self.flow.width)
        self.flow.changed(entry, said=True)
        self._grown()

    def retire(self) -> None:
        """Only the newest turn can be retried."""
        retire_newest(self.flow.entries)
        self._later.start()

    def restyle(self, style: Style) -> None:
        """Takes other looks, or the width that the area has now."""
        width = self.column[1]
        if style is self.flow.style and width == self.flow.width:
            self.refresh()
            return
        anchor = self.eye.now(self.height)
        self.flow.restyle(style, width)
        if self.flow.guess(time.perf_counter() + _GUESS_SECONDS):
            self.flow.take_guessed()
        else:
            self.filler.wake()
        self.eye.set_range(self.height)
        self.eye.return_to(anchor)
        self.refresh()

    def refresh(self, damage: Damage | None = None, *, anew: bool = False) -> None:
        """Lays out what is seen, keeps the eye where it is, and asks for paint.

        `damage` is known where only the end has grown: then only that is painted. `anew` says that
        the person has moved: there is no place to return to.
        """
        done = False
        if anew:
            self.eye.held = None
        deadline = time.perf_counter() + LAYOUT_SECONDS
        anchor = self.eye.held
        begun: Anchor | None = None
        for _ in range(_ROUNDS):
            self.eye.set_range(self.height)
            anchor = anchor or self.eye.anchor(self.height)
            begun = begun or anchor
            self.eye.return_to(anchor)
            top = self.bar.value()
            moved, done = self.flow.settle(
                top, top + self.height, deadline, upwards=self.follower.following
            )
            if moved:
                self.eye.set_range(self.height)
                self.eye.return_to(anchor)
            anchor = None
            if not (moved and done):
                # Everything is in place, or the rest must wait for the next turn of the loop.
                break
        # Whatever changes until the next time, also above: this must not move on screen.
        # While there is more to lay out, the old place counts: a new one may lie above a gap.
        self.eye.held = self.eye.anchor(self.height) if done else begun
        if not done:
            self._later.start()
        self.cards.place(self.column, self.bar.value())
        self._unpainted = True
        viewport = self._area.viewport()
        if damage is None or not damage.repaint(self.flow, viewport, self.bar.value()):
            viewport.update()
        self.shifted.emit()

    def scroll_to(self, top: int, bottom: int) -> None:
        """Brings a stretch into view; a small one with some room around."""
        self.follower.hold()
        self.eye.scroll_to(top, bottom, self.height)
        self.refresh(anew=True)

    def jump_to_end(self) -> None:
        """Goes to the end and follows."""
        self.follower.follow()
        self.refresh(anew=True)

    def entry_at(self, point: QPoint) -> tuple[int, QPoint]:
        """(number of the entry at a point of the viewport, the point within it); -1 for none."""
        y = point.y() + self.bar.value()
        place = self.flow.at(y)
        if place < 0:
            return -1, point
        return place, QPoint(point.x() - self.column[0], y - self.flow.top_of(place))

    def _show_pieces(self, pieces: list[tuple[TextEntry, str]]) -> None:
        flow = self.flow
        damage = None
        if len(pieces) == 1 and self.follower.following and not self._later.isActive():
            damage = Damage.before(flow, pieces[0][0], self.bar.value())
        for entry, text in pieces:
            entry.feed(text, flow.style, flow.width)
            flow.changed(entry, said=True)
        self.follower.grown()
        self._clock.wake()
        self.refresh(damage)

    def _grown(self) -> None:
        self.follower.grown()
        self._clock.wake()
        self._later.start()

    def _keep_eye(self, change: Callable[[], None]) -> None:
        anchor = self.eye.now(self.height)
        change()
        self.eye.set_range(self.height)
        self.eye.return_to(anchor)
        self.refresh()
