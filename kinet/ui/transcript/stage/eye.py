"""Where the person looks: the scroll bar moves so that this stays where it is on screen."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollBar

from kinet.ui.transcript.blocks.style import TOP
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.flow import Flow
from kinet.ui.transcript.stage.follow import Follower

# An entry, the number of its block or -1, and how far below the upper edge of the screen it is.
Anchor = tuple[Entry, int, int]


class Eye:
    """Moves the scroll bar on behalf of the program; the person's state stays as it is."""

    def __init__(self, flow: Flow, bar: QScrollBar, follower: Follower) -> None:
        self._flow = flow
        self._bar = bar
        self._follower = follower
        # What is to reach the top of the screen, however little stands below it.
        self._question: Entry | None = None
        # What is not to move whatever changes until the person moves.
        self.held: Anchor | None = None

    def asked(self, question: Entry, height: int) -> None:
        """The person has asked: shows it where the chosen mode wants it, and stays there."""
        mode = self._follower.mode
        self._question = question if mode == "question" else None
        if mode == "follow":
            return
        self.set_range(height)
        self._follower.hold()
        with self._follower.own_moves():
            self._bar.setValue(self._bar.maximum())

    def set_range(self, height: int) -> None:
        """Lets the bar reach everything; `height` is what is seen at once."""
        with self._follower.own_moves():
            self._bar.setPageStep(height)
            self._bar.setSingleStep(24)
            self._bar.setRange(0, max(0, self._end(height) - height))

    def _end(self, height: int) -> int:
        """The lower edge of all, or of the screen that begins with the question."""
        place = self._flow.place_of(self._question) if self._question is not None else -1
        if place < 0:
            return self._flow.height
        return max(self._flow.height, self._flow.top_of(place) - TOP + height)

    def now(self, height: int) -> Anchor | None:
        """What is held, else the anchor of what is seen now."""
        return self.held or self.anchor(height)

    def anchor(self, height: int) -> Anchor | None:
        """What is to stay where it is; None where the end is followed."""
        if self._follower.following:
            return None
        top = self._bar.value()
        if top <= 0 and self._flow.entries:
            # Who went to the very beginning stays there, whatever turns out to be higher.
            return self._flow.entries[0], -1, self._flow.top_of(0)
        found = self._landmark(top, top + height)
        return None if found is None else (found[0], found[1], found[2] - top)

    def return_to(self, anchor: Anchor | None) -> None:
        """Scrolls so that the anchor stands where it stood, or to the end when following."""
        with self._follower.own_moves():
            if self._follower.following:
                self._bar.setValue(self._bar.maximum())
            elif anchor is not None:
                now = self._place_of(anchor)
                if now is not None:
                    self._bar.setValue(now - anchor[2])

    def scroll_to(self, top: int, bottom: int, height: int) -> None:
        """Brings a stretch into view; a small one with some room around."""
        value = self._bar.value()
        room = min(80, max(0, (height - (bottom - top)) // 2))
        if top < value + room:
            value = top - room
        elif bottom > value + height - room:
            value = bottom + room - height
        self.set_range(height)
        with self._follower.own_moves():
            self._bar.setValue(value)

    def _landmark(self, top: int, bottom: int) -> Anchor | None:
        """Something seen that is to stay where it is: (entry, number of its piece or -1, its top).

        It begins the longest stretch that is laid out: what lies beyond that may still change its
        height, above the stretch or below.
        """
        flow = self._flow
        fallback: Anchor | None = None
        best: list[Anchor] = []
        run: list[Anchor] = []
        for place in flow.seen(top, bottom):
            entry = flow.entries[place]
            above = flow.top_of(place)
            if not isinstance(entry, TextEntry):
                if above >= top:
                    run.append((entry, -1, above))
                continue
            for number in entry.seen(top - above, bottom - above):
                at = above + entry.piece_top(number)
                fallback = fallback or (entry, number, at)
                if not entry.is_folded and not entry.piece(number).is_certain:
                    best, run = max(best, run, key=len), []
                elif at >= top:
                    run.append((entry, number, at))
            fallback = fallback or (entry, -1, above)
        best = max(best, run, key=len)
        return best[0] if best else fallback

    def _place_of(self, anchor: Anchor) -> int | None:
        """Where the anchor is now; None if it is gone."""
        entry, number, _ = anchor
        place = self._flow.place_of(entry)
        if place < 0:
            return None
        above = self._flow.top_of(place)
        if isinstance(entry, TextEntry) and 0 <= number < entry.piece_count:
            return above + entry.piece_top(number)
        return above
