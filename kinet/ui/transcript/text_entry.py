"""An entry made of Markdown blocks: split when it is first seen, laid out block by block."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtGui import QTextDocument

from kinet.markup.blocks import BlockStream, split_in_steps
from kinet.markup.look import Look
from kinet.markup.slices import Block, Bounds
from kinet.ui.transcript.entry import Entry, Room
from kinet.ui.transcript.pieces import Piece, Run
from kinet.ui.transcript.stack import Stack
from kinet.ui.transcript.style import Style

_SPLIT_SECONDS = 0.006


class TextEntry(Entry):
    """Text in blocks. While it streams, `feed` adds to it; `source` is the whole text."""

    kind = "answer"
    plain = False
    __slots__ = (
        "_guess", "_parts", "_pieces", "_references", "_source", "_split", "_stack", "_stream",
        "_tail", "bottom", "top",
    )  # fmt: skip

    def __init__(self, source: str = "") -> None:
        super().__init__()
        self._source = source
        self._parts: list[str] = []
        self._pieces: list[Piece] = []
        self._references: dict[str, object] = {}
        self._stream: BlockStream | None = None
        self._split: Iterator[list[Block]] | None = None
        self._tail: Piece | None = None
        self._stack: Stack | None = None
        self._guess = 0
        # Room above and below the blocks: a bubble's padding, a line above.
        self.top = 0
        self.bottom = 0

    @property
    def source(self) -> str:
        """The whole text so far."""
        if self._parts:
            self._source += "".join(self._parts)
            self._parts.clear()
        return self._source

    @property
    def pieces(self) -> list[Piece]:
        """All blocks; splits the whole text if that was not done yet."""
        self._ensure_split(float("inf"))
        return self._pieces

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

    def look(self, style: Style) -> Look:
        """How its text looks."""
        return style.look

    def text_width(self, style: Style, width: int) -> int:
        """The width for its blocks in a column of `width`."""
        return width

    def estimate(self, style: Style, width: int) -> None:
        """Guesses the height from the length alone."""
        if self._stack is None:
            letters = max(20, int(width / (0.5 * style.theme.pixels("answer"))))
            length = len(self._source)
            line = style.theme.line_height("answer")
            self._guess = (length // letters + length // 120 + 1) * line
        else:
            for piece in self._pieces:
                piece.estimate(style, width)
            self._stack.spoil(0)
        self._sum()

    def feed(self, text: str, style: Style, width: int) -> None:
        """Takes a piece of streamed text."""
        if self._stream is None or self._split is not None:
            # What was there before it streamed on, a draft for instance, is part of the text.
            before = self.source
            self._reset()
            self._stream = BlockStream(self.bounds())
            self._references = self._stream.references
            self._closed(self._stream.feed(before), style, width)
        self._parts.append(text)
        self._closed(self._stream.feed(text), style, width)
        self._sync_tail(style, width)
        self._sum()

    def finish(self, source: str | None, style: Style, width: int) -> None:
        """The text is whole; `source`, where given and other than what streamed, replaces it."""
        stream, streamed = self._stream, self.source
        self._stream = None
        if stream is None or (source is not None and source != streamed) or stream.rough:
            self._source = streamed if source is None else source
            self._reset()
            self.estimate(style, width)
            return
        self._closed(stream.finish(), style, width)
        if self._tail is not None:
            self._drop_tail()
        if self._references:
            for piece in self._pieces:
                if "[" in piece.block.source:
                    piece.drop()
        self._sum()

    def settle(self, room: Room) -> bool:
        """Splits and lays out what is about to be seen, within the deadline."""
        if self.is_folded:
            return True
        width = self.text_width(room.style, room.width)
        if not self._ensure_split(min(room.deadline, time.perf_counter() + _SPLIT_SECONDS), room):
            self._sum()
            return False
        numbers = self._seen(room)
        done = True
        for number in reversed(numbers) if room.upwards else numbers:
            piece = self._pieces[number]
            if piece.document is None or piece.width != width:
                if time.perf_counter() > room.deadline:
                    done = False
                    break
                before = piece.height
                piece.lay_out(room.style, width, self._references, self.look(room.style))
                if piece.height != before and self._stack is not None:
                    self._stack.spoil(number)
            room.cache.touch(piece)
        self._sum()
        return done

    @property
    def is_folded(self) -> bool:
        """True where the blocks are hidden."""
        return False

    def seen(self, top: int, bottom: int) -> range:
        """The numbers of the blocks between two heights of the entry."""
        if self._stack is None or not self._pieces:
            return range(0)
        first = self._stack.at(top - self.top)
        return range(first, self._stack.at(max(bottom - self.top - 1, 0)) + 1)

    def piece_top(self, number: int) -> int:
        """The upper edge of a block within the entry, below the gap above it."""
        if self._stack is None:
            return self.top
        return self.top + self._stack.edges()[number] + self._gap(number)

    def piece_at(self, y: int) -> int:
        """The number of the block at a height of the entry, -1 without blocks."""
        if self._stack is None or not self._pieces:
            return -1
        return self._stack.at(y - self.top)

    @property
    def piece_count(self) -> int:
        """How many blocks have been made so far."""
        return len(self._pieces)

    def piece(self, number: int) -> Piece:
        """A block that `seen` or `piece_at` has named."""
        return self._pieces[number]

    def document_of(self, number: int, style: Style, width: int) -> QTextDocument:
        """The document of a block, made now if there is none."""
        piece = self.pieces[number]
        before = piece.height
        made = piece.lay_out(
            style, self.text_width(style, width), self._references, self.look(style)
        )
        if piece.height != before and self._stack is not None:
            self._stack.spoil(number)
            self._sum()
        return made

    def markdown(self) -> str:
        """The source."""
        return self.source

    def refold(self, style: Style, width: int) -> None:
        """Says that it was opened or folded."""
        if self._stack is not None:
            self._stack.spoil(0)
        self._sum()

    def _seen(self, room: Room) -> range:
        return self.seen(room.top, room.bottom)

    def _ensure_split(self, deadline: float, room: Room | None = None) -> bool:
        if self._stack is not None and self._split is None:
            return True
        if self._stack is None:
            self._stack = Stack(self._extents)
            self._stream = BlockStream(self.bounds())
            self._references = self._stream.references
            self._split = split_in_steps(self._stream, self.source)
        assert self._split is not None
        for blocks in self._split:
            first = len(self._pieces)
            for block in blocks:
                self._append(block)
            if room is not None:
                width = self.text_width(room.style, room.width)
                for piece in self._pieces[first:]:
                    piece.estimate(room.style, width)
            if time.perf_counter() > deadline:
                return False
        self._split = None
        self._stream = None
        return True

    def bounds(self) -> Bounds:
        """How large its blocks may be."""
        return Bounds()

    def _append(self, block: Block) -> Piece:
        before = self._pieces[-1] if self._pieces else None
        run: Run | None = None
        if block.kind != "prose":
            joined = block.continues and before is not None and before.kind == block.kind
            run = before.run if joined and before is not None else Run()
        piece = Piece(block, run, plain=self.plain)
        piece.first = before is None or before.run is not run or run is None
        if before is not None and run is not None and before.run is run:
            before.last = False
        if block.kind == "code" and piece.first and run is not None:
            said = piece.text()
            run.language, run.name = said.language, said.name
        self._pieces.append(piece)
        return piece

    def _closed(self, blocks: list[Block], style: Style, width: int) -> None:
        """Adds closed blocks; the open one is used again where it turned out to be the first."""
        if self._stack is None:
            self._stack = Stack(self._extents)
        if not blocks:
            return
        tail = self._tail
        if tail is not None:
            shown, whole = tail.block.markdown, blocks[0].markdown
            reused = shown.rstrip() == whole.rstrip() and tail.kind == blocks[0].kind
            self._drop_tail()
            if reused and tail.kind != "code":
                kept = self._append(blocks[0])
                kept.document, kept.height, kept.width = tail.document, tail.height, tail.width
                kept.ornaments, kept.rows = tail.ornaments, tail.rows
                kept.exact = tail.exact
                blocks = blocks[1:]
        for block in blocks:
            piece = self._append(block)
            if tail is not None and tail.run is not None and piece.run is not None:
                piece.run.wrap = tail.run.wrap
                tail = None
            piece.estimate(style, width)

    def _drop_tail(self) -> None:
        assert self._stack is not None
        self._pieces.pop()
        if self._pieces:
            self._pieces[-1].last = True
        self._tail = None
        self._stack.spoil(len(self._pieces))

    def _sync_tail(self, style: Style, width: int) -> None:
        """Shows the newest state of the open block."""
        assert self._stream is not None
        assert self._stack is not None
        block = self._stream.shown_tail
        if block is None:
            return
        if self._tail is not None and self._tail.kind != block.kind:
            self._drop_tail()
        if self._tail is None:
            self._tail = self._append(block)
            self._tail.shown = 0 if block.kind == "code" else -1
            self._tail.estimate(style, width)
        else:
            self._tail.grow(block, style)
            self._stack.spoil(len(self._pieces) - 1)

    def _reset(self) -> None:
        self._pieces = []
        self._tail = None
        self._stack = None
        self._split = None

    def _extents(self, start: int) -> list[int]:
        return [
            piece.height + self._gap(start + place)
            for place, piece in enumerate(self._pieces[start:])
        ]

    def _gap(self, number: int) -> int:
        piece = self._pieces[number]
        if number == 0 or self.plain:
            return 0
        before = self._pieces[number - 1]
        if piece.block.continues and (piece.run is None or piece.run is before.run):
            return 0
        if piece.height == 0:
            return 0
        if piece.kind != "prose" or before.kind != "prose":
            return 12
        source = piece.block.source.lstrip()
        if source.startswith("#"):
            return 20
        return 6 if before.block.source.lstrip().startswith("#") else 10

    def _sum(self) -> None:
        inner = self._guess if self._stack is None else self._stack.total()
        self.height = self.top + inner + self.bottom
