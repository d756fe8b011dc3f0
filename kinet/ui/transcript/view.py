"""The transcript: a scroll area that shows one conversation, however long it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from kinet.core.events import Event
from kinet.ui.look.theme import Theme
from kinet.ui.transcript.area import TranscriptArea
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.entries.widget_entry import WidgetEntry
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.stage.seeking import Seeker

# About two screens full.
_HIDDEN_DOCUMENTS = 40


class Transcript(TranscriptArea):
    """Shows a conversation.

    `stage` has the entries and is what a presenter writes to. Nothing is ever fetched or opened
    here: links and steps are only told of, by `link_activated` and `step_activated`.
    """

    _is_stale = False

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._seeker = Seeker(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Keeps what was on screen, no more: several conversations may be open."""
        super().hideEvent(event)
        self.stage.flow.cache.trim(_HIDDEN_DOCUMENTS)

    def load(self, events: Iterable[Event]) -> None:
        """Shows these events instead of what was shown, from the end."""
        Presenter(self).replay(events)

    def add_card(self, widget: QWidget) -> None:
        """Puts a real widget at the end; it is as wide as the column and as high as it wishes."""
        widget.setParent(self.viewport())
        widget.installEventFilter(self)
        self.stage.add(WidgetEntry(widget))
        self.stage.refresh()

    def remove_card(self, widget: QWidget) -> None:
        """Takes a widget out; it is hidden and not deleted."""
        widget.removeEventFilter(self)
        widget.hide()
        for entry in list(self.stage.flow.entries):
            if isinstance(entry, WidgetEntry) and entry.widget is widget:
                self.stage.remove(entry)

    def put_in_place(self, turn_id: str, widget: QWidget) -> bool:
        """Shows a widget in place of the message that began a turn, and brings it into view.

        `in_place` takes it back, and tells when its place is gone. False if there is no such turn.
        """
        widget.setParent(self.viewport())
        widget.installEventFilter(self)
        self.selection.clear()
        entry = self.in_place.put(turn_id, widget)
        if entry is not None:
            self.go_to(entry)
        return entry is not None

    def plain_text(self) -> str:
        """The whole conversation as Markdown, whatever is scrolled off."""
        self.stage.pacer.flush()
        self.stage.filler.complete()
        texts = []
        for entry in self.stage.flow.entries:
            text = entry.markdown().strip("\n")
            if text:
                texts.append(f"**You:** {text}" if entry.kind == "user" else text)
        return "\n\n".join(texts)

    def block_count(self) -> int:
        """How many blocks of text there are; text not seen yet counts as one."""
        self.stage.filler.complete()
        entries = self.stage.flow.entries
        return sum(max(1, e.piece_count) if isinstance(e, TextEntry) else 1 for e in entries)

    def open_step(self, index: int) -> None:
        """Shows step number `index` of all (-1: the newest) by `step_activated`."""
        self._seeker.open_number(index)

    def open_call(
        self, call_id: str, words: str = "", otherwise: Callable[[], object] | None = None
    ) -> None:
        """Shows the step of this call, at `words` in its output; `otherwise` if there is none.

        What stands above what is told yet is shown when it is told.
        """
        self._seeker.open(call_id, words, otherwise)

    def is_idle(self) -> bool:
        """True when nothing is left to lay out or paint."""
        return self.stage.is_idle and self.finder.is_idle and self.copier.is_idle

    def set_theme(self, theme: Theme) -> None:
        """Draws with another theme, at its zoom; what is hidden does so when it is shown."""
        if theme != self._theme:
            self._theme = theme
            self._is_stale = True
        if self._is_stale and self.isVisible():
            self._is_stale = False
            self.stage.restyle(self._style())

    def showEvent(self, event: QShowEvent) -> None:
        """Takes on the looks that were chosen meanwhile."""
        super().showEvent(event)
        self.set_theme(self._theme)

    def set_zoom(self, percent: int) -> None:
        """Draws text at 80 to 200 percent."""
        self.set_theme(replace(self._theme, zoom=max(80, min(200, percent))))

    def go_to(self, entry: Entry) -> None:
        """Brings the beginning of an entry into view."""
        flow = self.stage.flow
        place = flow.place_of(entry)
        if place >= 0:
            top = flow.top_of(place)
            self.stage.scroll_to(top, top + min(flow.entries[place].height, self.stage.height // 2))

    def jump_to_bottom(self) -> None:
        """Goes to the end and follows it."""
        self.stage.jump_to_end()

    def go_to_question(self, step: int) -> None:
        """Scrolls to the person's own message above (-1) or below (1)."""
        self._keys.to_message(step, ("user",))

    def find_next(self, text: str, backwards: bool = False) -> tuple[int, int] | None:
        """Shows the next place of a text: (its number from 1, number of all); (0, 0) for none.

        None means that a very long conversation is looked through: `found` tells later.
        """
        found = self.finder.next(text, backwards)
        if found is not None:
            self._actor.show_match(self.finder.current)
        return found

    def clear_find(self) -> None:
        """Takes the marks of `find_next` away."""
        self.finder.clear()
        self.viewport().update()

    @property
    def following(self) -> bool:
        """True while the end is followed."""
        return self.stage.follower.following
