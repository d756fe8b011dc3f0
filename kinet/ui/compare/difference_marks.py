"""Finds the words that differ again in the blocks on screen, and marks them there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from weakref import ref

from PySide6.QtGui import QAbstractTextDocumentLayout, QTextCharFormat, QTextDocument

from kinet.markup.word_diff import Span
from kinet.markup.words import words
from kinet.ui.transcript.blocks.documents import has_mirrored, reading_order
from kinet.ui.transcript.blocks.formula_objects import OBJECT
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.selection import mark

# Words of the source that are not on screen: marks, addresses, lines under a table's head.
_MOST_SKIPPED = 400
_BETWEEN = "\n\n"
# (start, stop, place in the whole text), the first two in UTF-16 units.
_Range = tuple[int, int, int]


@dataclass(slots=True)
class _Text:
    """One text among those that are compared: where it begins, and where each of its blocks does.

    `begins` counts characters from the beginning of the text; it grows as blocks are made.
    """

    entry: TextEntry
    start: int
    begins: list[int] = field(default_factory=lambda: [0])

    def begin_of(self, piece: int) -> int:
        blocks = self.entry.pieces
        while len(self.begins) <= piece:
            self.begins.append(self.begins[-1] + len(blocks[len(self.begins) - 1].block.source))
        return self.begins[piece]

    def piece_at(self, place: int) -> int:
        """The block that has this character of the text."""
        last = len(self.entry.pieces) - 1
        self.begin_of(max(0, last))
        return max(0, min(last, bisect_right(self.begins, place) - 1))


class DifferenceMarks:
    """The texts of one side, as one text; and which stretches of it the other side has not."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._texts: dict[int, _Text] = {}
        self._spans: list[Span] = []
        self._stops: list[int] = []
        # What was found in a block, and the document it was found in: not kept alive by this.
        self._made: dict[tuple[int, int], tuple[ref[QTextDocument], list[_Range]]] = {}
        self.current: Span = (-1, -1)
        self.form, self.strong = QTextCharFormat(), QTextCharFormat()
        start = 0
        sources = []
        for number, entry in enumerate(entries):
            if isinstance(entry, TextEntry) and entry.kind in ("user", "answer"):
                self._texts[number] = _Text(entry, start)
                sources.append(entry.source)
                start += len(entry.source) + len(_BETWEEN)
        self.text = _BETWEEN.join(sources)

    def set_spans(self, spans: Sequence[Span]) -> None:
        """What is marked from now on, in order; empty stretches are none."""
        self._spans = [span for span in spans if span[0] < span[1]]
        self._stops = [stop for _, stop in self._spans]
        self._made.clear()

    def of_block(
        self, number: int, piece: int, document: QTextDocument
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """The marks of a block of entry `number`."""
        if not self._spans or number not in self._texts:
            return []
        low, high = self.current
        return [
            mark(document, start, stop, self.strong if low <= place < high else self.form)
            for start, stop, place in self._ranges(number, piece, document)
        ]

    def block_with(self, place: int) -> tuple[int, int]:
        """(number of the entry, of the block) that has a character of the whole text; -1 for none.

        Blocks are made up to there.
        """
        found = (-1, -1)
        for number, text in self._texts.items():
            if text.start <= place or found[0] < 0:
                found = (number, text.piece_at(max(0, place - text.start)))
        return found

    def offset_in(self, number: int, piece: int, document: QTextDocument, place: int) -> int:
        """Where in a block's document the first mark at or behind `place` begins; 0 for none."""
        ranges = self._ranges(number, piece, document)
        return next((start for start, _, at in ranges if at >= place), 0)

    def _ranges(self, number: int, piece: int, document: QTextDocument) -> list[_Range]:
        """What is marked in a block."""
        made = self._made.get((number, piece))
        if made is None or made[0]() is not document:
            made = ref(document), self._find(number, piece, document)
            self._made[number, piece] = made
        return made[1]

    def _find(self, number: int, piece: int, document: QTextDocument) -> list[_Range]:
        text = self._texts[number]
        block = text.entry.piece(piece).block
        start = text.start + text.begin_of(piece) - len(block.lead)
        said = [(start + begin, word) for begin, _, word in words(block.markdown)]
        differs = [self._is_marked(place) for place, _ in said]
        if not any(differs):
            return []
        raw, units = _read(document)
        ranges: list[_Range] = []
        at = 0
        joins = False
        for begin, end, word in words(raw):
            found = _next(said, word, at)
            if found < 0 and word != OBJECT:
                continue
            if found < 0:
                # A formula is one sign on screen: it differs if anything of its source does.
                stop = min(len(said), at + _MOST_SKIPPED)
                found = next((place for place in range(at, stop) if differs[place]), at)
            if found >= len(said) or not differs[found]:
                joins = False
            elif joins and "\u2029" not in raw[ranges[-1][1] : begin]:
                ranges[-1] = (ranges[-1][0], end, ranges[-1][2])
            else:
                ranges.append((begin, end, said[found][0]))
                joins = True
            at = found + 1 if word != OBJECT else found
        return [(units(begin), units(end), place) for begin, end, place in ranges]

    def _is_marked(self, place: int) -> bool:
        found = bisect_right(self._stops, place)
        return found < len(self._spans) and self._spans[found][0] <= place


def _next(said: Sequence[tuple[int, str]], word: str, at: int) -> int:
    """The number of the next such word of the source, -1 if it is not near."""
    stop = min(len(said), at + _MOST_SKIPPED)
    return next((number for number in range(at, stop) if said[number][1] == word), -1)


def _read(document: QTextDocument) -> tuple[str, Callable[[int], int]]:
    """The text as it is read, and what turns its places into those of the document."""
    raw = document.toRawText()
    if not has_mirrored(document):
        return raw, _units(raw)
    letters: list[str] = []
    places: list[int] = []
    for block in reading_order(document):
        place = block.position()
        for letter in block.text() + "\u2029":
            letters.append(letter)
            places.append(place)
            place += 1 + (letter > "\uffff")
    return "".join(letters), [*places, len(raw)].__getitem__


def _units(text: str) -> Callable[[int], int]:
    """Turns places between characters into places between UTF-16 units."""
    wide = [place for place, letter in enumerate(text) if ord(letter) > 0xFFFF]
    return lambda place: place + bisect_left(wide, place)
