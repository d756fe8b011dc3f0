"""An entry made of Markdown blocks: split when it is first seen, laid out block by block."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QTextDocument

from kinet.markup.blocks import BlockStream, split_in_steps
from kinet.markup.look import Look
from kinet.markup.slices import Block, Bounds
from kinet.ui.transcript.blocks.block_list import BlockList
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Entry, Room

_SPLIT_SECONDS = 0.006


class Growing(Entry):
    """Text that may still grow: its source, and the splitter while it streams."""

    __slots__ = ("_grew", "_parts", "_references", "_source", "_split", "_stream", "blocks")
    plain = False

    def __init__(self, source: str = "") -> None:
        super().__init__()
        self._source = source
        self._parts: list[str] = []
        # True once a person has seen it grow: then nothing of it folds by itself.
        self._grew = False
        self._references: dict[str, object] = {}
        self._stream: BlockStream | None = None
        # Portions of a whole text that is being split; None when it is done or was streamed.
        self._split: Iterator[list[Block]] | None = None
        # None until it is first seen.
        self.blocks: BlockList | None = None

    @property
    def source(self) -> str:
        """The whole text so far."""
        if self._parts:
            self._source += "".join(self._parts)
            self._parts.clear()
        return self._source

    @property
    def is_streaming(self) -> bool:
        """True between `feed` and `finish`."""
        return self._stream is not None and self._split is None

    def hold(self, text: str) -> None:
        """Takes text that nobody sees yet."""
        self._parts.append(text)

    def replace(self, source: str) -> None:
        """Its text is another one; nothing of it is on screen yet."""
        self._parts.clear()
        self._source = source

    def bounds(self) -> Bounds:
        """How large its blocks may be."""
        return Bounds()

    def markdown(self) -> str:
        """The source."""
        return self.source

    def _begin_stream(self, style: Style, width: int) -> BlockStream:
        """A splitter that knows what was there before, a draft for instance."""
        before = self.source
        self._grew = True
        self._split = None
        self._stream = BlockStream(self.bounds())
        self._references = self._stream.references
        self.blocks = BlockList(plain=self.plain)
        self.blocks.close(self._stream.feed(before), style, width)
        return self._stream

    def _begin_split(self) -> None:
        self.blocks = BlockList(plain=self.plain)
        self._stream = BlockStream(self.bounds())
        self._references = self._stream.references
        self._split = split_in_steps(self._stream, self.source)

    def split(self, deadline: float) -> bool:
        """Splits the text into its blocks as far as time allows; True when that is done."""
        return self._split_until(deadline)

    def _split_until(self, deadline: float, style: Style | None = None, width: int = 0) -> bool:
        """Splits the whole text, as far as time allows; True when that is done."""
        if self.blocks is not None and self._split is None:
            return True
        if self.blocks is None:
            self._begin_split()
        assert self.blocks is not None
        assert self._split is not None
        for portion in self._split:
            for block in portion:
                piece = self.blocks.append(block, folding=not self._grew)
                if style is not None:
                    piece.estimate(style, width)
                    self._fold_from_start(piece, style, width)
            if time.perf_counter() > deadline:
                return False
        self._split = None
        self._stream = None
        return True

    def _fold_from_start(self, piece: Piece, style: Style, width: int) -> None:
        """The parts before the one that made the code long are folded with it."""
        if self.blocks is None or piece.first or not piece.is_folded:
            return
        first = self.blocks.parts_of(piece.run)[0] if piece.run is not None else 0
        for number in range(first, len(self.blocks.pieces)):
            if self.blocks.pieces[number].height:
                self.blocks.pieces[number].estimate(style, width)
        self.blocks.spoil(first)


class TextEntry(Growing):
    """Text in blocks on screen. While it streams, `feed` adds to it."""

    kind = "answer"
    __slots__ = ("_guess", "bottom", "top")

    def __init__(self, source: str = "") -> None:
        super().__init__(source)
        self._guess = 0
        # Room above and below the blocks: a bubble's padding, a line above.
        self.top = 0
        self.bottom = 0

    @property
    def pieces(self) -> list[Piece]:
        """All blocks; splits the whole text if that was not done yet."""
        self._split_until(float("inf"))
        assert self.blocks is not None
        return self.blocks.pieces

    @property
    def piece_count(self) -> int:
        """How many blocks have been made so far."""
        return len(self.blocks.pieces) if self.blocks is not None else 0

    @property
    def is_folded(self) -> bool:
        """True where the blocks are hidden."""
        return False

    def look(self, style: Style) -> Look:
        """How its text looks."""
        return style.look

    def text_width(self, style: Style, width: int) -> int:
        """The width for its blocks in a column of `width`."""
        return width

    def estimate(self, style: Style, width: int) -> None:
        """Guesses the height from the length alone, where nothing better is known."""
        if self.blocks is None:
            letters = max(20, int(width / (0.5 * style.theme.pixels("answer"))))
            length = len(self._source)
            line = style.theme.line_height("answer")
            self._guess = (length // letters + length // 120 + 1) * line
        else:
            self.blocks.estimate(style, self.text_width(style, width))
        self.measure()

    def feed(self, text: str, style: Style, width: int) -> None:
        """Takes a piece of streamed text; `width` is the column's."""
        width = self.text_width(style, width)
        stream = self._stream
        if stream is None or self._split is not None:
            stream = self._begin_stream(style, width)
        assert self.blocks is not None
        self._parts.append(text)
        self.blocks.close(stream.feed(text), style, width)
        block = stream.shown_tail
        if block is not None:
            self.blocks.show_tail(block, style, width)
        self.measure()

    def finish(self, source: str | None, style: Style, width: int) -> None:
        """The text is whole; `source`, where given and other than what streamed, replaces it."""
        stream, streamed = self._stream, self.source
        same = source is None or source == streamed
        self._stream = None
        if stream is None or self._split is not None or not same or stream.rough:
            self._source = streamed if source is None else source
            self.blocks = self._split = None
            self.estimate(style, width)
            return
        assert self.blocks is not None
        self.blocks.close(stream.finish(), style, self.text_width(style, width))
        self.blocks.drop_tail()
        if self._references:
            # A definition acts on all blocks, also on those before it.
            for piece in self.blocks.pieces:
                if "[" in piece.block.source:
                    piece.drop()
        self.measure()

    def settle(self, room: Room) -> bool:
        """Splits and lays out what is about to be seen, within the deadline."""
        if self.is_folded:
            return True
        style, width = room.style, self.text_width(room.style, room.width)
        limit = min(room.deadline, time.perf_counter() + _SPLIT_SECONDS)
        if not self._split_until(limit, style, width):
            self.measure()
            return False
        assert self.blocks is not None
        numbers = self.seen(room.top, room.bottom)
        done = True
        for number in reversed(numbers) if room.upwards else numbers:
            piece = self.blocks.pieces[number]
            if piece.is_folded and not piece.first:
                continue
            if piece.document is None or piece.width != width:
                if time.perf_counter() > room.deadline:
                    done = False
                    break
                before = piece.height
                piece.lay_out(style, width, self._references, self.look(style))
                if piece.height != before:
                    self.blocks.spoil(number)
            room.cache.touch(piece)
        self.measure()
        return done

    def refold(self, style: Style, width: int) -> None:
        """Says that it was opened or folded."""
        self.measure()

    def seen(self, top: int, bottom: int) -> range:
        """The numbers of the blocks between two heights of the entry."""
        return self.blocks.seen(top - self.top, bottom - self.top) if self.blocks else range(0)

    def piece(self, number: int) -> Piece:
        """A block that `seen` or `piece_at` has named."""
        assert self.blocks is not None
        return self.blocks.pieces[number]

    def piece_top(self, number: int) -> int:
        """The upper edge of a block within the entry."""
        return self.top + (self.blocks.top_of(number) if self.blocks else 0)

    def piece_at(self, y: int) -> int:
        """The number of the block at a height of the entry, -1 without blocks."""
        return self.blocks.at(y - self.top) if self.blocks else -1

    def document_of(self, number: int, style: Style, width: int) -> QTextDocument:
        """The document of a block, made now if there is none."""
        piece = self.pieces[number]
        before = piece.height
        text_width = self.text_width(style, width)
        made = piece.lay_out(style, text_width, self._references, self.look(style))
        if piece.height != before and self.blocks is not None:
            self.blocks.spoil(number)
            self.measure()
        return made

    @contextmanager
    def lent_document(self, number: int, style: Style, width: int) -> Iterator[QTextDocument]:
        """The document of a block for a moment; one that was not there goes away again.

        What is on screen is kept by its cache, which does not know of others.
        """
        piece = self.pieces[number]
        was_there = piece.document is not None
        try:
            yield self.document_of(number, style, width)
        finally:
            if not was_there:
                piece.drop()

    def measure(self) -> None:
        """Sets the height from those of the blocks."""
        inner = self.blocks.height if self.blocks is not None else self._guess
        self.height = self.top + inner + self.bottom
