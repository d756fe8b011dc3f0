"""Paints what is seen of the entries."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRect
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Hit
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.finding import Finder, Match, occurrences
from kinet.ui.transcript.stage.selection import Selection, mark
from kinet.ui.transcript.stage.stage import Stage

# More marks of a block: number of the entry, number of the block, its document.
Marker = Callable[[int, int, QTextDocument], list[QAbstractTextDocumentLayout.Selection]]


@dataclass
class Highlights:
    """What is marked besides the text itself. Entries are named by their number."""

    hover: tuple[int, Hit] | None = None
    focus: tuple[int, Hit] | None = None
    # The keyboard is on the transcript; on one of its buttons if `focus` says so.
    by_key: bool = False
    selected_step: str = ""
    copied: object = None

    def move(self, count: int) -> None:
        """So many entries came above."""
        if self.hover is not None:
            self.hover = self.hover[0] + count, self.hover[1]
        if self.focus is not None:
            self.focus = self.focus[0] + count, self.focus[1]


class Artist:
    """Draws the visible entries of a stage."""

    def __init__(self, stage: Stage, selection: Selection, finder: Finder) -> None:
        self._stage = stage
        self._selection = selection
        self._finder = finder
        self.highlights = Highlights()
        # What marks words beside a selection and a search: a comparison.
        self.marker: Marker | None = None

    def paint(self, viewport: QWidget, dirty: QRect) -> None:
        """Draws what lies in `dirty`; no layout happens here."""
        stage = self._stage
        flow, style = stage.flow, stage.flow.style
        left, width = stage.column
        painter = QPainter(viewport)
        painter.fillRect(dirty, style.color("canvas"))
        top = stage.bar.value()
        now = time.monotonic()
        for place in flow.seen(top + dirty.top(), top + dirty.bottom() + 1):
            entry = flow.entries[place]
            y = flow.top_of(place) - top
            painter.save()
            painter.translate(left, y)
            canvas = Canvas(
                painter, style, width, dirty.top() - y, dirty.bottom() + 1 - y,
                self._marks_of(place, style), self._of(self.highlights.hover, place),
                self._of(self.highlights.focus, place), self.highlights.selected_step, now,
                self.highlights.copied,
            )  # fmt: skip
            entry.paint(canvas)
            painter.restore()
        if self.highlights.by_key and self.highlights.focus is None:
            draw.ring(painter, style, viewport.rect().adjusted(2, 2, -2, -2))
        painter.end()

    def _of(self, named: tuple[int, Hit] | None, place: int) -> Hit | None:
        return named[1] if named is not None and named[0] == place else None

    def _marks_of(self, place: int, style: Style):  # type: ignore[no-untyped-def]
        entry = self._stage.flow.entries[place]
        marker = self.marker
        if not isinstance(entry, TextEntry) or (
            self._selection.is_empty and not self._finder.text and marker is None
        ):
            return lambda number: []

        def marks(number: int) -> list[QAbstractTextDocumentLayout.Selection]:
            document = entry.piece(number).document
            if document is None:
                return []
            found = marker(place, number, document) if marker is not None else []
            current = self._finder.current
            if self._finder.text:
                here = current if _is_here(current, place, number) else None
                for count, (start, stop) in enumerate(occurrences(document, self._finder.text)):
                    strong = here is not None and count == here.number
                    found.append(mark(document, start, stop, _find_format(style, strong)))
            selected = QTextCharFormat()
            selected.setBackground(style.color("selection"))
            return found + self._selection.marks(place, number, document, selected)

        return marks


def _is_here(match: Match | None, place: int, number: int) -> bool:
    return match is not None and not match.call_id and (match.entry, match.piece) == (place, number)


def _find_format(style: Style, strong: bool) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setBackground(style.color("find_current" if strong else "find"))
    if strong:
        form.setForeground(style.color("on_accent") if style.theme.is_dark else style.color("text"))
    return form
