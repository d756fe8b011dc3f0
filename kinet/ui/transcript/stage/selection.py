"""What is selected, across blocks and messages, and its text: taken from the source."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Set
from dataclasses import dataclass, replace

from PySide6.QtGui import QAbstractTextDocumentLayout, QTextCharFormat, QTextCursor, QTextDocument

from kinet.markup.copied import copied, copied_block
from kinet.markup.visible import clean_for_clipboard
from kinet.ui.transcript.blocks.documents import row_begin
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.blocks.words import cells, units, words
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.flow import Flow

# A stretch of splitting a long text into its blocks.
_STRETCH_SECONDS = 0.004
# An offset behind every end.
_FAR = 10**9
# So many whole messages, or characters of them, are looked through at once.
_HEAP, _HEAP_SIZE = 64, 65_536


@dataclass(frozen=True, order=True)
class Place:
    """A place between two characters: number of the entry, of its block, UTF-16 offset in it.

    An entry without text has the places (number, 0, 0) before and (number, 0, 1) after it.
    """

    entry: int
    piece: int
    offset: int


class Selection:
    """From where (`anchor`) to where (`focus`); None where nothing was ever clicked."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._is_whole = False
        self.anchor: Place | None = None
        self.focus: Place | None = None

    @property
    def is_whole(self) -> bool:
        """True for everything, also what is still to come from above."""
        return self._is_whole

    @property
    def is_empty(self) -> bool:
        """True if no character is selected."""
        return self.anchor is None or self.anchor == self.focus

    def set(self, anchor: Place | None, focus: Place | None) -> None:
        """Selects from one place to another."""
        self._is_whole = False
        self.anchor, self.focus = anchor, focus

    def clear(self) -> None:
        """Selects nothing."""
        self._is_whole = False
        self.anchor = self.focus = None

    def move(self, count: int) -> None:
        """So many entries came above. Who selected everything has these too."""
        if self._is_whole:
            self.all()
            return
        self.anchor, self.focus = _moved(self.anchor, count), _moved(self.focus, count)

    def take(self, other: Selection, count: int) -> None:
        """Selects what another one does, of which everything stands so many entries further up."""
        self.set(_moved(other.anchor, count), _moved(other.focus, count))

    def all(self) -> None:
        """Selects everything."""
        count = len(self._flow.entries)
        if count:
            self.set(Place(0, 0, 0), _end_of(count - 1))
            self._is_whole = True

    def holds(self, place: Place | None) -> bool:
        """True if a place lies in what is selected."""
        found = self.range()
        return found is not None and place is not None and found[0] <= place < found[1]

    def range(self) -> tuple[Place, Place] | None:
        """(first, last), or None if nothing is selected."""
        if self.anchor is None or self.focus is None or self.anchor == self.focus:
            return None
        return min(self.anchor, self.focus), max(self.anchor, self.focus)

    def marks(
        self, entry: int, piece: int, document: QTextDocument, form: QTextCharFormat
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """The part of a block to paint as selected: none or one."""
        found = self.range()
        if found is None:
            return []
        first, last = found
        here = (entry, piece)
        if here < (first.entry, first.piece) or here > (last.entry, last.piece):
            return []
        end = document.characterCount() - 1
        start = first.offset if here == (first.entry, first.piece) else 0
        stop = last.offset if here == (last.entry, last.piece) else end
        return [mark(document, min(start, end), min(stop, end), form)]

    def text(self, *, plain: bool = False) -> str:
        """What is selected: whole blocks as their Markdown, parts as the words on screen.

        With `plain` everything is given as the words on screen.
        """
        return "\n\n".join(part for part in self.parts(plain=plain) if part)

    def parts(self, *, plain: bool = False) -> Iterator[str]:
        """The same bit by bit; "" for none, and where a long entry is not done yet."""
        found = self.range()
        if found is None:
            return
        first, last = found
        alone = first.entry == last.entry
        entries = self._flow.entries[first.entry : last.entry + 1]
        heap: list[str] = []
        size = 0
        for number, entry in enumerate(entries, first.entry):
            if not plain and first.entry < number < last.entry:
                # What nobody has seen yet need not be split for this. Of a long conversation most
                # are such: they are looked through many at a time.
                heap.append(_whole(entry))
                size += len(heap[-1])
                if len(heap) >= _HEAP or size >= _HEAP_SIZE:
                    yield _copied_together(heap)
                    heap, size = [], 0
                continue
            if heap:
                yield _copied_together(heap)
                heap, size = [], 0
            start = first if number == first.entry else Place(number, 0, 0)
            stop = last if number == last.entry else _end_of(number)
            part = yield from self._of_entry(entry, start, stop, alone, plain)
            yield _trimmed(part)

    def _of_entry(
        self, entry: Entry, start: Place, stop: Place, alone: bool, plain: bool
    ) -> Generator[str, None, str]:
        if not isinstance(entry, TextEntry):
            return copied(entry.markdown()) if (start.piece, start.offset) == (0, 0) < (
                stop.piece, stop.offset
            ) else ""  # fmt: skip
        if entry.is_folded:
            return copied(entry.markdown())
        is_whole = (start.piece, start.offset) == (0, 0) and stop == _end_of(stop.entry)
        if is_whole and not alone and not plain:
            return copied(entry.source)
        while not entry.split(time.perf_counter() + _STRETCH_SECONDS):
            yield ""
        pieces = entry.pieces
        if not pieces:
            return copied(entry.markdown())
        last = min(stop.piece, len(pieces) - 1)
        cut = self._cut_groups(entry, start, stop)
        parts: list[str] = []
        whole: list[Piece] = []
        for number in range(start.piece, last + 1):
            yield ""
            if not plain and _group(pieces, number) not in cut:
                whole.append(pieces[number])
                continue
            begin = start.offset if number == start.piece else 0
            end = stop.offset if number == stop.piece else -1
            part = self._of_piece(entry, number, begin, end)
            parts += [_joined(whole)] if whole else []
            whole = []
            if parts and number > start.piece and pieces[number].block.continues:
                parts[-1] += _between(pieces[number - 1]) + part
            else:
                parts.append(part)
        # Code alone is copied as code, without its fence.
        if alone and not parts and whole and _is_one_code(whole):
            return code_text(whole)
        parts += [_joined(whole)] if whole else []
        return "\n\n".join(part.strip("\n") for part in parts if part)

    def _cut_groups(self, entry: TextEntry, start: Place, stop: Place) -> Set[int]:
        """The first blocks of those groups, each the parts of one thing, that are not selected
        from their beginning to their end."""
        pieces = entry.pieces
        last = min(stop.piece, len(pieces) - 1)
        cut: list[int] = []
        if start.offset > 0 or _group(pieces, start.piece) < start.piece:
            cut.append(_group(pieces, start.piece))
        goes_on = last + 1 < len(pieces) and pieces[last + 1].block.continues
        if goes_on or (last == stop.piece and not self._is_end(entry, stop)):
            cut.append(_group(pieces, last))
        return frozenset(cut)

    def _is_end(self, entry: TextEntry, place: Place) -> bool:
        if place.offset >= _FAR:
            return True
        with entry.lent_document(place.piece, self._flow.style, self._flow.width) as document:
            return place.offset >= document.characterCount() - 1

    def _of_piece(self, entry: TextEntry, number: int, begin: int, end: int) -> str:
        """The words of a block between two places; `end` -1 for all that follow."""
        style = self._flow.style
        if begin == 0 and (end < 0 or end >= _FAR):
            # All of it: no place depends on how its formulas look, and to draw those of a whole
            # conversation takes minutes.
            style = style.unpictured
        with entry.lent_document(number, style, self._flow.width) as document:
            length = document.characterCount() - 1
            end = length if end < 0 else min(end, length)
            piece = entry.piece(number)
            if piece.kind == "code" and piece.shown < 0:
                return units(piece.text().text, begin, end)
            if piece.kind == "table":
                # The head that is repeated in every part stands there for its columns alone.
                begin = begin if piece.first else max(begin, row_begin(document, 1))
                return clean_for_clipboard(cells(document, begin, end))
            return clean_for_clipboard(words(document, begin, end))


def _whole(entry: Entry) -> str:
    """What is copied of an entry that is selected with others, before it is cleaned."""
    if isinstance(entry, TextEntry) and not entry.is_folded:
        return entry.source
    return entry.markdown()


def _copied_together(sources: list[str]) -> str:
    """Whole entries as they are copied, one below the other."""
    texts = "\n\n".join(text for source in sources if (text := _trimmed(source)))
    if texts.replace("\n", "").isprintable():
        return texts
    parts = (_trimmed(copied(source)) for source in sources)
    return "\n\n".join(part for part in parts if part)


def _trimmed(part: str) -> str:
    return part.strip("\n") if part.strip() else ""


def _group(pieces: list[Piece], number: int) -> int:
    """The first of the parts that belong together with a block."""
    while number and pieces[number].block.continues:
        number -= 1
    return number


def _between(piece: Piece) -> str:
    """What stands between the words of a part and those of the next one."""
    return next((sign for sign in ("\n", " ") if piece.block.source.endswith(sign)), "")


def _end_of(entry: int) -> Place:
    """The end of all that an entry holds, however much that is."""
    return Place(entry, 10**6, _FAR)


def _moved(place: Place | None, count: int) -> Place | None:
    return None if place is None else replace(place, entry=place.entry + count)


def mark(
    document: QTextDocument, start: int, stop: int, form: QTextCharFormat
) -> QAbstractTextDocumentLayout.Selection:
    """A stretch of a document with a format, for painting."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
    made = QAbstractTextDocumentLayout.Selection()
    made.cursor = cursor
    made.format = form
    return made


def code_text(pieces: list[Piece]) -> str:
    """The very code of a block and its parts, without the line feed before the closing fence."""
    return "".join(piece.text().text for piece in pieces).removesuffix("\n")


def _is_one_code(pieces: list[Piece]) -> bool:
    return all(p.kind == "code" and p.run is pieces[0].run for p in pieces)


def _joined(pieces: list[Piece]) -> str:
    return "".join(copied_block(piece.block) for piece in pieces)
